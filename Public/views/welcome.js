// The page of the link that the server prints while it has no administrator: its holder becomes the first owner.

import * as api from "../api.js";
import { make, whileBusy } from "../dom.js";
import * as session from "../session.js";
import { t } from "../words.js";

const shortest = 12; // bytes of a password

const spent = t("This link is not valid any more: the server was started again, or it has an administrator already.");

/** A sentence for what the server rejected. */
function explain(error) {
    return error instanceof api.Refusal && error.status === 403 ? spent : error.message;
}

/** Whether the server takes the code. It checks the code first, so a request without a name creates nobody. */
async function isValid(code) {
    try {
        await api.addFirstAdministrator(code, "", "");
    } catch (error) {
        return !(error instanceof api.Refusal && error.status === 403);
    }
    return true;
}

/**
 * The page that makes the first administrator, signs in and calls `enter()`. `leave(sentence)` shows the sign-in page, with the
 * reason if the link is not valid.
 */
export async function showWelcome(root, code, enter, leave) {
    if (!await isValid(code)) {
        leave(spent);
        return;
    }
    const problem = make("p", { class: "problem", id: "welcome-problem", role: "alert" });
    const plain = { autocapitalize: "off", spellcheck: "false" };
    const name = make("input", {
        id: "name", type: "text", autocomplete: "username", ...plain, "aria-describedby": "name-note welcome-problem",
    });
    const password = make("input", {
        id: "password", type: "password", autocomplete: "new-password", "aria-describedby": "password-note welcome-problem",
    });
    const again = make("input", {
        id: "again", type: "password", autocomplete: "new-password", "aria-describedby": "welcome-problem",
    });
    const button = make("button", { type: "submit", class: "primary" }, t("Make the administrator"));

    function refuse(sentence, input) {
        problem.textContent = sentence;
        input.setAttribute("aria-invalid", "true");
        input.focus();
    }
    async function submit(event) {
        event.preventDefault();
        problem.textContent = "";
        for (const input of [name, password, again]) input.removeAttribute("aria-invalid");
        const wanted = name.value.trim().toLowerCase();
        if (wanted === "") {
            refuse(t("Choose a name first."), name);
        } else if (new TextEncoder().encode(password.value).length < shortest) {
            refuse(t("A password has at least {count} characters.", { count: shortest }), password);
        } else if (password.value !== again.value) {
            refuse(t("The two passwords differ."), again);
        } else {
            await whileBusy(button, async () => {
                try {
                    await api.addFirstAdministrator(code, wanted, password.value);
                } catch (error) {
                    refuse(explain(error), name);
                    return;
                }
                // The code must stay neither in the address nor in the browser's history.
                history.replaceState(null, "", "#/");
                try {
                    session.enter(await api.signInByName(wanted, password.value));
                } catch {
                    leave("");
                    return;
                }
                enter();
            });
        }
    }
    document.title = `${t("Welcome")} – Fogbase`;
    root.replaceChildren(make("main", { class: "door", id: "content", tabindex: "-1" },
        make("img", { src: "fog.svg", alt: "", width: "96", height: "96" }),
        make("h1", {}, t("Welcome")),
        make("p", { class: "lead" }, t("This server has no administrator yet.")),
        make("form", { class: "panel sign-in", novalidate: true, onsubmit: submit },
            make("label", { for: name.id }, t("Your name")), name,
            make("p", { class: "note", id: "name-note" }, t("Lowercase letters, digits and . _ - @")),
            make("label", { for: password.id }, t("Password")), password,
            make("p", { class: "note", id: "password-note" }, t("At least {count} characters.", { count: shortest })),
            make("label", { for: again.id }, t("Password again")), again,
            problem, button),
        make("p", { class: "note" },
            make("button", { type: "button", class: "quiet", onclick: () => leave("") }, t("Sign in instead")))));
    name.focus();
}
