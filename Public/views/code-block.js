import { copy } from "../copy.js";
import { announce, make } from "../dom.js";
import { t } from "../words.js";

/** A text in a box with a button that copies it. `label` says what it is. */
export function codeBlock(label, text) {
    const button = make("button", { type: "button", class: "small", "aria-label": t("Copy: {what}", { what: label }), onclick: async () => {
        announce(await copy(text) ? t("Copied.") : t("The browser does not allow copying. Select the text and copy it."));
    } }, t("Copy"));
    return make("div", { class: "code-block" },
        make("pre", { class: "marked", tabindex: "0", role: "group", "aria-label": label }, text), button);
}
