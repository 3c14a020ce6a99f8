// The sign-in page of apps that use CloudKit Web Services. A server's error `AUTHENTICATION_REQUIRED` has the page's
// URL in `redirectURL`; the app opens it in a window.

import { chooseWords, deliver, explain, giveUp, parametersOf, requestSignIn, requestTarget } from "./web-sign-in.js";

const words = chooseWords(navigator.languages);
const parameters = parametersOf(location.search);
const base = /^(.*)\/_\//.exec(new URL(import.meta.url).pathname)?.[1] ?? "";
const root = document.getElementById("content");
/** Whether the app knows how the sign-in ended. */
let isOver = false;
/** Why there will be no token, if the page is closed now. */
let obstacle = words.gaveUp;

/** Builds an element. Text becomes only text nodes. */
function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
}

function show(title, ...children) {
    document.title = title;
    root.replaceChildren(make("img", { src: "fog.svg", alt: "", width: "72", height: "72" }),
        make("h1", {}, title), ...children);
}

/** The form. Calls `finish(result)` after the sign-in. */
function showForm(target, finish) {
    const problem = make("p", { class: "problem", id: "problem", role: "alert" });
    const name = make("input", {
        id: "name", type: "text", autocomplete: "username", autocapitalize: "off", spellcheck: "false", required: "",
        "aria-describedby": "problem",
    });
    const password = make("input", {
        id: "password", type: "password", autocomplete: "current-password", required: "", "aria-describedby": "problem",
    });
    const stays = make("input", { id: "staysSignedIn", type: "checkbox" });
    const button = make("button", { type: "submit", class: "primary" }, words.signIn);
    const cancel = make("button", { type: "button" }, words.cancel);
    const form = make("form", { class: "panel sign-in", novalidate: "" },
        make("label", { for: "name" }, words.name), name,
        make("label", { for: "password" }, words.password), password,
        make("div", { class: "stay" }, stays, make("label", { for: "staysSignedIn" }, words.staysSignedIn)),
        problem, button, cancel);
    cancel.addEventListener("click", leave);

    function complain(sentence, input) {
        problem.textContent = sentence;
        input.setAttribute("aria-invalid", "true");
        input.focus();
    }

    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        problem.textContent = "";
        for (const input of [name, password]) input.removeAttribute("aria-invalid");
        if (name.value.trim() === "") return complain(words.nameMissing, name);
        if (password.value === "") return complain(words.passwordMissing, password);
        button.disabled = true;
        try {
            finish(await requestSignIn(fetch, base, parameters, {
                name: name.value.trim(), password: password.value, staysSignedIn: stays.checked,
            }));
        } catch (error) {
            button.disabled = false;
            complain(explain(error, words), password);
        }
    });
    show(words.title(target.name), make("p", { class: "note" }, words.receiver(target)), form);
    name.focus();
}

/** Tells the app that the person gave up, and goes back to it. */
function leave() {
    reportEnd();
    // A window that no page has opened cannot close itself; there the app is the page before this one.
    if (window.opener === null) history.back(); else window.close();
}

function reportEnd() {
    if (isOver) return;
    isOver = true;
    giveUp(obstacle, window);
}

function finish(result) {
    isOver = true;
    const delivery = deliver(result, window);
    if (delivery === "redirected") return;
    const sentence = delivery === "posted" ? words.posted : words.noOpener;
    show(words.signedIn, make("p", { role: "status" }, sentence));
    if (delivery === "posted") window.close();
}

addEventListener("pagehide", reportEnd);
document.documentElement.lang = words.language;
try {
    showForm(await requestTarget(fetch, base, parameters), finish);
} catch (error) {
    obstacle = explain(error, words);
    show(words.impossible, make("p", { role: "alert" }, obstacle));
}
