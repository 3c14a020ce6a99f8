import { hash, make } from "../dom.js";
import { Refusal, Unreachable, server } from "../server.js";

/** What the user can do about it; `null` if the server's own sentence is enough. */
function advice(error) {
    if (error instanceof Unreachable) return "Check your connection and try again. Nothing is lost.";
    if (!(error instanceof Refusal)) return null;
    if (error.retryAfter !== undefined) return `Try again in ${error.retryAfter} s.`;
    switch (error.code) {
    case "AUTHENTICATION_REQUIRED": case "AUTHENTICATION_FAILED": return "Sign in, then try again.";
    case "ACCESS_DENIED": return "Only the author can change a post. For anything else, ask the operator of the forum.";
    case "NOT_FOUND": return isMissing(error) ? null : "It may have been deleted.";
    case "QUOTA_EXCEEDED": return "Make it shorter, or remove something.";
    default: return error.status >= 500 ? "This is a server error. Try again later." : null;
    }
}

/** An error, and what to do. `again` retries. */
export function problemBox(error, again) {
    const isRefusal = error instanceof Refusal;
    const isSignIn = isRefusal && error.code?.startsWith("AUTHENTICATION");
    const sentence = advice(error);
    return make("div", { class: "problem", role: "alert" },
        make("p", {}, error.message),
        sentence === null ? null : make("p", {}, sentence),
        isRefusal && isMissing(error) ? setUp() : null,
        make("p", { class: "actions" },
            isSignIn ? make("a", { class: "button", href: hash("sign-in", { from: location.hash }) }, "Sign in") : null,
            again === undefined ? null : make("button", { type: "button", onclick: again }, "Try again")));
}

/** Whether the cause is that the forum's types or indexes do not exist. */
function isMissing({ details }) {
    return details.cause === "NOT_INDEXED" || (details.cause === "UNKNOWN_NAME" && details.recordType !== undefined);
}

/** In development, the first users' requests create types and indexes; in production, an administrator does. */
function setUp() {
    return make("div", { class: "set-up" },
        make("p", {}, "The forum is not set up on this server. Run this in its directory, with an administrator token in TOKEN:"),
        make("pre", {}, `sh set-up.sh ${server}`),
        make("p", {}, "It creates the forum's types and indexes in development and copies the schema to production."));
}
