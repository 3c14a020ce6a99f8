// Boxes that open below a button: the database, the account, sort, columns, further commands.

import { make } from "../dom.js";

/**
 * A button that opens a box. `summary` and `content` are nodes. Escape and a click elsewhere close it; the focus then is on the
 * button. `style` has further classes, such as `right` for a box at the right edge.
 */
export function menu({ summary, label, style = "", content }) {
    const head = make("summary", { "aria-label": label, title: label }, summary);
    return make("details", { class: `menu ${style}` }, head, make("div", { class: "panel box" }, content));
}

export function close(box) {
    box.open = false;
}

/** A button in a menu, which closes it. */
export function command(title, act, style = "") {
    return make("button", { type: "button", class: style, onclick: (event) => {
        const box = event.currentTarget.closest("details");
        close(box);
        box.querySelector("summary").focus();
        act();
    } }, title);
}

globalThis.document?.addEventListener("keydown", (event) => {
    // Escape also ends the composition of a word, and closes a dialog above the page.
    if (event.key !== "Escape" || event.isComposing || document.querySelector("dialog[open]") !== null) return;
    for (const box of document.querySelectorAll("details.menu[open]")) {
        close(box);
        box.querySelector("summary").focus();
    }
});
globalThis.document?.addEventListener("click", (event) => {
    for (const box of document.querySelectorAll("details.menu[open]")) {
        // A node that a click has just removed is not elsewhere.
        if (event.target.isConnected && !box.contains(event.target)) close(box);
    }
});
