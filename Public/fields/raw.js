import { make } from "../dom.js";
import * as json from "../json.js";
import { InputProblem } from "./problem.js";

export const summary = (value) => json.stringify(value);

/** Any JSON value, for kinds of fields without a form of their own. */
export function editor({ id, value }) {
    const text = value === undefined ? "" : json.stringify(value, 2);
    const area = make("textarea", {
        id, rows: String(Math.min(10, Math.max(2, text.split("\n").length))), spellcheck: "false", class: "code", value: text,
    });
    function read() {
        if (area.value.trim() === "") return undefined;
        try {
            return json.parse(area.value);
        } catch (error) {
            throw new InputProblem(error.message, area);
        }
    }
    return { element: area, control: area, read };
}
