import { make } from "../dom.js";

export const summary = (value) => String(value);

/** Text in an area that grows with its lines. If the user deletes everything, the value is the empty text. */
export function editor({ id, value }) {
    const area = make("textarea", { id, rows: "1", spellcheck: "true", value: value ?? "" });
    // A text area turns CRLF into LF; an unedited value is sent back unchanged.
    const shown = area.value;
    const grow = () => {
        area.rows = Math.min(12, Math.max(1, area.value.split("\n").length, Math.ceil(area.value.length / 70)));
    };
    area.addEventListener("input", grow);
    grow();
    const read = () => (value !== undefined && area.value === shown ? value : area.value);
    return { element: area, control: area, read };
}
