// The record types as the server last returned them, shared by the pages.

import * as api from "./api.js";
import { normalized } from "./fields/types.js";

const freshness = 2_000; // milliseconds

let types = [];
let lastAsked = 0;
let lastTaken = 0;
let loadedAt = -Infinity;
const listeners = new Set();

/** Loads the schema again and calls the listeners. A late older response does not replace a newer one. */
export async function load(options) {
    const asked = lastAsked += 1;
    const loaded = await api.schema(options);
    if (asked < lastTaken) return types;
    lastTaken = asked;
    types = loaded;
    loadedAt = performance.now();
    listeners.forEach((listener) => listener());
    return types;
}

/** Loads the schema unless it has just come, as at the start of the console. */
export function recent(options) {
    return performance.now() - loadedAt < freshness ? Promise.resolve(types) : load(options);
}

export function all() {
    return types;
}

export function forget() {
    types = [];
    loadedAt = -Infinity;
    lastTaken = lastAsked + 1; // Responses that are still under way belong to the caller who signed out.
    lastAsked = lastTaken;
    listeners.clear();
}

export function listen(listener) {
    listeners.add(listener);
}

/** The type of that name, or one without fields, indexes and grants: a type is created by its first record. */
export function type(name) {
    return types.find((each) => each.name === name)
        ?? { name, fields: {}, indexes: [], grants: {}, acl: null, aclRequired: false, isNew: true };
}

/** The fields of a type, as a `Map` from name to type name. */
export function fields(name) {
    const entries = Object.entries(type(name).fields);
    return new Map(entries.map(([field, { type: typeName }]) => [field, normalized(String(typeName))]));
}

/** Whether the schema has all these fields of the type; if not, it has grown since it was loaded. */
export function covers(name, fieldNames) {
    const known = fields(name);
    return fieldNames.every((field) => known.has(field));
}
