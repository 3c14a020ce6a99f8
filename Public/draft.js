// What a person changed in a record, and how that meets what others changed meanwhile.

import * as json from "./json.js";

/**
 * Whether two fields say the same. A file's download address is signed anew whenever its record is read, and a receipt
 * is gone once it is saved: neither is a change.
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

/** The `fields` of a PATCH that turns `before` into `after`: changed and new ones with their JSON, removed ones `null`. */
export function difference(before, after) {
    const result = Object.create(null);
    for (const name of names(before, after)) {
        if (!same(before[name], after[name])) result[name] = after[name] ?? null;
    }
    return result;
}

/**
 * The fields in which the person's draft and the server's record are unlike, as
 * `{name, mine, theirs, changedBy: "me" | "them" | "both"}`, seen from the record that was read first.
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

/** The server's fields, with those in `keepMine` taken from the draft. */
export function merge(mine, theirs, keepMine) {
    const result = Object.assign(Object.create(null), theirs);
    for (const name of keepMine) {
        if (mine[name] === undefined) delete result[name];
        else result[name] = mine[name];
    }
    return result;
}
