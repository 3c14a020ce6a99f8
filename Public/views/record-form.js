// The form of a record: its fields, its JSON, or both side by side and in step.

import { fieldsForm } from "./fields-form.js";
import { jsonForm } from "./json-form.js";
import { make } from "../dom.js";

const pause = 200; // milliseconds between the last input in a field and the new JSON

/**
 * `side` is "fields", "json" or "both". `read()` returns `{recordName?, fields}` or shows and throws `InputProblem`. `update(content, style)`
 * shows other fields and leaves those that are the same; rows that it replaces get the class `style`.
 */
export function recordForm({ side, schemaFields, draft, isNew, changed }) {
    let isTextNewer = false; // whether the JSON was edited after the fields
    let timer;
    const options = { schemaFields, draft, isNew };
    const form = side === "json" ? null : fieldsForm({ ...options, changed() {
        isTextNewer = false;
        changed();
        clearTimeout(timer);
        if (text !== null) timer = setTimeout(showText, pause);
    } });
    const text = side === "fields" ? null : jsonForm({
        ...options,
        changed() {
            isTextNewer = true;
            clearTimeout(timer);
            changed();
        },
        understood(content) {
            if (isTextNewer) form?.update(content);
        },
    });

    function showText() {
        const content = form.peek();
        if (content !== null) text.update(content);
    }
    function read() {
        if (form === null) return text.read();
        if (text === null) return form.read();
        clearTimeout(timer);
        if (isTextNewer) {
            const content = text.read();
            form.update(content);
            isTextNewer = false;
        }
        const content = form.read();
        text.update(content);
        return content;
    }
    return {
        element: side === "both" ? make("div", { class: "both" }, form.element, text.element) : (form ?? text).element,
        read,
        update(content, style) {
            form?.update(content, style);
            text?.update(content);
        },
        hide: (names) => form?.hide(names),
        row: (name) => form?.row(name),
        left: (fields) => form?.left(fields) ?? [],
    };
}
