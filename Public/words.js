// The words of the console. English text is the key; other languages have a table from it, loaded before the first drawing.
//
// No module of the console may have an `await` outside of functions. WebKit runs the importers of such a module too early if
// two pages import them at the same time: “Cannot access uninitialized variable.”

const key = "fogbase.language";

/** The languages of the console, with their own names. */
export const languages = new Map([["en", "English"], ["ja", "日本語"]]);

/** The language chosen on this device, or an empty string for the browser's. */
export function chosen() {
    try {
        const kept = globalThis.localStorage?.getItem(key) ?? "";
        return languages.has(kept) ? kept : "";
    } catch {
        return "";
    }
}

/** Keeps the choice; an empty string follows the browser. It counts from the next load on. */
export function choose(name) {
    if (name === "") localStorage.removeItem(key);
    else localStorage.setItem(key, name);
}

const preferred = globalThis.navigator?.languages ?? [];
const base = (tag) => tag.toLowerCase().split("-")[0];

/** The language of the texts. */
export const language = chosen() || preferred.map(base).find((each) => languages.has(each)) || "en";

/** The locale of dates and numbers: the browser's own if it has the language, such as `en-GB`. */
export const locale = preferred.find((each) => base(each) === language) ?? language;

let table = {};
const plurals = new Intl.PluralRules("en");

/** Loads the table of the language. Modules that have texts outside of functions may be loaded only after this. */
export async function load() {
    if (language === "ja") table = (await import("./words-ja.js")).words;
}

/** A number in the locale's form: `1,234`. */
export function number(value, options) {
    return Number(value).toLocaleString(locale, options);
}

/** The text for `{name}` in a sentence. Numbers get the locale's form. */
function shown(value) {
    return typeof value === "number" ? number(value) : String(value);
}

/** A text: `t("New record")`, `t("Item {number}", { number: 3 })`. */
export function t(text, values = {}) {
    return (table[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => (Object.hasOwn(values, name) ? shown(values[name]) : all));
}

/** A text with a number: `tn("{count} record", "{count} records", 5)`. The second form is the key of the table. */
export function tn(one, other, count, values = {}) {
    const text = language === "en" && plurals.select(Number(count)) === "one" ? one : other;
    return t(text, { count: Number(count), ...values });
}

/** A sentence with nodes in it, as a list of children: `tp("{name} will be deleted.", { name: make("strong", {}, "a") })`. */
export function tp(text, nodes) {
    return (table[text] ?? text).split(/(\{\w+\})/).filter((part) => part !== "").map((part) => {
        const name = /^\{(\w+)\}$/.exec(part)?.[1];
        if (name === undefined || !Object.hasOwn(nodes, name)) return part;
        return typeof nodes[name] === "number" ? number(nodes[name]) : nodes[name];
    });
}

if (globalThis.document !== undefined) document.documentElement.lang = language;
