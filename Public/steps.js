// Exact steps of written numbers, and their digits in groups.

import { locale } from "./words.js";

/** The text of a decimal number as an integer and the number of its digits after the point; `null` for other texts. */
function parts(text) {
    const found = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text.trim().replace(/^\u2212/, "-"));
    if (found === null || (found[2] === "" && (found[3] ?? "") === "")) return null;
    const digits = found[3] ?? "";
    return { value: BigInt(`${found[2]}${digits}` || "0") * (found[1] === "-" ? -1n : 1n), places: digits.length };
}

/** The number by `count` steps larger: a step is one, of numbers with a point one in their last digit. `null` if it is no plain number. */
export function stepped(text, count) {
    const number = parts(text === "" ? "0" : text);
    if (number === null) return null;
    const value = number.value + BigInt(count);
    const digits = String(value < 0n ? -value : value).padStart(number.places + 1, "0");
    const at = digits.length - number.places;
    return (value < 0n ? "-" : "") + digits.slice(0, at) + (number.places === 0 ? "" : `.${digits.slice(at)}`);
}

/** The number with its digits in groups, as people read it; an empty text if it is short or no plain number. */
export function grouped(text) {
    const found = /^([+-]?\d+)(\.\d*)?$/.exec(text.trim().replace(/^\u2212/, "-"));
    if (found === null || found[1].replace(/^[+-]/, "").length < 5) return "";
    const separator = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === "decimal").value;
    return BigInt(found[1].replace(/^\+/, "")).toLocaleString(locale) + (found[2] ?? "").replace(".", separator);
}
