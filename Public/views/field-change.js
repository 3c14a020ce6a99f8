import { freshID, make } from "../dom.js";
import { kind, understand } from "../fields/kinds.js";
import { InputProblem } from "../fields/problem.js";
import { t } from "../words.js";

/**
 * Inputs for a change of one field: which, and set, clear or add. `types` are the fields of the type. `read()` returns the `fields` of a
 * PATCH; if the value is not valid, it shows why and returns `null`. `initial` are such `fields`, as far as `canShow` accepts them.
 */
export function fieldChange(types, initial) {
    const [fieldID, actionID, valueID] = [freshID("field"), freshID("action"), freshID("value")];
    const problem = make("p", { class: "problem", role: "alert" });
    const place = make("div", { class: "editor" });
    const field = make("select", { id: fieldID, onchange: () => fillActions() },
        [...types.keys()].map((name) => make("option", { value: name }, name)));
    const action = make("select", { id: actionID, onchange: () => fillValue() });
    let part = null;

    function fillActions(chosen) {
        const isNumber = ["INT64", "DOUBLE"].includes(types.get(field.value));
        action.replaceChildren(...[["set", t("set to")], ["clear", t("clear")], ...(isNumber ? [["increment", t("add")]] : [])]
            .map(([value, title]) => make("option", { value }, title)));
        if (chosen !== undefined) action.value = chosen;
        fillValue();
    }
    function fillValue(value) {
        problem.textContent = "";
        part = action.value === "clear" ? null
            : kind(types.get(field.value)).editor({ id: valueID, name: field.value, value, changed() {} });
        place.replaceChildren(...(part === null ? [] : [make("label", { for: valueID }, t("Value")), part.element]));
    }
    function value() {
        if (part === null) return null;
        const entered = part.read();
        if (entered === undefined) throw new InputProblem(t("Enter a value."), part.control);
        if (action.value === "increment") return { increment: entered };
        return { value: entered, type: types.get(field.value).replace(/^ASSET/, "ASSETID") };
    }
    const [name, change] = Object.entries(initial ?? {})[0] ?? [];
    if (name !== undefined) field.value = name;
    fillActions(change === null ? "clear" : change?.increment === undefined ? undefined : "increment");
    if (change !== undefined && change !== null) fillValue(change.increment ?? change.value);
    return {
        element: make("div", { class: "field-change" },
            make("div", { class: "parts" },
                make("div", {}, make("label", { for: fieldID }, t("Field")), field),
                make("div", {}, make("label", { for: actionID }, t("Change")), action)),
            place, problem),
        read() {
            problem.textContent = "";
            try {
                return { [field.value]: value() };
            } catch (error) {
                if (!(error instanceof InputProblem)) throw error;
                problem.textContent = error.message;
                error.control?.focus();
                return null;
            }
        },
    };
}

/** Whether the inputs can show these `fields` of a PATCH: one field of the type, with a value, `null` or a number to add. */
export function canShow(types, fields) {
    const entries = Object.entries(fields ?? {});
    if (entries.length !== 1 || !types.has(entries[0][0])) return false;
    const change = entries[0][1];
    if (change === null) return true;
    const type = types.get(entries[0][0]);
    if (Array.isArray(change) || typeof change !== "object") return false;
    if (change.increment !== undefined) return Object.keys(change).length === 1 && ["INT64", "DOUBLE"].includes(type);
    return change.value !== undefined && understand(change, type).type === type;
}
