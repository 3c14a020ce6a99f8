// Which records others write while a page is open. The stream has only names and dates; the page reads the records itself, because
// `live.js` parses numbers of the stream as JavaScript does.

import { connection } from "./connection.js";
import { follow, surroundings } from "./live.js";
import * as scope from "./scope.js";
import * as session from "./session.js";

/** The console's cookie counts only with its own header. */
const system = {
    ...surroundings,
    fetch(address, { headers, ...options }) {
        const all = new Headers(headers);
        for (const [name, value] of Object.entries({ ...session.heads, ...session.identified() })) all.set(name, value);
        return fetch(address, { ...options, headers: all, credentials: "same-origin", redirect: "error", referrerPolicy: "no-referrer" });
    },
};

/** Waits until the page is visible or the signal is aborted. */
function visible(signal) {
    return new Promise((resolve) => {
        const end = () => {
            if (document.hidden && !signal.aborted) return;
            document.removeEventListener("visibilitychange", end);
            signal.removeEventListener("abort", end);
            resolve();
        };
        document.addEventListener("visibilitychange", end);
        signal.addEventListener("abort", end);
        end();
    });
}

/** Waits until somebody has signed in on top of the page or the signal is aborted. */
function signedInAgain(signal) {
    return new Promise((resolve) => {
        session.listen(resolve);
        signal.addEventListener("abort", resolve);
    });
}

/** A signal that is aborted when the page is hidden, or with `signal`. `stop()` removes its listeners. */
function whileVisible(signal) {
    const controller = new AbortController();
    const end = () => { if (document.hidden || signal.aborted) controller.abort(); };
    document.addEventListener("visibilitychange", end);
    signal.addEventListener("abort", end);
    end();
    return { signal: controller.signal, stop() {
        document.removeEventListener("visibilitychange", end);
        signal.removeEventListener("abort", end);
    } };
}

/**
 * Calls `take` for each change of the records of a type until `signal` is aborted: `{kind: "change" | "gone" | "current", record}`. With
 * `where`, only for those that match. `since` is a sync token of this database, or `"now"`. While the page is hidden the stream is closed,
 * since browsers open few connections to one server; nothing is missed. Returns when the server ends the feed for good, and `reset()`
 * is called if changes cannot be told any more.
 */
export async function followChanges({ typeName, where, since = "now", signal, take, reset }) {
    let token = since;
    while (!signal.aborted) {
        await visible(signal);
        const turn = whileVisible(signal);
        try {
            const options = {
                ...scope.current(), url: location.origin + scope.base, types: [typeName], fields: [], where, since: token, signal: turn.signal,
            };
            for await (const event of follow(options, system)) {
                if (event.type === "disconnected") connection.doubt();
                if (event.type === "reset") {
                    reset();
                    return;
                }
                if (event.token) token = event.token;
                if (event.type === "caughtup") take({ kind: "current" });
                else if (event.record !== undefined) {
                    take({ kind: event.type === "leave" || event.record.deleted ? "gone" : "change", record: event.record });
                }
            }
        } catch (error) {
            // The server does not offer the feed to this caller, or rejects the condition: the page stays as it is.
            if (error.status !== 401 && error.code !== "AUTHENTICATION_FAILED") return;
            await signedInAgain(signal);
        } finally {
            turn.stop();
        }
    }
}

/** Whether a record of the feed has never been changed since it was created. */
export function isFresh({ created, modified }) {
    return created?.timestamp !== undefined && created.timestamp === modified?.timestamp;
}
