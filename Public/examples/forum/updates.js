// What other users do, as it happens: the changes of the forum's records for the page that is shown.

// In a copy of this directory, `live.js` is elsewhere; see README.md.
import { FeedError, follow } from "../../live.js";
import { understandChange } from "./posts.js";
import { call, server } from "./server.js";
import * as session from "./session.js";

const types = ["Post", "Likes", "Like"];
const listeners = new Set();

let stream = new AbortController();
let position = null; // the sync token after the last change; `null` if it is unknown
let starting = null;
let redraw = () => undefined;

/** Sets the function that draws the page again, for when the server can no longer say what has changed. */
export function redrawWith(draw) {
    redraw = draw;
}

/** Ends the stream. The next page starts a new one, as the user who is signed in then. */
export function stop() {
    stream.abort();
    stream = new AbortController();
    position = starting = null;
}

/**
 * Starts to collect the changes for a page, until its signal is aborted. Call this before the page reads its posts, so that
 * no change is missed in between. Returns a function that takes the receiver of the changes, once the page can show them.
 */
export async function listen(signal) {
    starting ??= start(stream.signal);
    await starting;
    const waiting = [];
    let take = (change) => waiting.push(change);
    const listener = (change) => take(change);
    listeners.add(listener);
    signal.addEventListener("abort", () => listeners.delete(listener));
    if (signal.aborted) listeners.delete(listener);
    return (receiver) => {
        take = receiver;
        waiting.forEach(receiver);
    };
}

/** Notes the position from which the stream starts. Without one, the forum works as usual, and the next page tries again. */
async function start(signal) {
    const query = new URLSearchParams([...types.map((type) => ["type", type]), ["since", "now"], ["limit", 1]]);
    try {
        const { token } = await call("GET", `/changes?${query}`, { signal });
        if (signal.aborted) return;
        position = token;
        connect();
    } catch {
        if (!signal.aborted) starting = null;
    }
}

/**
 * Follows the changes after the position while the page is visible. Browsers open at most six connections to a server over
 * HTTP/1.1, in all tabs together, so hidden tabs must not keep one each.
 */
async function connect() {
    stream.abort();
    stream = new AbortController();
    if (document.hidden) return;
    const { signal } = stream;
    const token = session.token();
    try {
        for await (const event of follow({ url: server, token, types, since: position, signal })) {
            if (event.type === "reset") {
                stop();
                redraw();
                return;
            }
            if (event.token !== undefined) position = event.token;
            const change = event.type === "change" ? understandChange(event.record) : null;
            if (change !== null) for (const listener of listeners) listener(change);
        }
    } catch (error) {
        if (!(error instanceof FeedError)) throw error;
        // The session has ended, and reading continues as a guest. After any other error, the forum works without updates.
        if (error.code === "AUTHENTICATION_FAILED" && token !== null) session.end(token);
    }
}

document.addEventListener("visibilitychange", () => {
    if (position !== null) connect();
});
