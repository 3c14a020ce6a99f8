// Builds elements. Text becomes only text nodes, so no user content is parsed as markup.

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

/** The URL of a page of the forum. */
export function hash(page, parameters = {}) {
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(given).toString();
    return `#/${page}${query === "" ? "" : `?${query}`}`;
}

let forgetting;

/** Shows a sentence and announces it to screen readers. */
export function announce(sentence) {
    const place = document.getElementById("announcement");
    place.textContent = sentence;
    clearTimeout(forgetting);
    forgetting = setTimeout(() => { place.textContent = ""; }, 5000);
}

/** Runs `work` while the button is out of use. The button keeps the focus, which `disabled` would remove. */
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

/** A time in milliseconds, for people. */
export function moment(milliseconds) {
    const date = new Date(milliseconds);
    return make("time", { datetime: date.toISOString() }, moments.format(date));
}

/** The author of a post: the name in its field; nothing without one. */
export function by({ author }) {
    return typeof author === "string" && author !== "" ? [" · by ", make("span", { class: "author" }, author)] : null;
}

/** A size in bytes, for people. */
export function sizeText(bytes) {
    const units = ["bytes", "kB", "MB", "GB"];
    const step = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
    return `${numbers.format(bytes / 1000 ** step)} ${units[step]}`;
}
