import { signIn, signUp } from "../accounts.js";
import { announce, hash, make, whileDisabled } from "../dom.js";
import { Refusal } from "../server.js";
import { problemBox } from "./problem.js";

/** The page to sign in or to create an account. It leads back to the page that the user came `from`. */
export async function showAccount({ page, from = hash("newest") }) {
    const isNew = page === "sign-up";
    const title = isNew ? "Make an account" : "Sign in";
    const name = make("input", {
        id: "name", autocomplete: "username", autocapitalize: "none", required: true, maxlength: 128,
    });
    const password = make("input", {
        id: "password", type: "password", required: true,
        autocomplete: isNew ? "new-password" : "current-password", minlength: isNew ? 8 : null,
    });
    const stays = make("input", { id: "stays", type: "checkbox" });
    const button = make("button", { class: "primary" }, title);
    const problem = make("div");

    async function enter() {
        problem.replaceChildren();
        const door = location.hash;
        try {
            await (isNew ? signUp : signIn)(name.value.trim(), password.value, stays.checked);
            announce(`Welcome, ${name.value.trim()}.`);
            if (location.hash === door) location.hash = from; // Only URLs of this page are allowed.
        } catch (error) {
            problem.replaceChildren(problemBox(inWords(error, isNew)));
            password.focus();
        }
    }
    return [
        make("h1", {}, title),
        make("form", { onsubmit: (event) => { event.preventDefault(); whileDisabled(button, enter); } },
            make("label", { for: "name" }, "Name"), name,
            make("label", { for: "password" }, isNew ? "Password (at least 8 characters)" : "Password"), password,
            make("p", { class: "choice" }, stays, make("label", { for: "stays" }, "Stay signed in on this device")),
            problem, make("p", { class: "actions" }, button)),
        make("p", {}, isNew
            ? make("a", { href: hash("sign-in", { from }) }, "I have an account")
            : make("a", { href: hash("sign-up", { from }) }, "Make an account")),
    ];
}

/** The common errors, in words that fit this page. */
function inWords(error, isNew) {
    if (!(error instanceof Refusal)) return error;
    if (isNew && error.code === "EXISTS") {
        return new Error("This name is taken. Choose another one, or sign in if it is yours.");
    }
    if (!isNew && error.status === 401) return new Error("The name or the password is wrong.");
    // Other errors about accounts, such as a closed sign-up, are clear without advice.
    return error.code === "ACCESS_DENIED" ? new Error(error.message) : error;
}
