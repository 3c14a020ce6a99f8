// All calls to the server go through this module: URLs, token, exact JSON, and one error type for the views.

import { connection } from "./connection.js";
import * as json from "./json.js";
import * as scope from "./scope.js";
import * as session from "./session.js";
import { t } from "./words.js";

const patience = 60_000; // milliseconds

/** What the user can do about a status, or `null` if the server's own sentence is enough. */
function advice(status) {
    switch (status) {
    case 401: return t("Your session has ended. Sign in again; your input on this page is kept.");
    case 403: return session.adviceOnForbidden();
    case 404: return t("Not found: it may have been deleted, or be in another database.");
    case 410: return t("The position of this page has expired. Start again from the first page.");
    case 413: return t("This exceeds the server's size limit. Shorten it, or split it into several records.");
    case 429: return t("Too many requests in a short time. Wait a moment, then try again.");
    case 502: case 503: case 504: return t("The server is not ready. Nothing is lost: try again shortly.");
    case 507: return t("The server's disk is full. Make room there, then try again.");
    default: return status >= 500 ? t("This is a server error. The server's log has details under the identifier.") : null;
    }
}

/** An error response. `code`, `reason`, `uuid` and `details` come from the server. */
export class Refusal extends Error {
    constructor(status, answer, requestID) {
        const known = answer !== null && typeof answer === "object" && !Array.isArray(answer) ? answer : {};
        super(typeof known.reason === "string" && known.reason !== ""
            ? known.reason
            : t("The server, or a proxy in front of it, responded with {status} and no explanation.", { status }));
        this.advice = advice(status);
        this.name = "Refusal";
        this.status = status;
        this.code = typeof known.serverErrorCode === "string" ? known.serverErrorCode : `HTTP ${status}`;
        this.uuid = typeof known.uuid === "string" ? known.uuid : requestID;
        this.details = known.details;
        this.retryAfter = known.retryAfter;
        this.serverRecord = known.serverRecord;
    }
}

/** No response. It is unknown whether a write took place. */
export class Unreachable extends Error {
    constructor(cause) {
        super(t("The server did not answer. Check that it is running and that you are connected, then try again."), {
            cause,
        });
        this.name = "Unreachable";
    }
}

/** Whether the server gave no response, or only a proxy in front of it did. */
export function isUnreachable(error) {
    return error instanceof Unreachable
        || (error instanceof Refusal && [502, 503, 504].includes(error.status) && error.code === `HTTP ${error.status}`);
}

/** A successful response that is not JSON. */
export class Unreadable extends Error {
    constructor(cause) {
        super(t("The server's response could not be read. Is another program listening at this address?"), { cause });
        this.name = "Unreadable";
    }
}

/** A path from raw segments. The names `.` and `..` are not allowed: browsers would resolve them as directories. */
export function path(...segments) {
    for (const segment of segments) {
        if (segment === "" || segment === "." || segment === "..") {
            throw new RangeError(t("“{name}” cannot be a name.", { name: segment }));
        }
    }
    return "/" + segments.map(encodeURIComponent).join("/");
}

let renewal = async () => false;
let renewing = null;

/**
 * Sets the function that lets the user sign in again. `ask()` returns whether the user has signed in. A call that was rejected with
 * 401 is then sent once more.
 */
export function renewWith(ask) {
    renewal = ask;
}

/** Asks for a new sign-in, once for all calls that need it. */
export function renew() {
    renewing ??= renewal().finally(() => { renewing = null; });
    return renewing;
}

/** A call that requires a signed-in caller. */
export async function call(method, address, options = {}) {
    try {
        return await send(method, address, options);
    } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 401 || !(await renew())) throw error;
        options.signal?.throwIfAborted();
        return send(method, address, options);
    }
}

/**
 * `isAnonymous` omits the cookie. `scope` replaces the scope of the page's URL. `isText` returns the text as it is, and `isTagged`
 * `{answer, tag}` with the entity tag. `read(response)` reads the body of a response that is no error, and takes as long as it takes.
 */
