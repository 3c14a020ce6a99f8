import { date, inputText, localText, milliseconds } from "../dates.js";
import { make } from "../dom.js";
import { ExactNumber } from "../json.js";
import * as integer from "./integer.js";
import { InputProblem } from "./problem.js";
import { t } from "../words.js";

export const summary = localText;

/** Date and time in UTC, to the millisecond: UTC has no duplicate or missing hours. The local time is shown below. */
export function editor({ id, value }) {
    if (value !== undefined && date(value) === null) return integer.editor({ id, value });
    const input = make("input", {
        id, type: "datetime-local", step: "0.001", min: "0001-01-01T00:00", max: "9999-12-31T23:59:59.999",
        value: value === undefined ? "" : inputText(date(value)),
    });
    const note = make("span", { class: "note" });
    const now = make("button", { type: "button", class: "quiet", onclick: () => {
        input.value = inputText(new Date());
        input.dispatchEvent(new Event("input", { bubbles: true }));
    } }, t("Now"));

    function explain() {
        const moment = milliseconds(input.value);
        note.textContent = moment === null ? t("in UTC") : t("in UTC; here {time}", { time: localText(moment) });
    }
    function read() {
        if (input.validity.badInput) throw new InputProblem(t("Write both a date and a time."), input);
        if (input.value === "") return undefined;
        const moment = milliseconds(input.value);
        if (moment === null) throw new InputProblem(t("Write a date and a time, such as 2026-03-01 14:05."), input);
        return new ExactNumber(moment);
    }
    input.addEventListener("input", explain);
    explain();
    return { element: make("div", { class: "together" }, input, now, note), control: input, read };
}
