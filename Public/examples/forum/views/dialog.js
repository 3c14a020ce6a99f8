import { make } from "../dom.js";

let last = 0;

/** Asks a question, with a button for each of `choices` (`[value, title]`). Returns a value, or `null` after Escape. */
export function ask({ title, content, choices }) {
    const id = `dialog-${last += 1}`;
    return new Promise((resolve) => {
        let answer = null;
        const buttons = choices.map(([value, title]) => make("button", {
            type: "button", class: value === "delete" ? "danger" : null,
            onclick: () => { answer = value; dialog.close(); },
        }, title));
        const dialog = make("dialog", { "aria-labelledby": id, onclose: () => { dialog.remove(); resolve(answer); } },
            make("h2", { id }, title), content, make("p", { class: "actions" }, buttons));
        document.body.append(dialog);
        dialog.showModal(); // It keeps the focus inside and restores it afterwards.
    });
}
