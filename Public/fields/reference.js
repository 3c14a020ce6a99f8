import { freshID, make } from "../dom.js";
import { targetPicker } from "../views/target-picker.js";
import { InputProblem } from "./problem.js";
import { t } from "../words.js";

export const isGroup = true;

export const summary = (value) => `→ ${value?.recordName ?? "?"}`;

const actions = [
    ["NONE", t("is left alone")],
    ["DELETE_SELF", t("is deleted too")],
    ["VALIDATE", t("forbids it")],
];

/** A reference: the target's name, and what happens to this record when the target is deleted. `name` is that of the field. */
export function editor({ name = "", value, isItem = false, changed }) {
    const actionID = freshID("action");
    const picker = targetPicker({ field: name, value: value?.recordName ?? "", isItem, changed });
    const action = make("select", { id: actionID },
        actions.map(([key, text]) => make("option", { value: key }, `${key}: ${text}`)));
    const before = value?.action ?? "NONE";
    if (!actions.some(([key]) => key === before)) action.append(make("option", { value: before }, before));
    action.value = before;

    function read() {
        const target = picker.control.value;
        if (target === "") {
            if (value !== undefined) throw new InputProblem(t("Name the target, or clear the field."), picker.control);
            return undefined;
        }
        // Other keys, such as `zoneID`, stay unchanged. An action that was not sent is not added.
        const untouched = value !== undefined && value.action === undefined && action.value === "NONE";
        return { ...value, recordName: target, ...(untouched ? {} : { action: action.value }) };
    }
    const element = make("div", { class: "parts" }, picker.target,
        make("div", {}, make("label", { for: actionID }, t("When the target is deleted, this record")), action),
        picker.place, picker.preview);
    return { element, control: picker.control, read };
}
