// Builds elements. Text only ever becomes a text node, so nothing that somebody has written is read as markup.

/** `make("a", { href: "#/" }, "text", node)`; `onclick` takes a listener, `true` sets an attribute without a value. */
export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (typeof value === "function") element.addEventListener(key.slice(2), value);
        else if (key === "value") element.value = value;
        else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.flat().filter((child) => child !== undefined && child !== null));
    return element;
}

/** An address of a page of the forum. */
export function hash(page, parameters = {}) {
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(given).toString();
    return `#/${page}${query === "" ? "" : `?${query}`}`;
}

let forgetting;

/** Says a sentence to those who see and to those who listen. */
export function announce(sentence) {
    const place = document.getElementById("announcement");
    place.textContent = sentence;
    clearTimeout(forgetting);
    forgetting = setTimeout(() => { place.textContent = ""; }, 5000);
}

/** Does `work` while the button is out of use. It keeps the focus, which `disabled` would take from it. */
export async function whileDisabled(button, work) {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    try {
        await work();
    } finally {
        button.removeAttribute("aria-disabled");
    }
}

const moments = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const numbers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** A moment in milliseconds, in words. */
export function moment(milliseconds) {
    const date = new Date(milliseconds);
    return make("time", { datetime: date.toISOString() }, moments.format(date));
}

/** Who has written a post: the name that stands in it; nothing without one. */
export function by({ author }) {
    return typeof author === "string" && author !== "" ? [" · by ", make("span", { class: "author" }, author)] : null;
}

/** A size in bytes, in words. */
export function sizeText(bytes) {
    const units = ["bytes", "kB", "MB", "GB"];
    const step = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
    return `${numbers.format(bytes / 1000 ** step)} ${units[step]}`;
}
