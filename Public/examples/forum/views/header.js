import { signOut } from "../accounts.js";
import { announce, hash, make } from "../dom.js";
import * as session from "../session.js";

/** The header of each page: links and the signed-in user. */
export function header(page) {
    const link = (name, title, parameters) =>
        make("a", { href: hash(name, parameters), "aria-current": page === name ? "page" : null }, title);
    const user = session.current()?.user;
    const from = page?.startsWith("sign") ? undefined : location.hash;
    return [
        make("nav", { "aria-label": "Forum" },
            link("newest", "Newest"), link("liked", "Most liked"), link("write", "Write")),
        make("p", { class: "account" }, user === undefined ? link("sign-in", "Sign in", { from }) : [
            make("span", { class: "user" }, user.name), make("button", { type: "button", onclick: leave }, "Sign out"),
        ]),
    ];
}

async function leave() {
    try {
        await signOut();
        announce("You are signed out.");
    } catch {
        announce("You are signed out here. The server does not answer; there the session ends by itself in a month.");
    }
}