async function send(method, address, options = {}) {
    const { query = {}, headers = {}, body, signal, isAnonymous = false, read } = options;
    const parameters = new URLSearchParams([...Object.entries(options.scope ?? scope.current()), ...new URLSearchParams(query)]).toString();
    const heads = new Headers({
        Accept: "application/json", ...(isAnonymous ? {} : { ...session.identified(), ...session.heads }), ...headers,
    });
    if (body !== undefined && !heads.has("Content-Type")) heads.set("Content-Type", "application/json");

    let response, text, content;
    try {
        response = await fetch(scope.base + address + (parameters === "" ? "" : "?" + parameters), {
            method, headers: heads, body,
            credentials: isAnonymous ? "omit" : "same-origin", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer",
            signal: read === undefined ? deadline(signal) : signal,
        });
        if (read !== undefined && response.ok) content = await read(response);
        else text = await response.text();
        // A response that arrived before the page was left is discarded too.
        signal?.throwIfAborted();
    } catch (error) {
        if (signal?.aborted) throw signal.reason;
        connection.lost();
        throw new Unreachable(error);
    }

    const answered = (answer) => (options.isTagged ? { answer, tag: tagOf(response) } : answer);
    if (response.ok) connection.reached();
    if (content !== undefined) return content;
    if (options.isText && response.ok) return answered(text);
    let answer;
    try {
        answer = text === "" ? undefined : json.parse(text);
    } catch (error) {
        if (response.ok) throw new Unreadable(error);
        answer = null;
    }
    if (!response.ok) {
        const refusal = new Refusal(response.status, answer ?? null, response.headers.get("X-Request-ID"));
        if (isUnreachable(refusal)) connection.lost();
        else connection.reached();
        throw refusal;
    }
    return answered(answer);
}

/** The entity tag of a response without its quotes; proxies that compress make it a weak one. */
function tagOf(response) {
    return /^(?:W\/)?"(.*)"$/.exec(response.headers.get("ETag") ?? "")?.[1];
}

/**
 * Sends a request as it is, in no scope but that of `query`, and returns the response whatever its status:
 * `{status, headers: [[name, value]], milliseconds, text, size}`. `text` is `null` for content that is no text.
 */
export async function exchange(method, address, { query = [], headers = {}, body, signal } = {}) {
    const parameters = new URLSearchParams(query).toString();
    const start = performance.now();
    try {
        const response = await fetch(scope.base + address + (parameters === "" ? "" : "?" + parameters), {
            method, body, headers: { Accept: "application/json, */*;q=0.5", ...headers, ...session.heads },
            credentials: "same-origin", cache: "no-store", referrerPolicy: "no-referrer", signal: deadline(signal),
        });
        const content = await response.blob();
        const isText = /json|text|xml/.test(response.headers.get("Content-Type") ?? "text");
        const milliseconds = performance.now() - start;
        const text = isText ? await content.text() : null;
        return { status: response.status, headers: [...response.headers], milliseconds, text, size: content.size };
    } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw new Unreachable(error);
    }
}

/** A signal for `fetch` that aborts on the caller's signal or after `patience`. */
function deadline(signal) {
    const timeout = AbortSignal.timeout(patience);
    if (signal === undefined) return timeout;
    // AbortSignal.any is newer than the other features that the console needs; without it there is no timeout.
    return typeof AbortSignal.any === "function" ? AbortSignal.any([signal, timeout]) : signal;
}

