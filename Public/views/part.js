// A part of a page that loads by itself and fails by itself.

import { isUnreachable, Refusal } from "../api.js";
import { whenBack } from "../connection.js";
import { make } from "../dom.js";
import { t } from "../words.js";

/** Whether the session has ended, so that the page must not ask again. */
export function isSignedOut(error) {
    return error instanceof Refusal && error.status === 401;
}

/**
 * A section with a heading whose content `load()` returns, as nodes: `element`, and `refresh()`, which loads it again. If that fails,
 * the former content stays with a note; without one there is the error and a button. `head` are nodes beside the heading.
 */
export function part({ title, name = title, style = "", head = [], signal, fail, load }) {
    const note = make("p", { class: "note", role: "status" }, t("Loading…"));
    const body = make("div", { class: "part-body" }, note);
    const element = make("section", { class: `part ${style}`, "aria-label": name },
        make("div", { class: "part-head" }, make("h2", {}, title), head), body);
    let isLoaded = false;

    async function refresh() {
        let nodes;
        try {
            nodes = await load();
            signal.throwIfAborted();
        } catch (error) {
            if (signal.aborted) return;
            if (isSignedOut(error)) {
                fail(error);
                return;
            }
            failed(error);
            return;
        }
        isLoaded = true;
        note.textContent = "";
        // What the user is reading or about to press stays.
        if (!body.contains(document.activeElement)) body.replaceChildren(...nodes.flat(Infinity).filter((each) => each !== null));
    }
    function failed(error) {
        if (isUnreachable(error)) whenBack(signal, refresh);
        if (isLoaded) {
            note.textContent = t("Could not be refreshed: {reason}", { reason: error.message });
            if (!note.isConnected) body.append(note);
            return;
        }
        body.replaceChildren(make("p", { class: "part-problem", role: "status" }, error.message),
            make("p", { class: "actions" }, make("button", { type: "button", class: "small", onclick: (event) => {
                event.currentTarget.blur();
                refresh();
            } }, t("Try again"))));
    }
    return { element, refresh };
}
