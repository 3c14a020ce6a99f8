import { freshID, make } from "../dom.js";
import { InputProblem } from "./problem.js";
import { t } from "../words.js";

const mostShown = 4;

/** The kind of a list whose items are of `kind`. */
export function listOf(kind) {
    return {
        isGroup: true,
        summary(value) {
            if (!Array.isArray(value)) return "?";
            if (value.length === 0) return t("empty list");
            const shown = value.slice(0, mostShown).map(kind.summary).join(", ");
            return value.length > mostShown ? `${shown}, … (${value.length})` : shown;
        },
        picture: kind.picture === undefined ? undefined : (value) => pictures(kind, value),
        editor: (options) => editor(kind, options),
    };
}

/** The first few pictures in a row; `null` unless each of these items has a picture, since the others would be hidden. */
function pictures(kind, value) {
    const shown = value.slice(0, mostShown).map(kind.picture);
    if (shown.length === 0 || shown.includes(null)) return null;
    return make("span", { class: "thumbnails" }, shown, value.length > mostShown ? `… (${value.length})` : null);
}

/** One editor per item, with buttons to add, remove and move up. Without items the value is an empty list. */
function editor(kind, { name, value, changed }) {
    const items = make("ol", { class: "items" });
    const editors = new Map(); // <li> → editor

    function number() {
        [...items.children].forEach((item, index) => {
            const number = index + 1;
            const title = t("Item {number}", { number });
            if (kind.isGroup) item.setAttribute("aria-label", title);
            else editors.get(item).control?.setAttribute("aria-label", title);
            item.querySelector("[data-up]").setAttribute("aria-label", t("Move item {number} up", { number }));
            item.querySelector("[data-up]").disabled = index === 0;
            item.querySelector("[data-away]").setAttribute("aria-label", t("Remove item {number}", { number }));
        });
    }
    function append(content) {
        const part = kind.editor({ id: freshID("item"), name, ...content, changed, isItem: true, leave: () => takeAway(item) });
        const item = make("li", {},
            make("div", { class: "item" }, part.element),
            make("button", { type: "button", class: "quiet small", "data-up": true, onclick: () => moveUp(item) }, "↑"),
            make("button", { type: "button", class: "quiet small", "data-away": true, onclick: () => takeAway(item) }, "×"));
        editors.set(item, part);
        items.append(item);
        number();
        return part;
    }
    function moveUp(item) {
        item.previousElementSibling?.before(item);
        number();
        (item.querySelector("[data-up]:not(:disabled)") ?? item.querySelector("[data-away]")).focus();
        changed();
    }
    function takeAway(item) {
        const next = item.nextElementSibling ?? item.previousElementSibling;
        editors.delete(item);
        item.remove();
        number();
        (next?.querySelector("[data-away]") ?? adder.control).focus();
        changed();
    }
    function read() {
        return [...items.children].map((item, index) => {
            const part = editors.get(item);
            const itemValue = part.read();
            if (itemValue === undefined) {
                throw new InputProblem(t("Item {number} is empty: fill it in or remove it.", { number: index + 1 }), part.control);
            }
            return itemValue;
        });
    }

    const adder = kind.adder?.((content) => append(content), changed) ?? addButton();
    (value ?? []).forEach((each) => append({ value: each }));
    return {
        element: make("div", {}, items, adder.element), control: adder.control, read,
        upload(files) {
            files.forEach((file) => append({ file }));
            changed();
        },
    };

    function addButton() {
        const button = make("button", { type: "button", class: "quiet", onclick: () => {
            append({}).control?.focus();
            changed();
        }, "aria-label": t("Add an item to {name}", { name }) }, t("Add an item"));
        return { element: button, control: button };
    }
}
