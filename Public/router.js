// The console's pages are the part of the URL after `#`: `#/types/Post/record/sea%2F1?page=2`.

import * as places from "./places.js";

/** A URL for raw segments and query values. */
export function address(segments, query = {}) {
    const text = new URLSearchParams(query).toString();
    return "#/" + segments.map(encodeURIComponent).join("/") + (text === "" ? "" : "?" + text);
}

/** The raw segments and the query of the current URL. A path with an invalid escape is one segment. */
export function place() {
    const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
    try {
        const segments = path.split("/").filter((part) => part !== "").map(decodeURIComponent);
        return { segments, query: new URLSearchParams(query) };
    } catch {
        return { segments: [path], query: new URLSearchParams() };
    }
}

let mayLeave = async () => true;
let isDirty = () => false;

/** Guards the current page: `dirty()` returns whether something is unsaved, `ask()` whether to leave anyway. */
export function guard(dirty, ask) {
    isDirty = dirty;
    mayLeave = ask;
}

export function unguard() {
    isDirty = () => false;
    mayLeave = async () => true;
}

/** Whether the page may be left. Asks if something on it is unsaved. */
export async function canLeave() {
    return !isDirty() || mayLeave();
}

/** Navigates to a URL without asking. */
export function go(to) {
    unguard();
    if (location.hash === to) {
        window.dispatchEvent(new HashChangeEvent("hashchange"));
    } else {
        location.hash = to;
    }
}

let shown = "";
let landing = 0;
let hasLanded = false;
let isReturning = false;

/** For links that lead back: the page restores its scroll position, as with the browser's back button. */
export function returns() {
    isReturning = true;
}

/** The box that scrolls on the page: the table of a room that fills the window, or the document. */
function scroller() {
    const box = document.querySelector("[data-scrolls]");
    return box !== null && getComputedStyle(box).overflowY === "auto" ? box : document.scrollingElement;
}

/** Scrolls the page that has just been drawn to its initial position. */
export function land() {
    hasLanded = true;
    scroller().scrollTop = landing;
    if (scroller() !== document.scrollingElement) document.scrollingElement.scrollTop = 0;
}

/** How far the page is scrolled, in pixels. */
export function scrolled() {
    return scroller().scrollTop;
}

/** Replaces the URL of the current page. */
export function correct(to) {
    history.replaceState(history.state, "", to);
    shown = location.hash;
}

/** Restores the scroll position of a page visited before, through the history or through a link that leads back. */
function arrive(isSame) {
    const wasHere = isSame || isReturning || history.state?.wasHere === true;
    shown = location.hash;
    landing = wasHere ? places.scroll(shown) : 0;
    [isReturning, hasLanded] = [false, false];
    history.replaceState({ wasHere: true }, "");
}

function depart() {
    if (hasLanded) places.keepScroll(shown, scrolled());
}

/** Calls `show` now and whenever the URL changes. Returns a function that stops this. */
export function follow(show) {
    let asking = false;
    history.scrollRestoration = "manual";
    arrive(false);

    async function changed() {
        const wanted = location.hash;
        if (asking || (wanted === shown && isDirty())) return;
        if (isDirty()) {
            asking = true;
            history.pushState(null, "", shown || "#/");
            const leave = await mayLeave();
            asking = false;
            if (!leave) return;
            unguard();
            history.replaceState(null, "", wanted);
        }
        unguard();
        depart();
        arrive(location.hash === shown);
        show();
    }

    function closing(event) {
        if (isDirty()) event.preventDefault();
    }

    window.addEventListener("hashchange", changed);
    window.addEventListener("beforeunload", closing);
    window.addEventListener("pagehide", depart);
    show();
    return () => {
        window.removeEventListener("hashchange", changed);
        window.removeEventListener("beforeunload", closing);
        window.removeEventListener("pagehide", depart);
    };
}
