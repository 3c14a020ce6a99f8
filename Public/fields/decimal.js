import { make } from "../dom.js";
import { ExactNumber } from "../json.js";
import { InputProblem } from "./problem.js";
import { stepper } from "./stepper.js";
import { t } from "../words.js";

export const summary = (value) => String(value);

/** The JSON number for the user's input (`.5` and `+2` are accepted); `undefined` for empty input. */
export function number(input, example = "3.25") {
    const text = input.value.trim().replace(/^\u2212/, "-");
    if (text === "") return undefined;
    const parts = /^([+-]?)(\d*)(\.\d*)?([eE][+-]?\d+)?$/.exec(text);
    const fraction = parts?.[3] ?? "";
    if (parts === null || (parts[2] === "" && fraction.length < 2)) {
        throw new InputProblem(t("Write a number, such as {example}.", { example }), input);
    }
    const whole = parts[2].replace(/^0+(?=\d)/, "") || "0";
    const exact = (parts[1] === "-" ? "-" : "") + whole + (fraction === "." ? "" : fraction) + (parts[4] ?? "");
    if (!Number.isFinite(Number(exact))) throw new InputProblem(t("This number is too large for a DOUBLE."), input);
    return new ExactNumber(exact);
}

/** A double that keeps the digits with which it was written. */
export function editor({ id, name, value }) {
    const input = make("input", {
        id, type: "text", inputmode: "decimal", autocomplete: "off", class: "number",
        value: value === undefined ? "" : String(value),
    });
    return { element: stepper(input, name), control: input, read: () => number(input) };
}
