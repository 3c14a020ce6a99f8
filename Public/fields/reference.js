import { freshID, make } from "../dom.js";
import { InputProblem } from "./problem.js";
import { t } from "../words.js";

export const isGroup = true;

export const summary = (value) => `→ ${value?.recordName ?? "?"}`;

const actions = [
    ["NONE", t("is left alone")],
    ["DELETE_SELF", t("is deleted too")],
    ["VALIDATE", t("forbids it")],
];

/** A reference: the target's name, and what happens to this record when the target is deleted. */
export function editor({ value }) {
    const nameID = freshID("target");
    const actionID = freshID("action");
    const name = make("input", {
        id: nameID, type: "text", autocomplete: "off", spellcheck: "false", value: value?.recordName ?? "",
    });
    const action = make("select", { id: actionID },
        actions.map(([key, text]) => make("option", { value: key }, `${key}: ${text}`)));
    const before = value?.action ?? "NONE";
    if (!actions.some(([key]) => key === before)) action.append(make("option", { value: before }, before));
    action.value = before;

    function read() {
        if (name.value === "") {
            if (value !== undefined) throw new InputProblem(t("Name the target, or clear the field."), name);
            return undefined;
        }
        // Other keys, such as `zoneID`, stay unchanged. An action that was not sent is not added.
        const untouched = value !== undefined && value.action === undefined && action.value === "NONE";
        return { ...value, recordName: name.value, ...(untouched ? {} : { action: action.value }) };
    }
    const element = make("div", { class: "parts" },
        make("div", {}, make("label", { for: nameID }, t("Target's record name")), name),
        make("div", {}, make("label", { for: actionID }, t("When the target is deleted, this record")), action));
    return { element, control: name, read };
}
