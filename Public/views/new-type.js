// A dialog that creates a type with fields.

import { freshID, make } from "../dom.js";
import { typeNames } from "../fields/kinds.js";
import * as schema from "../schema.js";
import { t } from "../words.js";
import { ask } from "./dialog.js";
import { changeReviewed, productionNote } from "./schema-review.js";
import { isName } from "./schema-type.js";

function textInput(label, attributes = {}) {
    return make("input", {
        type: "text", "aria-label": label, autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes,
    });
}

const written = (input) => input.value.trim().normalize("NFC");

/**
 * Asks for the name and the fields of a new type, and creates it. Returns its name, or `null`. `fail(error)` is called if the server
 * rejects it.
 */
export async function createType(fail) {
    const id = freshID("schema-type");
    const name = make("input", { id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", autofocus: true });
    const problem = make("p", { class: "problem", role: "alert" });
    const rows = make("ul", { class: "new-fields" });

    function addRow() {
        const field = textInput(t("Name of the field"), { placeholder: t("Name of the field") });
        const type = make("select", { "aria-label": t("Type") }, typeNames.map((each) => make("option", { value: each }, each)));
        const row = make("li", {}, field, type, make("button", {
            type: "button", class: "quiet", "aria-label": t("Remove the field"), onclick: () => {
                row.remove();
                add.focus();
            },
        }, "×"));
        rows.append(row);
        return field;
    }
    function fields() {
        return [...rows.children].map((row) => [row.querySelector("input"), row.querySelector("select").value])
            .filter(([input]) => input.value.trim() !== "");
    }
    /** Whether all names are valid; if not, says which is not. */
    function isValid() {
        const names = fields().map(([input]) => written(input));
        const [wrong, sentence] = !isName(written(name)) ? [name, t("A type's name is made of letters, digits and _, and begins with a letter.")]
            : !schema.type(written(name)).isNew ? [name, t("There is already a type “{name}”.", { name: written(name) })]
            : fields().map(([input], at) => {
                if (!isName(names[at])) return [input, t("A field's name is made of letters, digits and _, and begins with a letter.")];
                return names.indexOf(names[at]) < at ? [input, t("There is already a field “{name}”.", { name: names[at] })] : null;
            }).find((each) => each !== null) ?? [null, ""];
        problem.textContent = sentence;
        wrong?.focus();
        return wrong === null;
    }
    const add = make("button", { type: "button", class: "small", onclick: () => addRow().focus() }, t("Another field"));
    addRow();
    const answer = await ask({
        title: t("New type"),
        content: (close) => make("form", { class: "new-type", novalidate: true, onsubmit: (event) => {
            event.preventDefault();
            if (isValid()) close("create");
        } },
        productionNote(), make("label", { for: id }, t("Name of the type")), name,
        make("h3", {}, t("Fields")), rows, add, problem,
        make("button", { type: "submit", hidden: true }, t("Create type"))),
        choices: [
            { value: "create", title: t("Create type"), kind: "primary", allow: isValid },
            { value: "cancel", title: t("Cancel"), kind: "quiet" },
        ],
    });
    if (answer !== "create") return null;
    const definition = Object.fromEntries(fields().map(([input, type]) => [written(input), { type }]));
    try {
        await changeReviewed((types) => { types[written(name)] = { fields: definition }; });
        return written(name);
    } catch (error) {
        fail(error);
        return null;
    }
}
