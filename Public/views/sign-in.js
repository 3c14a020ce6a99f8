import * as api from "../api.js";
import { freshID, make, whileBusy } from "../dom.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { ask } from "./dialog.js";
import { t } from "../words.js";

/** How somebody last signed in on this device, "token" or "name". It is not secret, and is stored. */
const wayKey = "fogbase.door";

/** A sentence for an error during sign-in. */
function explain(error, way) {
    if (!(error instanceof api.Refusal)) return error.message;
    if (error.status === 401) {
        return way === "name" ? t("The name or the password is wrong.")
            : t("The server does not know this token. Copy it again, without surrounding characters.");
    }
    const wait = error.retryAfter === undefined ? "" : " " + t("Try again in {seconds} s.", { seconds: Number(error.retryAfter) });
    return `${error.message} (${error.code})${wait}`;
}

/** API keys may use the console if their scope allows it; users may not. */
function mayEnter(caller) {
    return caller?.isAdministrator === true || caller?.scope?.rights?.includes("readSchema") === true;
}

/**
 * A form that signs in with a token or with name and password. Calls `entered()` after the sign-in. `ready` is a
 * promise that it waits for first. `wasByName` shows name and password first.
 */
function signInForm({ entered, farewell = "", ready, wasByName = false, isPanel = true }) {
    const problem = make("p", { class: "problem", id: "sign-in-problem", role: "alert" }, farewell);
    const plain = { autocapitalize: "off", spellcheck: "false" };
    const token = make("input", {
        id: "token", type: "password", autocomplete: "off", ...plain, "aria-describedby": "token-note sign-in-problem",
    });
    const name = make("input", {
        id: "name", type: "text", autocomplete: "username", ...plain, value: wasByName ? session.current()?.name ?? "" : "",
        "aria-describedby": "name-note sign-in-problem",
    });
    const password = make("input", {
        id: "password", type: "password", autocomplete: "current-password", "aria-describedby": "sign-in-problem",
    });
    const button = make("button", { type: "submit", class: "primary" }, t("Sign in"));
    let way = wasByName || localStorage.getItem(wayKey) === "name" ? "name" : "token";
    const parts = {
        token: make("div", {},
            make("label", { for: token.id }, t("Administrator's token")), token,
            make("p", { class: "note", id: "token-note" },
                t("Set as FOGBASE_ADMIN_TOKEN, or printed when the server first started."))),
        name: make("div", {},
            make("label", { for: name.id }, t("Name")), name,
            make("label", { for: password.id }, t("Password")), password,
            make("p", { class: "note", id: "name-note" }, t("For administrators that an owner has added to this server. "
                + "No administrator yet? Open the link that the server printed when it started."))),
    };
    const ways = [["token", t("Token")], ["name", t("Name and password")]].map(([value, text]) => {
        const id = freshID("way");
        return [make("input", { type: "radio", id, name: "way", value, checked: value === way, onchange: () => {
            way = value;
            problem.textContent = "";
            follow();
        } }), make("label", { for: id }, text)];
    });

    function follow() {
        for (const [key, part] of Object.entries(parts)) part.hidden = key !== way;
    }
    function focus() {
        (way === "token" ? token : name.value === "" ? name : password).focus();
    }
    /** What is wrong with the input: `[sentence, input]`, or `null`. */
    function complaint() {
        if (way === "name") {
            return name.value.trim() === "" ? [t("Type your name first."), name]
                : password.value === "" ? [t("Type your password first."), password] : null;
        }
        const text = token.value.trim();
        return text === "" ? [t("Paste the administrator's token first."), token]
            : session.isPlausible(text) ? null : [t("A token has no spaces or special characters inside."), token];
    }
    function refuse(sentence, input) {
        problem.textContent = sentence;
        input.setAttribute("aria-invalid", "true");
        input.focus();
        input.select();
    }
    async function submit(event) {
        event.preventDefault();
        problem.textContent = "";
        for (const input of [token, name, password]) input.removeAttribute("aria-invalid");
        const wrong = complaint();
        if (wrong !== null) {
            refuse(...wrong);
            return;
        }
        await whileBusy(button, async () => {
            await ready;
            let caller;
            try {
                caller = way === "name" ? await api.signInByName(name.value.trim(), password.value)
                    : await api.signIn(token.value.trim());
            } catch (error) {
                refuse(explain(error, way), way === "name" ? password : token);
                return;
            }
            if (!mayEnter(caller)) {
                refuse(t("This token is valid, but it is not an administrator's."), token);
                await api.signOut().catch(() => {});
                return;
            }
            localStorage.setItem(wayKey, way);
            session.enter(caller);
            entered();
        });
    }
    follow();
    const element = make("form", { class: isPanel ? "panel sign-in" : "sign-in", novalidate: true, onsubmit: submit },
        make("fieldset", { class: "sides" }, make("legend", { class: "visually-hidden" }, t("Sign in with")), ways),
        parts.token, parts.name, problem, button);
    return { element, focus };
}

/** The sign-in page. Calls `enter()` after the sign-in. */
export function showSignIn(root, enter, farewell = "", ready = Promise.resolve()) {
    const form = signInForm({ entered: enter, farewell, ready });
    const scopeText = Object.entries(scope.current()).map(([key, value]) => `${key} ${value}`).join(", ");
    document.title = `${t("Sign in")} – Fogbase`;
    root.replaceChildren(make("main", { class: "door", id: "content", tabindex: "-1" },
        make("img", { src: "fog.svg", alt: "", width: "96", height: "96" }),
        make("h1", {}, "Fogbase"),
        make("p", { class: "lead" }, t("The administrators' console.")),
        form.element,
        make("p", { class: "note" }, t("The browser forgets who is signed in when it is closed.")),
        scopeText === "" ? null : make("p", { class: "note" }, t("Opens {database}.", { database: scopeText }))));
    form.focus();
}

/** Lets the user sign in again in a dialog over the unchanged page. Returns whether the user has signed in. */
export async function signInAgain() {
    const answer = await ask({
        title: t("Sign in again"),
        content(close) {
            const form = signInForm({ entered: () => close("entered"), wasByName: session.isByName(), isPanel: false });
            setTimeout(() => form.focus());
            return make("div", {},
                make("p", {}, t("Your session has ended, or the server was restarted. What you wrote on the page stays there.")),
                form.element);
        },
        choices: [{ value: "stay", title: t("Not now"), kind: "quiet" }],
    });
    return answer === "entered";
}
