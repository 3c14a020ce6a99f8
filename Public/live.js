// The change feed as it happens, for apps in browsers and in Node.js. This module needs no other file, so you can copy it.
//
//     import { follow } from "./live.js";
//
//     for await (const event of follow({ url: "https://data.example.org", types: ["Post"], since: "now" })) {
//         if (event.type === "change") show(event.record);
//     }
//
// The stream is read with `fetch`, since the browsers' `EventSource` can send no token. A broken connection is opened again
// and continues where it was: no change is missed or repeated. The manual's page “Syncing” describes the events.

const silence = 45_000; // milliseconds; the server sends something at least every 15 seconds
const firstDelay = 1_000; // milliseconds
const longestDelay = 30_000; // milliseconds
const longestPause = 3_600_000; // milliseconds; timers of browsers fire at once after more than 24 days
const largestEvent = 32 << 20; // UTF-16 code units; a record has at most 8 MiB of text

/** What these functions use of their surroundings. Tests replace it. */
export const surroundings = {
    fetch: (...request) => fetch(...request),
    setTimeout: (...timer) => setTimeout(...timer),
    clearTimeout: (timer) => clearTimeout(timer),
    random: Math.random,
    document: globalThis.document, // undefined outside of pages
};

/**
 * An error of the server. The message, `code` and `details` are those of the response or of the event `end`, which has no
 * `status`.
 */
export class FeedError extends Error {
    constructor(answer, status) {
        super(answer?.reason ?? `The server, or a proxy in front of it, responded with ${status}.`);
        this.name = "FeedError";
        this.status = status;
        this.code = answer?.serverErrorCode;
        this.details = answer?.details ?? {};
        this.retryAfter = answer?.retryAfter; // seconds
    }

    /** Whether the same request may succeed later. */
    get isTemporary() {
        return ["THROTTLED", "TRY_AGAIN_LATER", "INTERNAL_ERROR"].includes(this.code)
            || this.status >= 500 || this.status === 429 || this.status === 408;
    }

    /** Whether the server no longer accepts the sync token. */
    get isOfSyncToken() {
        return ["TOKEN_EXPIRED", "TOKEN_INVALID"].includes(this.details.cause);
    }
}

/**
 * Follows a change feed until `signal` is aborted. Yields events:
 *
 * - `{type: "change", record, token}`: a record in its current state, or `{recordName, recordType, deleted: true}`
 * - `{type: "leave", record, token}`: with `where`, `{recordName, recordType}` no longer matches, or cannot be read any more
 * - `{type: "caughtup", token}`: all changes up to now have been delivered; once for each connection
 * - `{type: "reset", reason}`: drop all records; the feed starts from the beginning
 * - `{type: "disconnected", error, delay}`: the next attempt to connect follows after `delay` milliseconds
 *
 * While the page is hidden, the stream is closed: browsers open only six connections to one server over HTTP/1.1, for all pages
 * together. It goes on where it was when the page is shown again.
 *
 * A `token` is the position after its event. Save it to continue later with `since`.
 *
 * Throws `FeedError` if the server rejects the request or ends the feed, and a new attempt would not help: for example,
 * `AUTHENTICATION_FAILED` after a sign-out.
 *
 * @param {object} options
 * @param {string} [options.url] The server's URL, also with a path; by default the page's origin.
 * @param {string|null|function} [options.token] The token of a session or an API key, or a function that returns it or a
 *   promise of it before each connection. Without a token, the caller is anonymous.
 * @param {string[]} [options.types] The record types; by default all.
 * @param {string[]} [options.fields] The fields that records have; by default all.
 * @param {string} [options.where] A predicate. It requires exactly one type.
 * @param {Array} [options.args] The values for `%@` in `where`.
 * @param {string} [options.since] A sync token, or `"now"`; by default, the feed starts with all records.
 * @param {boolean} [options.whileHidden] Whether to keep the stream while the page is hidden.
 * @param {AbortSignal} [options.signal] Ends the feed without an error.
 * @param {string} [options.database] `"private"` for the caller's own database; also `container`, `environment`, `zone` and
 *   `owner`, as in the URLs of other requests.
 */
