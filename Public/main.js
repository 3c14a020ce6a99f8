// Starts the console: the door if nobody is signed in, else the room, whose pages follow the address.

import * as api from "./api.js";
import { make } from "./dom.js";
import * as router from "./router.js";
import * as schema from "./schema.js";
import * as session from "./session.js";
import { showFrame } from "./views/frame.js";
import { showProblem } from "./views/problem.js";
import { showRecord } from "./views/record.js";
import { forgetTrails, showRecords } from "./views/records.js";
import { showSignIn } from "./views/sign-in.js";
import { showTypeSchema } from "./views/type-schema.js";
import { showTypes } from "./views/types.js";

const root = document.getElementById("console");
let stopFollowing = () => {};
let visit = new AbortController();

function leave(farewell) {
    visit.abort();
    stopFollowing();
    router.unguard();
    session.forget();
    // Where the server does not answer, the cookie still ends by itself.
    api.signOut().catch(() => {});
    schema.forget();
    forgetTrails();
    showSignIn(root, enter, farewell);
}

function enter() {
    const frame = showFrame(root, () => leave("You are signed out."));
    stopFollowing = router.follow(() => showPage(frame));
}

/** Shows the page that the address names. A newer visit cancels the calls of the one before. */
async function showPage({ content, mark }) {
    visit.abort();
    visit = new AbortController();
    const { signal } = visit;
    const { segments, query } = router.place();
    const [area, typeName, part, recordName] = segments;
    mark(area === "types" ? typeName ?? null : null);
    const waiting = setTimeout(() => {
        content.replaceChildren(make("p", { class: "waiting", role: "status" }, "Waiting for the server…"));
    }, 250);
    const context = { signal, signedOut: leave };
    try {
        if (area !== "types" || typeName === undefined) {
            await showTypes(content, signal);
        } else {
            if (schema.all().length === 0) await schema.load({ signal });
            if (part === "new") await showRecord(content, typeName, null, context);
            else if (part === "record" && recordName !== undefined) await showRecord(content, typeName, recordName, context);
            else if (part === "schema") await showTypeSchema(content, typeName, signal);
            else await showRecords(content, typeName, query, context);
        }
    } catch (error) {
        if (signal.aborted) return;
        clearTimeout(waiting);
        if (error instanceof api.Refusal && error.status === 401) {
            leave("The server no longer accepts this token. Sign in again.");
            return;
        }
        const again = make("button", { type: "button", onclick: () => showPage({ content, mark }) }, "Try again");
        content.replaceChildren();
        showProblem(content, error, [again, make("a", { class: "button", href: "#/" }, "All types")]);
    } finally {
        clearTimeout(waiting);
    }
}

// The address behind `#` belongs to the router, so the skip link moves the focus itself.
document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("content")?.focus();
});

/** Opens the room if somebody is signed in, perhaps in another tab; else the door. */
async function begin() {
    let caller;
    try {
        caller = await api.who();
    } catch (error) {
        // Without an answer nobody knows. The room has a way to try again.
        if (!(error instanceof api.Refusal) && session.wasEntered()) {
            enter();
            return;
        }
    }
    if (caller !== undefined) {
        session.enter();
        enter();
        return;
    }
    const farewell = session.wasEntered() ? "The server no longer accepts this token. Sign in again." : "";
    session.forget();
    showSignIn(root, enter, farewell);
}

begin();
