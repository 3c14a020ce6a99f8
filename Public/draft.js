// The user's changes of a record, and how they combine with changes by others.

import * as json from "./json.js";

/**
 * Whether two fields are equal. A file's download URL is signed again at each read of its record, and a receipt
 * disappears when it is saved: neither is a change.
 */
function same(one, other) {
    return json.same(lasting(one), lasting(other));
}

function lasting(value) {
    if (value === null || typeof value !== "object" || value instanceof json.ExactNumber) return value;
    if (Array.isArray(value)) return value.map(lasting);
    const passing = "fileChecksum" in value ? ["downloadURL", "receipt"] : [];
    return Object.fromEntries(Object.entries(value).filter(([key]) => !passing.includes(key))
        .map(([key, part]) => [key, lasting(part)]));
}

function names(...objects) {
    return [...new Set(objects.flatMap((object) => Object.keys(object)))];
}

/** The `fields` of a PATCH that turns `before` into `after`: changed and new fields with their JSON, removed ones with `null`. */
export function difference(before, after) {
    const result = Object.create(null);
    for (const name of names(before, after)) {
        if (!same(before[name], after[name])) result[name] = after[name] ?? null;
    }
    return result;
}

/**
 * The fields that differ between the user's draft and the server's record, as
 * `{name, mine, theirs, changedBy: "me" | "them" | "both"}`, compared with the record that was read first.
 */
export function disagreements(base, mine, theirs) {
    return names(mine, theirs)
        .filter((name) => !same(mine[name], theirs[name]))
        .map((name) => {
            const byMe = !same(base[name], mine[name]);
            const byThem = !same(base[name], theirs[name]);
            return { name, mine: mine[name], theirs: theirs[name], changedBy: byMe && byThem ? "both" : byMe ? "me" : "them" };
        });
}

/** The server's fields, but those in `keepMine` from the draft. */
export function merge(mine, theirs, keepMine) {
    const result = Object.assign(Object.create(null), theirs);
    for (const name of keepMine) {
        if (mine[name] === undefined) delete result[name];
        else result[name] = mine[name];
    }
    return result;
}
