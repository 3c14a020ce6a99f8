import * as api from "../api.js";
import { announce, make } from "../dom.js";
import { stringify } from "../json.js";
import * as router from "../router.js";
import * as session from "../session.js";
import { t, tn } from "../words.js";

/** `{"field":"good"}` as lines for people. */
function detailLines(details) {
    if (details === null || typeof details !== "object" || Array.isArray(details)) return stringify(details);
    return Object.entries(details)
        .map(([key, value]) => `${key}: ${typeof value === "string" ? value : stringify(value)}`).join("\n");
}

/** The identifier of a request, as a link to the request in the log for callers that may read the log. */
function identifier(uuid) {
    if (session.current() === null || !session.covers("readRequests")) return uuid;
    return make("a", { href: router.address(["logs"], { request: uuid }) }, uuid);
}

/**
 * An error for people: the reason first, then what to quote in a question to the operator. `actions` are buttons or links.
 * Errors of the console itself are labeled as such.
 */
export function problemBox(error, actions = []) {
    const facts = [];
    let reason = error.message;
    let details = null;
    if (error instanceof api.Refusal) {
        const cause = error.details?.cause;
        facts.push([t("Code"), typeof cause === "string" ? `${error.code}, ${cause}` : error.code]);
        if (error.status !== undefined) facts.push([t("Status"), String(error.status)]);
        if (error.uuid) facts.push([t("Identifier"), identifier(error.uuid)]);
        if (error.retryAfter !== undefined) facts.push([t("Try again in"), t("{seconds} s", { seconds: Number(error.retryAfter) })]);
        details = error.details ?? null;
    } else if (error instanceof TypeError || error instanceof ReferenceError) {
        reason = t("This is an error of the console itself: {message}", { message: error.message });
    }
    const offered = actions.filter((action) => action !== null);
    return make("div", { class: "problem-box", role: "alert", tabindex: "-1" },
        make("p", { class: "reason" }, reason),
        error.advice ? make("p", { class: "advice" }, error.advice) : null,
        facts.length === 0 ? null
            : make("dl", {}, facts.map(([key, value]) => make("div", {}, make("dt", {}, key), make("dd", { class: "code" }, value)))),
        details === null ? null
            : make("details", {}, make("summary", {}, t("Details")), make("pre", {}, detailLines(details))),
        offered.length === 0 ? null : make("p", { class: "actions" }, offered));
}

/** Shows the error in its place and moves the focus there. */
export function showProblem(place, error, actions) {
    announce("");
    const box = problemBox(error, actions);
    place.replaceChildren(box);
    box.focus({ preventScroll: true });
    box.scrollIntoView({ block: "nearest" });
}

/** The seconds after which to retry if something is not ready yet; `null` for any other error. */
export function waitingTime(error) {
    const isSoon = error instanceof api.Refusal && error.code === "TRY_AGAIN_LATER" && error.retryAfter !== undefined;
    return isSoon ? Math.min(60, Math.max(1, Number(error.retryAfter))) : null;
}

/** Says that something is not ready yet, and calls `again()` when it may be, as long as the page is current. */
export function waitBox(error, visit, again) {
    const { signal, fail } = visit;
    if (error.details?.cause === "INDEX_BUILDING") {
        const box = make("div", { class: "panel wait-box", role: "status" }, make("p", { class: "reason" }, t("An index for this is being built.")));
        import("./build-wait.js").then(({ followBuild }) => followBuild(box, error, visit)).then(() => {
            if (!signal.aborted) return again();
        }).catch((failure) => {
            if (!signal.aborted) fail(failure);
        });
        return box;
    }
    const seconds = waitingTime(error);
    const timer = setTimeout(ask, seconds * 1_000);
    signal.addEventListener("abort", () => clearTimeout(timer));
    function ask() {
        clearTimeout(timer);
        Promise.resolve(again()).catch(fail);
    }
    return make("div", { class: "panel wait-box", role: "status" },
        make("p", { class: "reason" }, error.message),
        make("p", { class: "note" }, tn("Retrying in {count} second.", "Retrying in {count} seconds.", seconds)),
        make("p", { class: "actions" }, make("button", { type: "button", class: "small", onclick: ask }, t("Retry now"))));
}