export async function* follow(options = {}, system = surroundings) {
    const { signal } = options;
    let since = options.since ?? "";
    let lastID = "";
    let retry = 0; // milliseconds
    let failures = 0;
    const moveTo = (id) => { if (id !== lastID) [since, lastID] = ["", id]; };
    while (!signal?.aborted) {
        const sight = options.whileHidden ? { signal, end() {} } : await whileVisible(signal, system);
        if (signal?.aborted) return sight.end();
        const parser = new EventParser(lastID);
        let problem = new Error("The server has ended the stream.");
        const request = await streamRequest(options, since, lastID).catch((error) => {
            sight.end();
            throw error;
        });
        try {
            for await (const events of receive(request, parser, sight.signal, system)) {
                for (const event of events) {
                    const known = understand(event);
                    failures = 0;
                    if (event.type === "reset") since = "";
                    if (known !== null) yield known;
                    if (signal?.aborted) return;
                    moveTo(event.lastID);
                }
                moveTo(parser.lastID); // An id may come without an event.
            }
        } catch (error) {
            problem = error;
        } finally {
            sight.end();
        }
        if (signal?.aborted) return;
        if (sight.signal?.aborted) continue; // The page was hidden.
        if (problem instanceof FeedError) {
            if (problem.isOfSyncToken && (lastID !== "" || since !== "")) {
                [since, lastID] = ["", ""];
                yield { type: "reset", reason: problem.message };
                continue;
            }
            if (!problem.isTemporary) throw problem;
        }
        retry = parser.retry ?? retry;
        const delay = delayAfter(failures, Math.max(retry, (problem.retryAfter ?? 0) * 1_000), system);
        failures += 1;
        yield { type: "disconnected", error: problem, delay };
        await pause(delay, signal, system);
    }
}

/**
 * The milliseconds to wait after some failures in a row: what the server asks for, and a random time that grows with each
 * failure. (Exponential backoff with full jitter.)
 */
export function delayAfter(failures, asked, { random } = surroundings) {
    return Math.min(longestPause, asked + random() * Math.min(longestDelay, firstDelay * 2 ** failures));
}

/** Waits, but not longer than until the signal is aborted. */
export function pause(milliseconds, signal, { setTimeout, clearTimeout } = surroundings) {
    return new Promise((resolve) => {
        const end = () => {
            clearTimeout(timer);
            signal?.removeEventListener("abort", end);
            resolve();
        };
        const timer = setTimeout(end, milliseconds);
        signal?.addEventListener("abort", end);
        if (signal?.aborted) end();
    });
}

/**
 * Waits until the page is visible or the signal is aborted. Returns a signal that is aborted when the page is hidden, or with
 * `signal`; `end()` removes its listeners. Outside of pages, the signal is `signal`.
 */
async function whileVisible(signal, { document }) {
    if (document === undefined) return { signal, end() {} };
    const controller = new AbortController();
    let shown;
    const visible = new Promise((resolve) => { shown = resolve; });
    const change = () => {
        if (signal?.aborted || (document.hidden && shown === undefined)) controller.abort();
        if (shown === undefined || (document.hidden && !signal?.aborted)) return;
        shown();
        shown = undefined;
    };
    document.addEventListener("visibilitychange", change);
    signal?.addEventListener("abort", change);
    change();
    await visible;
    return { signal: controller.signal, end() {
        document.removeEventListener("visibilitychange", change);
        signal?.removeEventListener("abort", change);
    } };
}

/** The stream's request. Errors in the options are thrown here. */
async function streamRequest(options, since, lastID) {
    const { types = [], fields, where, args = [] } = options;
    const request = await makeRequest(options, "/changes", [
        ...types.map((type) => ["type", type]), ["fields", fields?.join(",")], ["where", where],
        ...args.map((value) => ["arg", JSON.stringify(value)]), ["since", since === "" ? undefined : since],
    ]);
    request.headers.set("Accept", "text/event-stream");
    if (lastID !== "") request.headers.set("Last-Event-ID", lastID);
    return request;
}

/** The URL and header fields of a request, from the options of `follow` and further parameters: `[name, value]`. */
export async function makeRequest(options, path, parameters) {
    const { url = globalThis.location?.origin, token } = options;
    const scope = ["container", "environment", "database", "zone", "owner"].map((name) => [name, options[name]]);
    const query = new URLSearchParams([...scope, ...parameters].filter(([, value]) => value !== undefined));
    const caller = typeof token === "function" ? await token() : token;
    return {
        address: new URL(`${url.replace(/\/$/, "")}${path}?${query}`),
        headers: new Headers(caller ? { Authorization: `Bearer ${caller}` } : {}),
    };
}

