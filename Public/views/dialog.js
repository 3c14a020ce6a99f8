import { freshID, make } from "../dom.js";
import { t } from "../words.js";

/** The place of a choice in the row of buttons: ways out, other actions, what the dialog is for. */
function rank({ kind, isFirst }) {
    if (kind === "primary" || kind === "danger") return 2;
    return kind === "quiet" || isFirst === true ? 0 : 1;
}

/**
 * Opens a modal dialog and returns the `value` of the button that closed it, or `null` after Escape. The focus
 * returns to where it was. `choices` are `{value, title, kind?, isFirst?, allow?}`: in all dialogs, the ways out come first, and what
 * the dialog is for (`primary` or `danger`) comes last. The one with `isFirst` has the focus, and a choice whose `allow()` returns false leaves the dialog open. `content` may be a function that gets `close(value)` and
 * returns the node.
 */
export function ask({ title, content, choices, wide = false }) {
    const before = document.activeElement;
    const titleID = freshID("dialog");
    return new Promise((resolve) => {
        let answer = null;
        function close(value) {
            answer = value;
            dialog.close();
        }
        const buttons = [...choices].sort((one, other) => rank(one) - rank(other)).map((choice) => make("button", {
            type: "button", class: choice.kind ?? "", autofocus: choice.isFirst,
            onclick: () => {
                if (choice.allow !== undefined && !choice.allow()) return;
                close(choice.value);
            },
        }, choice.title));
        const dialog = make("dialog", { class: wide ? "wide" : "", "aria-labelledby": titleID, onclose: () => {
            dialog.remove();
            if (before?.isConnected) before.focus();
            resolve(answer);
        } },
        make("h2", { id: titleID }, title), typeof content === "function" ? content(close) : content,
        make("p", { class: "actions" }, buttons));
        document.body.append(dialog);
        dialog.showModal();
    });
}

/** Asks whether to discard unsaved changes. */
export async function askToLeave() {
    const answer = await ask({
        title: t("Leave without saving?"),
        content: make("p", {}, t("What you changed here has not been saved.")),
        choices: [
            { value: "stay", title: t("Keep editing"), isFirst: true },
            { value: "leave", title: t("Leave"), kind: "danger" },
        ],
    });
    return answer === "leave";
}
