// All calls to the server go through this module: its URL, the token, JSON, and two kinds of errors.

import * as session from "./session.js";

const patience = 30_000; // milliseconds

/** The URL of the server that has served this file, including a proxy's path. For a copy elsewhere, the origin of that. */
const home = /^(.*)\/_\/examples\/forum\/server\.js$/.exec(new URL(import.meta.url).pathname)?.[1] ?? "";

/** The server's URL. If it has another origin than the page, its setting `cors.origins` must contain the page's origin. */
export const server = document.querySelector("meta[name='fogbase']").content.replace(/\/$/, "") || location.origin + home;

/** An error response. The message, `code` and `details` come from the server. */
export class Refusal extends Error {
    constructor(status, answer) {
        super(answer?.reason ?? `The server, or a proxy in front of it, responded with ${status}.`);
        this.status = status;
        this.code = answer?.serverErrorCode;
        this.details = answer?.details ?? {};
        this.retryAfter = answer?.retryAfter; // seconds
        this.serverRecord = answer?.serverRecord;
    }
}

/** No response, or an unreadable one. It is unknown whether a write took place. */
export class Unreachable extends Error {
    constructor(cause) {
        super("The server does not answer.", { cause });
    }
}

/** A path from names, which may contain any character. */
export function path(...names) {
    return "/" + names.map(encodeURIComponent).join("/");
}

/** The header fields of a request: who sends it, and what is expected. */
export function heads(token, others = {}) {
    return { Accept: "application/json", ...(token === null ? {} : { Authorization: `Bearer ${token}` }), ...others };
}

/** Sends a request and returns the JSON of the response. Throws `Refusal`, `Unreachable`, or the reason of the signal. */
export async function call(method, path, { body, headers, signal } = {}) {
    const token = session.token();
    const type = body === undefined ? {} : { "Content-Type": "application/json" };
    const signals = [AbortSignal.timeout(patience), ...(signal === undefined ? [] : [signal])];
    let response, text;
    try {
        response = await fetch(server + path, {
            method, headers: heads(token, { ...type, ...headers }), body: JSON.stringify(body),
            // The token identifies the caller. Cookies of this origin, if there are any, do not belong to the forum.
            credentials: "omit", cache: "no-store", signal: AbortSignal.any(signals),
        });
        text = await response.text();
    } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw new Unreachable(error);
    }
    return understand(response.status, text, token);
}

/** The JSON of the response to a request with this token. Throws errors. */
export function understand(status, text, token) {
    let answer;
    try {
        answer = text === "" ? undefined : JSON.parse(text);
    } catch (error) {
        // A proxy may respond with an HTML page.
        if (status < 400) throw new Unreachable(error);
    }
    if (status < 400) return answer;
    // The token is invalid, and reading continues as a guest. Any other 401 means a missing permission.
    if (status === 401 && answer?.serverErrorCode === "AUTHENTICATION_FAILED" && token !== null) session.end(token);
    throw new Refusal(status, answer);
}
