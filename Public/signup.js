// The page to which an invitation leads: somebody chooses a user name and a password, and has an account.

import * as api from "./api.js";
import { make, whileBusy } from "./dom.js";
import { InputProblem } from "./fields/problem.js";
import { appIn, invitationIn } from "./invitation-links.js";
import { byteCount } from "./passwords.js";
import { field } from "./views/form-dialog.js";
import { load, t } from "./words.js";

const root = document.getElementById("content");

function show(title, ...children) {
    document.title = title;
    root.replaceChildren(make("img", { src: "fog.svg", alt: "", width: "72", height: "72" }),
        make("h1", { tabindex: "-1" }, title), ...children);
}

/** A sentence for an error of the server. */
function explain(error) {
    if (!(error instanceof api.Refusal)) return error.message;
    switch (error.status) {
    case 403: return `${t("This invitation is not valid: it was used or has expired, or it is for another user name. Ask "
        + "for a new one.")} (${error.message})`;
    case 409: return t("This user name is taken. Choose another one.");
    case 429: return error.retryAfter === undefined ? error.message
        : t("Try again in {seconds} s.", { seconds: Number(error.retryAfter) });
    default: return error.message;
    }
}

/** What to do now: a link to the app if the invitation has its address. The host is in the title, as others can make links, too. */
function showEnd(name, app) {
    show(t("Your account is ready"), make("p", { role: "status" }, t("Your user name is {name}.", { name })),
        app === "" ? make("p", {}, t("Now sign in to the app with this name and your password. If you do not know where the app is, ask the "
            + "person who invited you."))
            : make("p", {}, make("a", { class: "button primary", href: app, rel: "noreferrer" }, t("Open {app}", { app: new URL(app).host }))));
}

function showForm(found) {
    const invitation = make("input", { type: "text", class: "code", autocomplete: "off", spellcheck: "false", value: found });
    const name = make("input", { type: "text", autocomplete: "username", autocapitalize: "off", spellcheck: "false", maxlength: "128" });
    const password = make("input", { type: "password", autocomplete: "new-password" });
    const fields = [
        field({ label: t("Invitation"), control: invitation, note: t("Paste the link that you got.") }),
        field({ label: t("User name"), control: name, name: "name", note: t("If the invitation is for a certain user name, "
            + "use that one.") }),
        field({ label: t("Password"), control: password, name: "password", note: t("At least 8 characters.") }),
    ];
    const problem = make("p", { class: "problem", role: "alert" });
    const button = make("button", { type: "submit", class: "primary" }, t("Create account"));
    fields[0].element.hidden = found !== "";

    function check() {
        const text = invitationIn(invitation.value);
        if (text === "") throw new InputProblem(t("Paste the invitation first."), invitation);
        if (name.value.trim() === "") throw new InputProblem(t("Choose a user name."), name);
        const size = byteCount(password.value);
        if (size < 8 || size > 256) throw new InputProblem(t("A password has 8 to 256 characters."), password);
        return text;
    }
    async function submit() {
        problem.textContent = "";
        for (const each of fields) each.say("");
        try {
            await api.signUp(name.value.trim(), password.value, check());
        } catch (error) {
            const wrong = error instanceof InputProblem ? fields.find(({ control }) => control === error.control)
                : fields.find((each) => each.name !== undefined && each.name === (error.status === 409 ? "name" : error.details?.field));
            if (wrong === undefined) problem.textContent = explain(error);
            else {
                wrong.say(explain(error));
                wrong.control.focus();
            }
            return;
        }
        const app = appIn(location.hash) || appIn(invitation.value);
        // The invitation must not stay in the address, where the next user of the browser could find it.
        history.replaceState(null, "", location.pathname + location.search);
        showEnd(name.value.trim(), app);
        root.querySelector("h1").focus();
    }
    show(t("You are invited"), make("form", { class: "panel sign-in form", novalidate: true, onsubmit: (event) => {
        event.preventDefault();
        whileBusy(button, submit);
    } }, fields.map(({ element }) => element), problem, button));
    (found === "" ? invitation : name).focus();
}

load().then(() => showForm(invitationIn(location.hash)));
