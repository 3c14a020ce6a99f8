// Starts the forum: shows the page that the URL names, in the frame that all pages share.

import { announce, hash, make } from "./dom.js";
import * as session from "./session.js";
import * as updates from "./updates.js";
import { showAccount } from "./views/account.js";
import { showEditor } from "./views/editor.js";
import { header } from "./views/header.js";
import { showList } from "./views/list.js";
import { showPost } from "./views/post.js";
import { problemBox } from "./views/problem.js";

/** Each page is a function that returns its nodes, the heading first. It throws the server's errors. */
const pages = {
    newest: showList, liked: showList, post: showPost, write: showEditor, edit: showEditor,
    "sign-in": showAccount, "sign-up": showAccount,
};

const main = document.getElementById("content");
let visit = new AbortController();

/** Shows a page. A newer visit cancels the calls of the previous one. */
async function show() {
    visit.abort();
    visit = new AbortController();
    const { signal } = visit;
    const [name, query] = location.hash.replace(/^#\/?/, "").split("?", 2);
    const page = Object.hasOwn(pages, name) ? name : "newest";
    document.getElementById("header").replaceChildren(...header(page));
    main.setAttribute("aria-busy", "true");
    try {
        enter(await pages[page]({ ...Object.fromEntries(new URLSearchParams(query)), page }, signal), signal);
    } catch (error) {
        enter([make("h1", {}, "That did not work"), problemBox(error, show)], signal);
    }
}

/** Screen readers continue from the heading, which is also the title of the window. */
function enter(nodes, signal) {
    if (signal.aborted) return;
    main.removeAttribute("aria-busy");
    main.replaceChildren(...nodes);
    const [heading] = nodes;
    document.title = `${heading.textContent} – Forum`;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
}

// The part of the URL after `#` names the page, so the skip link moves the focus itself.
document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
});

addEventListener("hashchange", show);

// Redraws pages after a sign-in or sign-out. If the session ends while the user is writing, the form stays, and the user can sign in later.
session.onChange(() => {
    updates.stop();
    if (session.current() === null) announce("Your session has ended.");
    if (!isWriting()) show();
    else document.getElementById("header").replaceChildren(...header());
});

updates.redrawWith(() => {
    if (!isWriting() && document.querySelector("dialog") === null) show();
});

function isWriting() {
    return main.querySelector("form.editor") !== null;
}

if (location.hash === "") history.replaceState(null, "", hash("newest"));
show();
