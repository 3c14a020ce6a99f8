// The console: the sign-in page if nobody is signed in, otherwise the main frame, whose pages follow the URL.

import * as api from "./api.js";
import { connection, whenBack } from "./connection.js";
import { introduce, make } from "./dom.js";
import * as places from "./places.js";
import * as router from "./router.js";
import * as schema from "./schema.js";
import * as scope from "./scope.js";
import * as session from "./session.js";
import * as users from "./users.js";
import "./theme.js";
import * as rooms from "./rooms.js";
import { showFrame } from "./views/frame.js";
import { showProblem, waitBox, waitingTime } from "./views/problem.js";
import { t } from "./words.js";

const patience = 250; // milliseconds
const expired = t("Your session has ended. Sign in again.");
const root = document.getElementById("console");
let stopFollowing = () => {};
let leaveDoor = () => {};
let visit = new AbortController();

function leave(farewell) {
    visit.abort();
    stopFollowing();
    router.unguard();
    api.renewWith(async () => false);
    // If the server does not respond, the cookie still expires. The next sign-in waits until this sign-out has ended.
    const leaving = api.signOut().catch(() => {});
    session.forget();
    schema.forget();
    users.forget();
    places.forget();
    showDoor(farewell, leaving);
}

/** The sign-in page's module. Without it, the first page of a signed-in administrator needs fewer files. */
const signInPage = () => import("./views/sign-in.js");

/** The code of the link that the server prints while it has no administrator; `null` if the URL is no such link. */
function welcomeCode() {
    const { segments, query } = router.place();
    return segments[0] === "welcome" ? query.get("code") : null;
}

/**
 * The page without a caller: the sign-in page, or with the link that the server printed the one for the first
 * administrator. The link may be pasted into a tab that shows this page already: only the part after `#` changes then.
 */
async function showDoor(farewell = "", leaving) {
    const code = welcomeCode();
    const goOn = (sentence) => session.current() === null ? showDoor(sentence) : enter();
    const changed = () => {
        if (welcomeCode() !== code) goOn();
    };
    leaveDoor();
    window.addEventListener("hashchange", changed);
    leaveDoor = () => window.removeEventListener("hashchange", changed);
    if (code === null) {
        const page = await signInPage();
        page.showSignIn(root, enter, farewell, leaving);
        return;
    }
    const { showWelcome } = await import("./views/welcome.js");
    await showWelcome(root, code, enter, (sentence) => {
        history.replaceState(null, "", "#/");
        goOn(sentence);
    });
}

function enter() {
    if (welcomeCode() !== null) {
        // Somebody signed in with the server's own token, and now opens the link.
        showDoor();
        return;
    }
    leaveDoor();
    api.renewWith(async () => (await signInPage()).signInAgain());
    const frame = showFrame(root, () => leave(t("You are signed out.")));
    stopFollowing = router.follow(() => showPage(frame));
}

/** Shows the page that the URL names. A newer visit cancels the calls of the previous one. */
async function showPage(frame) {
    const { content, mark } = frame;
    visit.abort();
    visit = new AbortController();
    const { signal } = visit;
    const { segments, query } = router.place();
    if (welcomeCode() !== null) {
        stopFollowing();
        await showDoor();
        return;
    }
    const { room, names } = rooms.find(segments);
    mark(room, names);
    const context = { ...pageVisit(content, signal), fail };
    try {
        const [module] = await Promise.all([moduleOf(room), session.current() === null ? recognize(signal) : true]);
        if (session.current() === null) return;
        signal.throwIfAborted();
        if (schema.all().length === 0) await schema.load({ signal });
        if (room.right !== undefined && !session.covers(room.right)) showForbidden(context, room);
        else if (await isMissing(names, signal)) showMissingType(context, names.type);
        else await module.show(context, names, query);
        signInPage().catch(() => {}); // It is asked for again when it is needed.
    } catch (error) {
        context.fail(error);
    }

    function fail(error) {
        if (signal.aborted) return;
        if (error instanceof api.Refusal && error.status === 401) {
            leave(t("You are no longer signed in."));
            return;
        }
        if (waitingTime(error) !== null) {
            context.show(waitBox(error, context, () => showPage(frame)));
            return;
        }
        context.show();
        if (api.isUnreachable(error)) whenBack(signal, () => showPage(frame));
        showProblem(content, error, [
            make("button", { type: "button", onclick: () => showPage(frame) }, t("Try again")),
            make("a", { class: "button", href: "#/" }, t("Home")),
            scope.isDefault() ? null : make("a", { class: "button", href: scope.defaultAddress() }, t("The server's default database")),
        ]);
    }
}

