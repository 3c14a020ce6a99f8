import { make } from "../dom.js";

/** A cell of a table with its title for phones, where each row is a card. Its content is one element, as the card has two columns. */
export function cell(title, content, style) {
    return make("td", { class: style, "data-title": title }, make("span", { class: "content" }, content));
}
