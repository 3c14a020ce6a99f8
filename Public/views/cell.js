import { make } from "../dom.js";

/** A cell of a table with its title for phones, where each row is a card. Its content is one element, as the card has two columns. */
export function cell(title, content, style) {
    const inside = make("span", { class: "content" }, content);
    return make("td", { class: style, "data-title": title, title: style === "short" ? inside.textContent : null }, inside);
}
