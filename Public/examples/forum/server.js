// Every call to the server goes through here: its address, the token, JSON, and two kinds of errors.

import * as session from "./session.js";

const patience = 30_000; // milliseconds

/** Where the server is that has served this file, below a proxy's path if there is one. A copy elsewhere is at its origin. */
const home = /^(.*)\/_\/examples\/forum\/server\.js$/.exec(new URL(import.meta.url).pathname)?.[1] ?? "";

/** Where the server is. On another origin than the page's, its setting `cors.origins` must name the page's. */
export const server = document.querySelector("meta[name='fogbase']").content.replace(/\/$/, "") || location.origin + home;

/** An answer that says no. The message, `code` and `details` are the server's own words. */
export class Refusal extends Error {
    constructor(status, answer) {
        super(answer?.reason ?? `The server, or something in front of it, has answered ${status}.`);
        this.status = status;
        this.code = answer?.serverErrorCode;
        this.details = answer?.details ?? {};
        this.retryAfter = answer?.retryAfter; // seconds
        this.serverRecord = answer?.serverRecord;
    }
}

/** No answer, or none that can be read. Nobody knows whether a write has taken place. */
export class Unreachable extends Error {
    constructor(cause) {
        super("The server does not answer.", { cause });
    }
}

/** A path from names, which may have any character in them. */
export function path(...names) {
    return "/" + names.map(encodeURIComponent).join("/");
}

/** The heads of a call: who sends it, and what is expected. */
export function heads(token, others = {}) {
    return { Accept: "application/json", ...(token === null ? {} : { Authorization: `Bearer ${token}` }), ...others };
}

/** Sends a call, and answers the JSON that comes. Throws `Refusal` or `Unreachable`, or why the signal has ended it. */
export async function call(method, path, { body, headers, signal } = {}) {
    const token = session.token();
    const type = body === undefined ? {} : { "Content-Type": "application/json" };
    const signals = [AbortSignal.timeout(patience), ...(signal === undefined ? [] : [signal])];
    let response, text;
    try {
        response = await fetch(server + path, {
            method, headers: heads(token, { ...type, ...headers }), body: JSON.stringify(body),
            // The token says who calls. Cookies of this origin, if there are any, are not the forum's.
            credentials: "omit", cache: "no-store", signal: AbortSignal.any(signals),
        });
        text = await response.text();
    } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw new Unreachable(error);
    }
    return understand(response.status, text, token);
}

/** The JSON of an answer to a call with this token; a refusal is thrown. */
export function understand(status, text, token) {
    let answer;
    try {
        answer = text === "" ? undefined : JSON.parse(text);
    } catch (error) {
        // Something in front of the server may answer with a page for people.
        if (status < 400) throw new Unreachable(error);
    }
    if (status < 400) return answer;
    // The token is dead, and reading goes on as a guest. Any other 401 says that it has not the right.
    if (status === 401 && answer?.serverErrorCode === "AUTHENTICATION_FAILED" && token !== null) session.end(token);
    throw new Refusal(status, answer);
}
