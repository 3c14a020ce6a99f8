// Builds elements. Text only ever becomes a text node, so nothing from a record is read as markup.

import * as router from "./router.js";

/**
 * `make("a", { class: "name", href: "#/" }, "text", node)`. A key with `on` in front takes a listener (`onclick`),
 * `true` sets an empty attribute, `false`, `null` and `undefined` leave it out. Null children are skipped.
 */
export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
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
 * Speaks a sentence through the page's polite live region, and shows it for a while, but not on the next page: unless
 * `isCarried` says that it is about what led there.
 */
export function announce(sentence, { isCarried = false } = {}) {
    const place = document.getElementById("announcement");
    place.textContent = sentence;
    announce.isCarried = isCarried;
    clearTimeout(announce.timer);
    announce.timer = setTimeout(() => { place.textContent = ""; }, 4000);
}

/** Says what a page is: window title, heading, and the focus, so that screen readers start there. */
export function introduce(heading, title = heading.textContent) {
    document.title = `${title} – Fogbase`;
    if (announce.isCarried) announce.isCarried = false;
    else announce("");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    window.scrollTo(0, router.land());
}

/** Runs `work` while the button is out of use, so that a double click is one click. */
export async function whileBusy(button, work) {
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    try {
        await work();
    } finally {
        button.removeAttribute("aria-busy");
    }
}