/** An idempotency key for a write. `crypto.randomUUID` needs HTTPS; this function does not. */
export function newKey() {
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const ifMatch = (tag) => (tag === undefined ? {} : { "If-Match": `"${tag}"` });

/** The label of the sessions of administrators who sign in here. */
const label = "Console";

/** Administrators belong to no scope, so a scope that does not exist must not prevent their sign-in. */
async function inAnyScope(ask) {
    try {
        return await ask({});
    } catch (error) {
        if (!(error instanceof Refusal) || ![400, 404].includes(error.status)) throw error;
        return ask({ scope: {} });
    }
}

/** Signs in with a token, which the server turns into a cookie. Returns the caller, as `who` does. */
export function signIn(token) {
    return inAnyScope((options) => send("POST", "/_/session", { ...options, body: json.stringify({ token }) }));
}

/** Signs in an administrator by name. The session belongs to the console, and `signOut` ends it. */
export async function signInByName(name, password) {
    const { token } = await send("POST", "/administrators/sessions", {
        scope: {}, isAnonymous: true, body: json.stringify({ name, password, label }),
    });
    return signIn(token);
}

/** Makes the first administrator of the server with the code of the link that the server printed. */
export function addFirstAdministrator(code, name, password) {
    return send("POST", "/administrators/first", {
        scope: {}, isAnonymous: true, body: json.stringify({ code, name, password }),
    });
}

/** Ends a session that was started here, and always deletes the cookie. */
export async function signOut() {
    try {
        if (session.isByName()) {
            const { sessions } = await send("GET", "/administrators/sessions", { scope: {} });
            const isOurs = sessions.some((each) => each.isCurrent === true && each.label === label);
            if (isOurs) await send("DELETE", "/administrators/sessions/current", { scope: {} });
        }
    } finally {
        await send("DELETE", "/_/session", { scope: {} });
    }
}

/** Creates an account by an invitation, and ends the session that comes with it: the app has its own sign-in. */
export async function signUp(name, password, invitation) {
    const options = { isAnonymous: true };
    const { token } = await send("POST", "/users", { ...options, body: json.stringify({ name, password, invitation }) });
    await send("DELETE", "/sessions/current", { ...options, headers: { Authorization: `Bearer ${token}` } }).catch(() => {});
}

/** The signed-in caller, `{name, isAdministrator, role?, scope?}`; `undefined` if there is none. */
export function who(signal) {
    return inAnyScope((options) => send("GET", "/_/session", { ...options, signal }));
}

/** A page of accounts, or the accounts with one name: `{users: [{userRecordName, name?, roles}], cursor?}`. */
export async function users(query, options) {
    const answer = await call("GET", "/users", { ...options, query });
    if (!Array.isArray(answer?.users)) throw new Unreadable();
    return answer;
}

/** The current schema document: `{types: {name: {fields, indexes, grants}}}`. */
export async function schemaDocument(options) {
    const answer = await call("GET", "/schema", options);
    if (answer === undefined || typeof answer.types !== "object" || answer.types === null) throw new Unreadable();
    return answer;
}

/** Adds an index to a type: `{fields, unique?}`. Returns the index with its state. `options.scope` names another environment. */
export function addIndex(type, index, options) {
    return call("POST", path("schema", "types", type, "indexes"), { ...options, body: json.stringify(index) });
}

/** Replaces the schema with the document. Returns the new schema. */
export function putSchema(document) {
    return call("PUT", "/schema", { body: json.stringify(document) });
}

/**
 * The types as `[{name, fields: {name: {type, indexes?, read?, write?}}, indexes, grants: {role: [right]}, acl, aclRequired}]`, sorted
 * by name.
 */
export async function schema(options) {
    const { types } = await schemaDocument(options);
    return Object.entries(types)
        .map(([name, type]) => ({
            name, fields: type.fields ?? {}, indexes: type.indexes ?? [], grants: type.grants ?? {}, acl: type.acl ?? null,
            aclRequired: type.aclRequired === true,
        }))
        .sort((one, other) => one.name.localeCompare(other.name));
}

/** The most expensive recent queries; `options.scope` names another environment: `[{recordType, where, sort, count, refused, milliseconds, index?: [column]}]`. */
export async function schemaAdvice(signal, options) {
    const answer = await call("GET", "/schema/advice", { ...options, signal });
    return Array.isArray(answer?.advice) ? answer.advice : [];
}

/** The definition of a type with the state of its indexes: `{name, fields, indexes}`. */
export async function schemaType(name, signal) {
    const type = await call("GET", path("schema", "types", name), { signal });
    return { name, fields: type?.fields ?? {}, indexes: type?.indexes ?? [] };
}

/** The server's limits by name: `{assetBytes, recordBytes, …}`. */
export function limits(signal) {
    return call("GET", "/limits", { signal });
}

/** The current numbers, as text for Prometheus. */
export function metrics(signal) {
    return call("GET", "/metrics", { isText: true, signal });
}

/** Whether the server takes writes; throws with the reason if not. */
export function ready(signal) {
    return call("GET", "/health/ready", { signal });
}

/** The newest jobs, or the unfinished ones: `[{id, kind, state, done, total?, task?, created}]`. */
export async function jobs(query, signal) {
    const answer = await call("GET", "/jobs", { query, signal });
    return Array.isArray(answer?.jobs) ? answer.jobs : [];
}

export function job(id) {
    return call("GET", path("jobs", id));
}

export function cancelJob(id) {
    return call("POST", path("jobs", id, "cancel"));
}

/** Whether the scope is in production, where a type that does not exist is 404; in development it has no records. */
async function isProduction() {
    try {
        await call("GET", path("records", "Fogbase_none"), { query: { limit: "1" }, scope: environmentScope() });
        return false;
    } catch (error) {
        if (error instanceof Refusal && error.status === 404 && error.details?.recordType !== undefined) return true;
        throw error;
    }
}

let asking = null;

/** The environment of the scope, also if the URL does not name it. */
export async function environment() {
    if (scope.environment() !== null) return scope.environment();
    asking ??= isProduction().finally(() => { asking = null; });
    scope.setEnvironment(await asking ? "production" : "development");
    return scope.environment();
}

function environmentScope() {
    const { container } = scope.current();
    return container === undefined ? {} : { container };
}

/** About how many records of a type match: `{value, relation: "exact" | "estimate" | "atLeast"}`. */
export async function total(type, signal) {
    const answer = await call("POST", "/query", {
        body: json.stringify({ recordType: type, limit: 1, fields: [], total: "estimate" }), signal,
    });
    return answer?.total;
}

/** One page of the records of a type: `{records, cursor?}`. */
export async function list(type, cursor, limit, signal) {
    const query = { limit: String(limit), ...(cursor === undefined ? {} : { cursor }) };
    const answer = await call("GET", path("records", type), { query, signal });
    if (!Array.isArray(answer?.records)) throw new Unreadable();
    return answer;
}

/**
 * One page of the records that match a predicate: `{records, cursor?, count?, total?, notices?, plan?}`. The query is that of `POST
 * /query`. `as` is the user whose response is wanted. That a guest must sign in is part of it, and no reason to ask for a password here.
 */
export async function query(content, signal, as) {
    const ask = as === undefined ? call : send;
    const answer = await ask("POST", "/query", { body: json.stringify(content), signal, query: as === undefined ? {} : { as } });
    if (!Array.isArray(answer?.records)) throw new Unreadable();
    return answer;
}

/** The groups of the records that match a predicate: `{groups: [{key, values}], moreGroups?, plan?}`. */
export async function groups(content, signal) {
    const answer = await call("POST", "/query", { body: json.stringify(content), signal });
    if (!Array.isArray(answer?.groups)) throw new Unreadable();
    return answer;
}

/** A page of the zones of the database in the scope, by a cursor: `{zones: [{zoneName}], cursor?}`. */
export async function zones(cursor, signal) {
    const { zone, ...database } = scope.current();
    const query = { limit: "100", ...(cursor === undefined ? {} : { cursor }) };
    const answer = await call("GET", "/zones", { query, scope: database, signal });
    if (!Array.isArray(answer?.zones)) throw new Unreadable();
    return answer;
}

/**
 * Deletes the records that match a predicate, or with `fields` changes them: `{matched, deleted, updated, skipped}`. `dryRun` only
 * counts them. With `isJob` the server does it as a job, and the result is the job.
 */
export function changeSet(type, where, { fields, isJob = false, idempotencyKey, ...options }) {
    return call(fields === undefined ? "DELETE" : "PATCH", path("query", type), {
        query: { where, ...options },
        body: fields === undefined ? undefined : json.stringify({ fields }),
        headers: {
            ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
            ...(isJob ? { Prefer: "respond-async" } : {}),
        },
    });
}

/** How many records match now, `{matched}`, of those with `{where, args?}` or of all with `{all: true}`. */
export function countMatches(type, { where, args = [], all = false }) {
    const query = new URLSearchParams(all ? { all: "true" } : { where });
    for (const each of args) query.append("arg", json.stringify(each));
    query.append("dryRun", "true");
    return call("DELETE", path("query", type), { query });
}

export function read(type, name, signal) {
    return call("GET", path("records", type, name), { signal });
}

/** Which decision the server takes, and why: `{decision, rule, because: [{rule, allowed, reason}]}`. The question is that of the route. */
export function explainAccess(question, signal) {
    return call("POST", "/explain/access", { body: json.stringify(question), signal });
}

/** The custom roles: `[{name, members}]`. */
export async function roles(signal) {
    const answer = await call("GET", "/roles", { signal });
    return Array.isArray(answer?.roles) ? answer.roles : [];
}

/** A page of API keys: `{keys: [{name, userRecordName}], cursor?}`. */
export function keys(query, options) {
    return call("GET", "/keys", { ...options, query });
}

/** The content of a file by its signed URL. */
export async function file(address, signal) {
    try {
        const response = await fetch(new URL(address, location.origin), { credentials: "omit", redirect: "error", signal });
        if (!response.ok) throw new Refusal(response.status, null, response.headers.get("X-Request-ID"));
        return await response.blob();
    } catch (error) {
        if (error instanceof Refusal || signal?.aborted) throw error;
        throw new Unreachable(error);
    }
}

/** Creates a record. A repeated call with the same key and content does not create a second one. */
export function create(type, content, idempotencyKey) {
    return call("POST", path("records", type), {
        body: json.stringify(content), headers: { "Idempotency-Key": idempotencyKey },
    });
}

export function change(type, name, content, tag) {
    return call("PATCH", path("records", type, name), { body: json.stringify(content), headers: ifMatch(tag) });
}

export function remove(type, name, tag) {
    return call("DELETE", path("records", type, name), { headers: ifMatch(tag) });
}
