import { make } from "../dom.js";
import { ExactNumber } from "../json.js";
import { InputProblem } from "./problem.js";
import { stepper } from "./stepper.js";
import { t } from "../words.js";

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

export const summary = (value) => String(value);

/** A signed 64-bit integer, exact: the text is never converted to a JavaScript number. */
export function editor({ id, name, value }) {
    const input = make("input", {
        id, type: "text", inputmode: "numeric", autocomplete: "off", class: "number",
        value: value === undefined ? "" : String(value),
    });
    function read() {
        const text = input.value.trim().replace(/^\u2212/, "-");
        if (text === "") return undefined;
        if (!/^-?\d+$/.test(text)) throw new InputProblem(t("Write a whole number, such as 42 or -7."), input);
        const number = BigInt(text);
        if (number < smallest || number > largest) {
            throw new InputProblem(t("An INT64 must be between {smallest} and {largest}.", {
                smallest: String(smallest), largest: String(largest),
            }), input);
        }
        return new ExactNumber(number);
    }
    return { element: stepper(input, name), control: input, read };
}
