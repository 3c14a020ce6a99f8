// A server for tests of `follow`: a list of responses, a clock that never waits, and a random number that is known.

import { FeedError, follow } from "../../Public/live.js";

const silence = 45_000;

/** `responses` are functions that return a `Response`, or throw. A request after the last one fails for good. */
export class ScriptedServer {
    requests = [];
    delays = []; // the pauses between connections, in milliseconds
    alarms = new Set(); // the running timers of silence
    #responses;

    constructor(...responses) {
        this.#responses = responses;
    }

    /** What `follow` takes as its second argument. */
    get system() {
        return {
            random: () => 0.5,
            fetch: async (address, { headers, body, signal }) => {
                this.requests.push({ address, headers: Object.fromEntries(headers), body, signal });
                const next = this.#responses.shift();
                if (next === undefined) throw new FeedError({ reason: "The script has ended." });
                return next(signal);
            },
            setTimeout: (callback, milliseconds) => {
                const timer = { callback };
                if (milliseconds === silence) {
                    this.alarms.add(timer);
                } else {
                    this.delays.push(milliseconds);
                    queueMicrotask(callback);
                }
                return timer;
            },
            clearTimeout: (timer) => this.alarms.delete(timer),
        };
    }

    /** The next events of the feed, up to `count`. The feed is closed afterwards. */
    async read(count, options = {}) {
        const events = [];
        for await (const event of follow({ url: "http://server", ...options }, this.system)) {
            events.push(event);
            if (events.length === count) break;
        }
        return events;
    }
}

/** A stream of these pieces. It ends after them; with `stays`, it is silent until the request is aborted. */
export function stream(pieces, { stays = false, type = "text/event-stream" } = {}) {
    return (signal) => {
        const encoder = new TextEncoder();
        const body = new ReadableStream({
            start(controller) {
                for (const piece of pieces) controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
                if (!stays) controller.close();
                else signal.addEventListener("abort", () => controller.error(signal.reason));
            },
        });
        return new Response(body, { status: 200, headers: type === null ? {} : { "Content-Type": type } });
    };
}

/** An error response of the server. */
export function rejected(status, code, details = {}, headers = {}) {
    const body = JSON.stringify({ serverErrorCode: code, reason: `reason of ${code}`, details });
    return () => new Response(body, { status, headers: { "Content-Type": "application/json", ...headers } });
}

export function record(recordName, fields = {}) {
    return { recordName, recordType: "Post", fields, created: { timestamp: 0 } };
}

export function change(recordName, token, fields) {
    return `event: change\ndata: ${JSON.stringify(record(recordName, fields))}\nid: ${token}\n\n`;
}

export function caughtUp(token) {
    return `event: caughtup\ndata: {"token":"${token}"}\nid: ${token}\n\n`;
}

export function end(code, details = {}) {
    return `event: end\ndata: ${JSON.stringify({ serverErrorCode: code, reason: `reason of ${code}`, details })}\n\n`;
}
