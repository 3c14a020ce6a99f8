// The log of requests without its page: conditions and URLs, groups, and the question why a request was denied.

import * as router from "./router.js";
import { identifierStem } from "./session.js";

/** The conditions of the log for the server. */
const sent = ["status", "actor", "path", "request"];
/** The conditions of the log in its URL. `console` is `true` if the log has the requests of the console, too. */
export const conditions = [...sent, "console"];

/** The conditions in the query of the URL, without empty ones. */
export function fromAddress(query) {
    return Object.fromEntries(conditions.map((key) => [key, (query.get(key) ?? "").trim()]).filter(([, value]) => value !== ""));
}

/** The URL of the log with conditions. */
export function address(filter = {}) {
    return router.address(["logs"], Object.fromEntries(conditions.filter((key) => filter[key]).map((key) => [key, filter[key]])));
}

/** Whether conditions are set. The choice about the console's requests is none. */
export function isFiltered(filter) {
    return sent.some((key) => filter[key]);
}

/** The URL of the log without conditions, with the same choice about the console's requests. */
export function unfiltered({ console: shows }) {
    return address({ console: shows });
}

/** The conditions for the server. */
export function serverQuery(filter) {
    return Object.fromEntries(sent.filter((key) => filter[key]).map((key) => [key, filter[key]]));
}

/** Whether a console sent the request. The server keeps the identifier that a client sends. */
export function isOfConsole({ request }) {
    return String(request).startsWith(identifierStem);
}

/** Whether the log leaves out the console's own requests. The one with a certain identifier is shown in any case. */
export function hidesConsole({ console: shows, request }) {
    return shows !== "true" && request === undefined;
}

/**
 * Reads pages of the log until `most` of its entries pass `test`, or the log ends. `ask(cursor)` returns a page. Returns
 * `{entries, left, latest, cursor?}`: the entries that pass, how many before the last of them do not, and the number of the latest one.
 */
export async function collect(ask, test, most, cursor) {
    const entries = [];
    let [left, before, latest, next] = [0, 0, null, cursor];
    do {
        const page = await ask(next);
        next = page.cursor;
        // Requests that end while the server reads its log are in the page although their number is higher.
        latest ??= Math.max(Number(page.latest), ...page.requests.map(({ id }) => Number(id)));
        for (const entry of page.requests) {
            if (!test(entry)) {
                left += 1;
            } else if (entries.length < most) {
                entries.push(entry);
                before = left;
            } else {
                return { entries, left: before, latest, cursor: String(entries.at(-1).id) };
            }
        }
    } while (entries.length < most && next !== undefined);
    return { entries, left, latest, cursor: next };
}

/** A part of a path as clients send it: a name such as `sea 1` is `sea%201` there. */
export function sentPath(text) {
    return /%[0-9a-f]{2}/i.test(text) ? text : encodeURI(text);
}

/** The path for people: without escapes, if they can be read. */
export function readable(path) {
    try {
        return decodeURIComponent(path);
    } catch {
        return path;
    }
}

/** The sender for the conditions of the log; an empty text for senders without a name. */
export function senderOf({ actor }) {
    return actor === undefined || actor.kind === "anonymous" ? "" : actor.name ?? "";
}

/** The condition without which a log would leave out this entry. */
export function sameSide(entry) {
    return isOfConsole(entry) ? { console: "true" } : {};
}

/** The part of a route before its first parameter: `/records/`. */
function beginning(route) {
    return /\s(\/[^{]*)/.exec(route)?.[1] ?? "";
}

/** The conditions that find requests with the same sender, route and status. */
export function likeThis(entry) {
    return { status: String(entry.status), actor: senderOf(entry), path: beginning(String(entry.route)), ...sameSide(entry) };
}

/** The requests by sender, route and status: `[{first, count}]`, the most frequent first. `first` is the latest of its group. */
export function grouped(list) {
    const groups = new Map();
    for (const entry of list) {
        const sender = senderOf(entry) || `${entry.actor?.kind ?? ""} ${entry.address}`;
        const key = JSON.stringify([sender, entry.route, String(entry.status)]);
        const group = groups.get(key);
        if (group === undefined) groups.set(key, { first: entry, count: 1 });
        else {
            group.count += 1;
            if (Number(entry.timestamp) > Number(group.first.timestamp)) group.first = entry;
        }
    }
    return [...groups.values()].sort((one, other) => other.count - one.count
        || Number(other.first.timestamp) - Number(one.first.timestamp));
}

/** Whether a response may be the result of missing permissions; a record that the caller may not read is not found. */
function isDenial({ status, error }) {
    return ["401", "403", "404"].includes(String(status)) && error?.serverErrorCode !== "AUTHENTICATION_FAILED";
}

const methods = { GET: "read", HEAD: "read", PUT: "write", PATCH: "write", DELETE: "write" };

/** The caller of a question, as `POST /explain/access` takes it; `null` if the log does not tell. */
function subject({ actor, status }) {
    if (actor === undefined) return String(status) === "401" ? "anonymous" : null;
    switch (actor.kind) {
    case "anonymous": return "anonymous";
    case "user": return actor.name;
    case "key": return `key:${actor.name}`;
    default: return null; // The log has the name of an administrator, and questions need the role.
    }
}

/**
 * The question whether the sender may do what the request asked for: `{user, type, record, action}`; `null` if method and path do not
 * tell. The record's name is empty for a request about a type.
 */
export function question(entry) {
    if (!isDenial(entry)) return null;
    const user = subject(entry);
    const [, kind, parameters] = /^[A-Z]+ \/(records|query)\/\{type\}((?:\/\{\w+\})*)$/.exec(entry.route) ?? [];
    if (user === null || kind === undefined) return null;
    // The server may be served below a path, so the names are counted from the end.
    const names = entry.path.split("/").slice(-1 - parameters.split("/").length + 1);
    const [type, record = ""] = names;
    if (names.some((name) => name.startsWith("{"))) return null; // The names of private records are for owners only.
    const action = kind === "records" && record === "" && entry.method === "POST" ? "create" : methods[entry.method];
    if (action === undefined) return null;
    return { user, type: readable(type), record: readable(record), action };
}

/** Whether a query was rejected because it needs an index. The reason names the route that adds one. */
export function needsIndex({ error }) {
    return /\/schema\/types\/\S+\/indexes/.test(error?.reason ?? "");
}

/** The URL of the page that answers the question. */
export function whyAddress(asked) {
    return router.address(["security", "why"], Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== "")));
}