/** Opens one connection, and yields lists of server-sent events until it ends. Throws `FeedError` and errors of `fetch`. */
async function* receive({ address, headers }, parser, signal, system) {
    const connection = new AbortController();
    const close = () => connection.abort(signal.reason);
    signal?.addEventListener("abort", close);
    if (signal?.aborted) close();
    let timer;
    const watch = () => {
        timer = system.setTimeout(() => connection.abort(new Error("The server has been silent for 45 seconds.")), silence);
    };
    try {
        watch();
        const response = await system.fetch(address, { headers, cache: "no-store", signal: connection.signal });
        const type = response.headers.get("Content-Type") ?? "";
        if (response.status !== 200) throw await rejection(response);
        if (!type.startsWith("text/event-stream")) {
            throw new FeedError({ reason: `The response is not an event stream, but ${type || "of no type"}.` }, 200);
        }
        const reader = response.body.getReader();
        for (;;) {
            const { done, value } = await reader.read();
            system.clearTimeout(timer);
            if (done) return;
            // The time until the app takes the next event is not the server's.
            yield parser.parse(value);
            watch();
        }
    } finally {
        system.clearTimeout(timer);
        signal?.removeEventListener("abort", close);
        connection.abort();
    }
}

/** The error of a response. */
export async function rejection(response) {
    const answer = await response.json().catch(() => undefined); // A proxy may respond with an HTML page.
    const retryAfter = Number(response.headers.get("Retry-After") ?? undefined);
    return new FeedError({ ...(Number.isFinite(retryAfter) ? { retryAfter } : {}), ...answer }, response.status);
}

/** The event as `follow` yields it; `null` for events of later versions of the server. Throws the error of `end`. */
function understand({ type, data, lastID: token }) {
    switch (type) {
    case "end": throw new FeedError(JSON.parse(data));
    case "change": case "leave": return { type, record: JSON.parse(data), token };
    case "caughtup": return { type, token };
    case "reset": return { type, reason: JSON.parse(data).reason };
    default: return null;
    }
}

/**
 * A parser of server-sent events (WHATWG HTML, “Interpreting an event stream”). The stream may be split into pieces at any
 * byte. An event that the stream has not completed when it ends does not count.
 */
export class EventParser {
    /** The id with which to continue; empty if there is none. It counts once the blank line after it has arrived. */
    lastID;
    /** The milliseconds to wait before the next connection, if the stream has given a time. */
    retry;
    #decoder = new TextDecoder(); // It removes a byte order mark.
    #line = ""; // what has arrived of the current line
    #endedWithCR = false;
    #type = "";
    #data = "";
    #id;
    #limit;

    /** `lastID` is the id after which the stream starts, `limit` the largest event in UTF-16 code units. */
    constructor(lastID = "", limit = largestEvent) {
        this.lastID = this.#id = lastID;
        this.#limit = limit;
    }

    /** Returns the events `{type, data, lastID}` that these bytes complete. Throws `FeedError` if one is too large. */
    parse(bytes) {
        let text = this.#decoder.decode(bytes, { stream: true });
        if (text === "") return []; // The piece ended inside a character.
        if (this.#endedWithCR && text.startsWith("\n")) text = text.slice(1);
        this.#endedWithCR = text.endsWith("\r");
        const lines = text.split(/\r\n|\r|\n/);
        lines[0] = this.#line + lines[0];
        this.#line = lines.pop();
        const events = [];
        for (const line of lines) {
            this.#check(line);
            if (line === "") this.#endEvent(events);
            else this.#take(line);
        }
        this.#check(this.#line);
        return events;
    }

    #check(line) {
        if (this.#data.length + line.length > this.#limit) throw new FeedError({ reason: "An event is too large." });
    }

    #take(line) {
        // A line that begins with a colon is a comment: its empty name is unknown.
        const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line);
        switch (name) {
        case "event": this.#type = value; break;
        case "data": this.#data += value + "\n"; break;
        case "id": if (!value.includes("\0")) this.#id = value; break;
        case "retry": if (/^[0-9]+$/.test(value)) this.retry = Number(value); break;
        }
    }

    #endEvent(events) {
        this.lastID = this.#id;
        if (this.#data !== "") {
            events.push({ type: this.#type || "message", data: this.#data.slice(0, -1), lastID: this.lastID });
        }
        this.#type = this.#data = "";
    }
}
