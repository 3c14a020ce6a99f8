import { freshID, make } from "../dom.js";
import { kind, understand } from "./kinds.js";
import { InputProblem } from "./problem.js";
import { normalized } from "./types.js";
import { t } from "../words.js";

/**
 * One field in the form: label, type, editor, and whether the field is set. A field is set once the user has
 * edited it. “Clear” unsets it, which is different from an empty text or an empty list.
 *
 * `written` is the field's JSON in the record, or `undefined`; `changed()` is called at every edit.
 */
export function fieldRow({ name, schemaType, written, changed }) {
    const id = freshID("field");
    const known = written === undefined
        ? { type: schemaType ?? "STRING", value: undefined }
        : understand(written, schemaType);
    // A field whose type has no form is edited as its whole JSON.
    const type = known.type === null ? null : normalized(known.type);
    const editing = type === null ? kind("") : kind(type);
    let isSet = written !== undefined;
    let isTouched = false;
    let part;

    const place = make("div", { class: "editor" });
    const state = make("span", { class: "state" });
    const problem = make("p", { class: "problem", id: `${id}-problem`, hidden: true });
    const clear = make("button", { type: "button", class: "quiet small", "aria-label": t("Clear {name}", { name }), onclick: () => {
        build(undefined);
        isSet = false;
        isTouched = true;
        complain(null);
        refresh();
        part.control?.focus();
        changed();
    } }, t("Clear"));
    const title = editing.isGroup
        ? make("span", { class: "name", id: `${id}-label` }, name)
        : make("label", { class: "name", for: id }, name);
    const element = make("div", {
        class: "field", role: editing.isGroup ? "group" : null, "aria-labelledby": editing.isGroup ? `${id}-label` : null,
    },
        make("div", { class: "heading" }, title, make("span", { class: "type" }, type ?? "JSON"), state, clear),
        place, problem);

    function touched() {
        isSet = part.isEmpty?.() !== true;
        isTouched = true;
        complain(null);
        refresh();
        changed();
    }
    function build(value) {
        part = editing.editor({ id, name, value, changed: touched });
        part.control?.setAttribute("aria-describedby", problem.id);
        place.replaceChildren(part.element);
    }
    function refresh() {
        element.classList.toggle("unset", !isSet);
        clear.hidden = !isSet || editing.clearsItself === true;
        let remark = isSet ? "" : t("not set");
        if (isSet && type === "STRING" && part.control.value === "") remark = t("empty text");
        if (isSet && type?.endsWith("_LIST") && place.querySelector("li") === null) remark = t("empty list");
        state.textContent = remark;
    }
    function complain(error) {
        problem.hidden = error === null;
        problem.textContent = error === null ? "" : error.message;
        element.classList.toggle("wrong", error !== null);
        element.querySelectorAll("[aria-invalid]").forEach((control) => control.removeAttribute("aria-invalid"));
        error?.control?.setAttribute("aria-invalid", "true");
    }

    place.addEventListener("input", touched);
    build(type === null ? written : known.value);
    refresh();

    return {
        element, name, written,
        focus: () => (part.control ?? clear).focus(),
        /** The field's JSON, `undefined` if it is not set. Shows and throws `InputProblem`; a quiet call does not show it. */
        read({ isQuiet = false } = {}) {
            if (!isTouched) return written;
            if (!isSet) return undefined;
            try {
                const value = part.read();
                if (value === undefined) return undefined;
                return type === null ? value : { value, type: type.replace(/^ASSET/, "ASSETID") };
            } catch (error) {
                if (error instanceof InputProblem && !isQuiet) complain(error);
                throw error;
            }
        },
        /** Begins to upload files as the field's value, one after the other. */
        upload: (files) => part.upload?.(files),
    };
}
