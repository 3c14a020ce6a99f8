// What the server shows only once: tokens, secrets, links with an invitation.

import { freshID, make } from "../dom.js";
import { t } from "../words.js";
import { copyButton } from "./copy.js";
import { ask } from "./dialog.js";

/**
 * Shows a secret until the user closes the dialog; before it was copied, Escape does not. `text` is what is copied, `isLong` shows it
 * in several lines, `further` are nodes below it.
 */
export async function showSecret({ title, label, text, note, isLong = false, further = [] }) {
    const id = freshID("secret");
    let isCopied = false;
    const input = isLong ? make("textarea", { id, class: "code", readonly: true, rows: "9", "aria-describedby": `${id}-note`, value: text })
        : make("input", { id, type: "text", class: "code", readonly: true, "aria-describedby": `${id}-note`, value: text });
    const hint = make("p", { class: "problem", role: "alert" });
    const copy = copyButton({ text: () => text, input, style: "primary", copied() {
        isCopied = true;
        hint.textContent = "";
    } });
    function keep(event) {
        if (isCopied) return;
        event.preventDefault();
        hint.textContent = t("Copy it first, or press “Close”: it cannot be shown again.");
    }
    const content = make("div", { class: "form secret" },
        make("p", { id: `${id}-note` }, note),
        make("div", {}, make("label", { for: id }, label),
            make("div", { class: isLong ? "joined tall" : "joined" }, input, copy)),
        hint, further);
    const answer = ask({ title, content, choices: [{ value: "close", title: t("Close") }] });
    content.closest("dialog").addEventListener("cancel", keep);
    copy.querySelector("button").focus();
    await answer;
}
