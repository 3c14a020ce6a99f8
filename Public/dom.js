// Builds elements. Text becomes only text nodes, so no record content is parsed as markup.

import * as router from "./router.js";

/**
 * `make("a", { class: "name", href: "#/" }, "text", node)`. A key with the prefix `on` adds a listener (`onclick`),
 * `true` sets an empty attribute; `false`, `null` and `undefined` omit it. Null children are skipped.
 */
export function make(tag, attributes = {}, ...children) {
    return filled(document.createElement(tag), attributes, children);
}

/** The same for an element of a drawing (SVG). */
export function draw(tag, attributes = {}, ...children) {
    return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) {
        if (value === false || value === null || value === undefined) continue;
        if (key.startsWith("on")) {
            element.addEventListener(key.slice(2), value);
        } else if (key === "value") {
            element.value = value;
        } else {
            element.setAttribute(key, value === true ? "" : String(value));
        }
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
    return element;
}

let lastNumber = 0;

/** A new `id`, for labels and descriptions. */
export function freshID(stem) {
    lastNumber += 1;
    return `${stem}-${lastNumber}`;
}

/**
 * Announces a sentence in the page's polite live region and shows it for a while. It disappears on the next page, unless
 * `isCarried` is set because the sentence is about the change of page.
 */
export function announce(sentence, { isCarried = false } = {}) {
    const place = document.getElementById("announcement");
    place.textContent = sentence;
    announce.isCarried = isCarried;
    clearTimeout(announce.timer);
    announce.timer = setTimeout(() => { place.textContent = ""; }, 4000);
}

/** Sets the window title, the heading, and the focus, so that screen readers start there. */
export function introduce(heading, title = heading.textContent) {
    document.title = `${title} – Fogbase`;
    if (announce.isCarried) announce.isCarried = false;
    else announce("");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    router.land();
}

/** Sets the value of a control that the user is not typing in. */
export function refill(control, value) {
    if (document.activeElement !== control) control.value = value;
}

/** Runs `work` while the button is disabled, so that a double click counts once. */
export async function whileBusy(button, work) {
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    try {
        await work();
    } finally {
        button.removeAttribute("aria-busy");
    }
}
