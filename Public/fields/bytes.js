import { make } from "../dom.js";
import { sizeText } from "../sizes.js";
import { InputProblem } from "./problem.js";
import { t } from "../words.js";

/** The number of bytes that a Base64 text encodes, or `null` if it is not Base64. */
export function size(text) {
    if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
    return text.length / 4 * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
}

export function summary(value) {
    const count = size(String(value));
    return count === null ? t("not base64") : sizeText(count);
}

/** Bytes as their size and their Base64, line breaks allowed. */
export function editor({ id, value }) {
    const area = make("textarea", {
        id, rows: "2", spellcheck: "false", class: "code", autocomplete: "off", value: value ?? "",
    });
    const note = make("span", { class: "note" });
    const text = () => area.value.replace(/\s+/g, "");

    function explain() {
        const count = size(text());
        note.textContent = area.value === "" ? t("base64") : count === null ? t("not base64 yet") : t("{size}, as base64", { size: sizeText(count) });
    }
    function read() {
        if (size(text()) === null) {
            throw new InputProblem(t("Base64 is made of A–Z, a–z, 0–9, + and /, in groups of four, with = at the end."), area);
        }
        return text();
    }
    area.addEventListener("input", explain);
    explain();
    return { element: make("div", {}, area, note), control: area, read };
}
