import { freshID, make } from "../dom.js";
import { InputProblem } from "../fields/problem.js";
import * as json from "../json.js";
import { t } from "../words.js";

const patience = 200; // milliseconds between the last key and the syntax check

function isObject(value) {
    return value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof json.ExactNumber);
}

/**
 * The writable part of a record as JSON text. `read()` returns `{recordName?, fields}` or throws `InputProblem`, and `update(content)`
 * shows another content. `understood(content)` gets what was typed, once it is valid.
 */
export function jsonForm({ draft, isNew, changed, understood = () => {} }) {
    const id = freshID("json");
    const allowed = isNew ? ["recordName", "fields"] : ["fields"];
    const text = json.stringify({ recordName: isNew ? draft.recordName : undefined, fields: draft.fields }, 2);
    const problem = make("p", { class: "problem", id: `${id}-problem`, role: "status" });
    const area = make("textarea", {
        id, class: "code", spellcheck: "false", autocomplete: "off", autocapitalize: "off",
        rows: String(Math.min(32, Math.max(10, text.split("\n").length + 1))), "aria-describedby": problem.id, value: text,
    });
    let timer;

    function understand() {
        const content = json.parse(area.value);
        if (!isObject(content)) throw new InputProblem(t("A record must be an object in braces."), area);
        const stranger = Object.keys(content).find((key) => !allowed.includes(key));
        if (stranger !== undefined) {
            throw new InputProblem(t("“{name}” cannot be written here; only {allowed} can.", {
                name: stranger, allowed: allowed.join(", "),
            }), area);
        }
        if (content.fields !== undefined && !isObject(content.fields)) {
            throw new InputProblem(t("“fields” must be an object in braces."), area);
        }
        if (content.recordName !== undefined && typeof content.recordName !== "string") {
            throw new InputProblem(t("“recordName” must be a string in double quotes."), area);
        }
        return { ...content, fields: content.fields ?? Object.create(null) };
    }
    function check() {
        try {
            const content = understand();
            problem.textContent = "";
            area.removeAttribute("aria-invalid");
            return content;
        } catch (error) {
            if (!(error instanceof InputProblem || error instanceof json.JSONProblem)) throw error;
            problem.textContent = error.message;
            area.setAttribute("aria-invalid", "true");
            throw error;
        }
    }
    function checkQuietly() {
        try {
            understood(check());
        } catch (error) {
            if (!(error instanceof InputProblem || error instanceof json.JSONProblem)) throw error;
            // The message is shown above the text.
        }
    }
    function read() {
        try {
            return check();
        } catch (error) {
            area.focus();
            if (error instanceof json.JSONProblem) area.setSelectionRange(error.offset, error.offset);
            throw new InputProblem(error.message, area);
        }
    }
    function tidy() {
        const content = read();
        area.value = json.stringify(content, 2);
    }

    area.addEventListener("input", () => {
        changed();
        clearTimeout(timer);
        timer = setTimeout(checkQuietly, patience);
    });
    const tidyButton = make("button", { type: "button", class: "quiet", onclick: () => {
        try {
            tidy();
        } catch (error) {
            if (!(error instanceof InputProblem)) throw error;
        }
    } }, t("Tidy up"));
    return {
        element: make("div", { class: "json" },
            make("div", { class: "heading" }, make("label", { for: id, class: "name" }, "JSON"), tidyButton), problem, area),
        read,
        update(content) {
            clearTimeout(timer);
            try {
                if (json.same(understand(), content)) return;
            } catch {
                // Invalid text is replaced.
            }
            area.value = json.stringify({ recordName: isNew ? content.recordName : undefined, fields: content.fields }, 2);
            problem.textContent = "";
            area.removeAttribute("aria-invalid");
        },
    };
}
