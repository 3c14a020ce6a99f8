// Buttons that copy a text. Without HTTPS, browsers have no clipboard for scripts; then the text in the input is selected and copied.

import { announce, make } from "../dom.js";
import { t } from "../words.js";

async function copy(text, input) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        input?.focus();
        input?.select();
        return input !== undefined && document.execCommand("copy");
    }
}

/** A button that copies what `text()` returns; `input` is where the user sees it. `copied()` is called after a success. */
export function copyButton({ title = t("Copy"), text, input, copied = () => {}, style = "" }) {
    const done = make("span", { class: "visually-hidden", role: "status" });
    const button = make("button", { type: "button", class: style, onclick: async () => {
        if (!(await copy(text(), input))) {
            announce(t("The browser did not allow copying. Select the text and copy it yourself."));
            return;
        }
        button.textContent = t("Copied");
        done.textContent = t("Copied");
        copied();
    } }, title);
    return make("span", { class: "copy" }, button, done);
}
