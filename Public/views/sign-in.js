import * as api from "../api.js";
import { make, whileBusy } from "../dom.js";
import * as scope from "../scope.js";
import * as session from "../session.js";

/** A sentence for what went wrong while signing in. */
function explain(error) {
    if (!(error instanceof api.Refusal)) return error.message;
    if (error.status === 401) return "The server does not know this token. Copy it again, without anything around it.";
    if (error.status === 403) return "The server knows this token, but it is not the administrator's.";
    return `${error.message} (${error.code})${error.advice === null ? "" : ` ${error.advice}`}`;
}

/** The door: asks for the administrator's token and tries it on the schema. Calls `enter()` once it opens. */
export function showSignIn(root, enter, farewell = "") {
    const problem = make("p", { class: "problem", id: "sign-in-problem", role: "alert" }, farewell);
    const input = make("input", {
        id: "token", type: "password", autocomplete: "off", autocapitalize: "off", spellcheck: "false", required: true,
        "aria-describedby": "token-note sign-in-problem",
    });
    const button = make("button", { type: "submit", class: "primary" }, "Sign in");

    async function submit(event) {
        event.preventDefault();
        const token = input.value.trim();
        problem.textContent = "";
        input.removeAttribute("aria-invalid");
        if (!session.isPlausible(token)) {
            refuse(token === "" ? "Paste the administrator's token first."
                : "A token has no spaces or special characters inside.");
            return;
        }
        await whileBusy(button, async () => {
            try {
                await api.signIn(token);
                await api.schema();
            } catch (error) {
                refuse(explain(error));
                // A token that opens nothing here is not kept; without an answer nobody is signed in anyway.
                await api.signOut().catch(() => {});
                return;
            }
            session.enter();
            enter();
        });
    }
    function refuse(sentence) {
        problem.textContent = sentence;
        input.setAttribute("aria-invalid", "true");
        input.focus();
        input.select();
    }

    const scopeText = Object.entries(scope.current()).map(([key, value]) => `${key} ${value}`).join(", ");
    document.title = "Sign in – Fogbase";
    root.replaceChildren(make("main", { class: "door", id: "content", tabindex: "-1" },
        make("img", { src: "fog.svg", alt: "", width: "96", height: "96" }),
        make("h1", {}, "Fogbase"),
        make("p", { class: "lead" }, "The keeper's console."),
        make("form", { class: "panel", novalidate: true, onsubmit: submit },
            make("label", { for: "token" }, "Administrator's token"),
            input,
            make("p", { class: "note", id: "token-note" },
                "Set as FOGBASE_ADMIN_TOKEN, or printed when the server first started. The browser forgets it when closed."),
            problem, button),
        scopeText === "" ? null : make("p", { class: "note" }, `Opens ${scopeText}.`)));
    input.focus();
}