/** The module of a room. One that does not come is a lack of connection, and no error of the console. */
async function moduleOf(room) {
    try {
        return await room.load();
    } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        await connection.doubt();
        throw connection.since() === null ? error : new api.Unreachable(error);
    }
}

/** A room that the caller's role does not cover. The sidebar does not show it, but its URL can be typed. */
function showForbidden({ show }, room) {
    const heading = make("h1", {}, room.title ?? rooms.find(room.path.split("/").slice(0, 1)).room.title);
    show(heading, make("p", {}, session.reason(t("this room"))));
    introduce(heading);
}

/** Whether the room is about a type that production does not have. In development, such a type is created with its first record. */
async function isMissing({ type }, signal) {
    const isKnown = () => type === undefined || schema.all().some(({ name }) => name === type);
    if (isKnown() || await api.environment() !== "production") return false;
    await schema.load({ signal });
    return !isKnown();
}

/** Says that the type is not there, as after a switch from development, and where to go from here. */
function showMissingType({ show }, type) {
    const heading = make("h1", {}, type);
    const isOfBoth = session.current()?.isAdministrator !== false;
    show(heading, make("div", { class: "empty" },
        make("p", { class: "lead" }, t("Production has no type {type}.", { type })),
        make("p", {}, t("Types come to production when the schema of development is promoted.")),
        make("p", { class: "actions" },
            isOfBoth ? make("a", { class: "button", href: scope.environmentAddress("development", rooms.elsewhere(router.place())) },
                t("{type} in development", { type })) : null,
            make("a", { class: "button", href: "#/types" }, t("Types of production")),
            isOfBoth ? make("a", { class: "button", href: "#/schema?view=promotion" }, t("Promotion")) : null)));
    introduce(heading);
}

/** Checks who is signed in if the server did not respond at the start. Without a caller, shows the sign-in page. */
async function recognize(signal) {
    const caller = await api.who(signal);
    if (caller === undefined) leave(expired);
    else session.enter(caller);
    return caller !== undefined;
}

/**
 * What a page can do while it is the current one. `show(…)` draws it. It ends the waiting message, and throws if there is
 * a newer visit, so that a late response cannot replace a newer page. `isOver()` returns whether there is one; after a write, the
 * page then does not navigate. `fail(error)` reports errors that occur after the page's function has returned.
 */
function pageVisit(content, signal) {
    const stopWaiting = showWaiting(content, signal);
    return {
        signal,
        show(...nodes) {
            signal.throwIfAborted();
            stopWaiting();
            content.replaceChildren(...nodes.filter((node) => node !== null && node !== ""));
        },
        isOver: () => signal.aborted,
    };
}

/** If nothing is drawn after a moment, shows that the console waits for the server. Returns a function that ends this. */
function showWaiting(place, signal) {
    const timer = setTimeout(() => {
        place.replaceChildren(make("p", { class: "waiting", role: "status" }, t("Waiting for the server…")));
    }, patience);
    const stop = () => clearTimeout(timer);
    signal?.addEventListener("abort", stop);
    return stop;
}

// The router uses the part of the URL after `#`, so the skip link moves the focus itself.
const skip = document.getElementById("skip");
skip.textContent = t("Skip to the page");
skip.addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("content")?.focus();
});

/** Opens the main frame if somebody is signed in, perhaps in another tab; otherwise the sign-in page. */
async function begin() {
    const stopWaiting = showWaiting(root);
    // At a later visit, the schema and the room come while the server checks the session.
    const early = session.wasEntered() ? schema.load().catch(() => {}) : null;
    if (early === null) signInPage().catch(() => {});
    else rooms.find(router.place().segments).room.load().catch(() => {});
    let caller;
    try {
        caller = await api.who();
        if (caller !== undefined) await early;
    } catch (error) {
        // Without a response the caller is unknown. The main frame offers a retry.
        if (!(error instanceof api.Refusal) && session.wasEntered()) {
            enter();
            return;
        }
    } finally {
        stopWaiting();
    }
    if (caller !== undefined) {
        session.enter(caller);
        enter();
        return;
    }
    const farewell = session.wasEntered() ? expired : "";
    session.forget();
    await showDoor(farewell);
}

begin();
