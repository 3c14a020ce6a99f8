// The calls for the whole schema: reading it as JSON or text, checking and replacing it, promotion and rollback.

import { addIndex, call, ifMatch, Unreadable } from "./api.js";
import { columns } from "./indexes.js";
import * as json from "./json.js";
import * as scope from "./scope.js";
import { t } from "./words.js";

const textType = "text/x-ckdb";

/** The scope of an environment of the current container. */
export function place(environment) {
    const { container } = scope.current();
    return { ...(container === undefined ? {} : { container }), environment };
}

/** The schema with its entity tag: `{types: {name: {fields, indexes, grants}}, tag}`. `options.scope` names another environment. */
export async function read(options) {
    const { answer, tag } = await call("GET", "/schema", { ...options, isTagged: true });
    if (answer === undefined || typeof answer.types !== "object" || answer.types === null) throw new Unreadable();
    return { types: answer.types, tag };
}

/** The schema in the schema language: `{text, tag}`. */
export async function readText(options) {
    const { answer, tag } = await call("GET", "/schema", { ...options, headers: { Accept: textType }, isText: true, isTagged: true });
    return { text: answer, tag };
}

/** The part of an entity tag that changes with the schema, but not with the progress of indexes. */
export function version(tag) {
    return tag?.split(".")[0];
}

/** Gives a field another type. While there are records, INT64 can become DOUBLE, which the server checks in the background. */
export function changeField(type, field, wanted) {
    return call("PATCH", `/schema/types/${encodeURIComponent(type)}/fields/${encodeURIComponent(field)}`, {
        body: json.stringify({ type: wanted }),
    });
}

/** Gives a field another name. Requests with its earlier name are rejected from then on. */
export function renameField(type, field, name) {
    return call("PATCH", `/schema/types/${encodeURIComponent(type)}/fields/${encodeURIComponent(field)}`, {
        body: json.stringify({ name }),
    });
}

/** Gives a type another name. Requests with its earlier name are rejected from then on. */
export function renameType(type, name) {
    return call("PATCH", `/schema/types/${encodeURIComponent(type)}`, { body: json.stringify({ name }) });
}

function query({ isDryRun = false, keepsRights = false }) {
    return { ...(isDryRun ? { dryRun: "true" } : {}), ...(keepsRights ? { rights: "keep" } : {}) };
}

/** The response to a change of the schema; `types` is the schema after it, and absent for callers that may not read it. */
function outcome(answer) {
    return { types: answer?.types, changes: answer?.changes ?? {} };
}

/**
 * Replaces the schema by a text: in the schema language, or in JSON if `isJSON`. A dry run only checks it. With `tag`, the server rejects
 * it if the schema has another one by now.
 */
export async function put(text, { isJSON = false, tag, ...options }) {
    return outcome(await call("PUT", "/schema", {
        query: query(options), body: text, headers: { ...ifMatch(tag), ...(isJSON ? {} : { "Content-Type": textType }) },
        scope: options.scope,
    }));
}

/** Replaces the types of the schema, as `put`. */
export function putTypes(types, options) {
    return put(json.stringify({ types }), { ...options, isJSON: true });
}

/** Adds an index to an environment that another one has: a difference of `lostIndexes`. */
export async function addLost({ type, kind, name, before, lost }, environment) {
    if (kind === "index") {
        await addIndex(type, { fields: columns(name), ...(before === "UNIQUE" && { unique: true }) }, { scope: place(environment) });
        return;
    }
    const { types, tag } = await read({ scope: place(environment) });
    const field = types[type]?.fields?.[name];
    if (field === undefined) throw new Error(t("{environment} has no field {field}.", { environment, field: `${type}.${name}` }));
    field.indexes = [...new Set([...(field.indexes ?? []), ...lost])];
    await putTypes(types, { tag, scope: place(environment) });
}

/** Makes the schema of production that of development. `tag` is that of production. */
export async function promote({ tag, ...options }) {
    return outcome(await call("POST", "/schema/promotion", {
        query: query(options), scope: place("production"), headers: ifMatch(tag),
    }));
}

/** The earlier schemas of an environment, newest first: `[{id, created, before, by?: {kind, name}}]`. */
export async function snapshots(environment, signal) {
    const answer = await call("GET", "/schema/snapshots", { scope: place(environment), signal });
    if (!Array.isArray(answer?.snapshots)) throw new Unreadable();
    return answer.snapshots;
}

/** Brings an earlier schema of an environment back. */
export async function rollBack(environment, snapshot, { tag, ...options }) {
    return outcome(await call("POST", "/schema/rollback", {
        query: query(options), scope: place(environment), headers: ifMatch(tag), body: json.stringify({ snapshot }),
    }));
}
