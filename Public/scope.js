// The database that the console shows: container, environment, database, owner and zone. This scope is the query of the
// page's own URL, so it can be bookmarked. For an absent key, the server's configuration decides.

/** The prefix of all route paths: empty, or `/fog` if a proxy serves the server below a path. */
export const base = /^(.*)\/_\//.exec(new URL(import.meta.url).pathname)?.[1] ?? "";

export const keys = ["container", "environment", "database", "owner", "zone"];

/** The scope as an object with only the keys that are set. */
export function current() {
    const query = new URLSearchParams(location.search);
    const scope = {};
    for (const key of keys) {
        const value = (query.get(key) ?? "").trim();
        if (value !== "") scope[key] = value;
    }
    return scope;
}

/** The console's URL with another scope, at the page `page` (a part after `#`). */
export function address(values, page = "#/") {
    return `${location.pathname}?${new URLSearchParams(values)}${page}`;
}

/** Reloads the console with another scope in its URL, at the page `place` (a part after `#`). Does nothing if the scope is the same. */
export function change(values, place = "#/") {
    const query = new URLSearchParams();
    for (const key of keys) {
        const value = (values[key] ?? "").trim();
        if (value !== "") query.set(key, value);
    }
    if (query.toString() === new URLSearchParams(current()).toString()) return;
    location.assign(`${location.pathname}?${query}${place}`);
}

/** Whether the scope is the server's default. */
export function isDefault() {
    return Object.keys(current()).length === 0;
}

/** The console's URL with that scope. */
export function defaultAddress() {
    return `${location.pathname}#/`;
}

let named = current().environment ?? null;

/** The environment of the scope, or `null` while it is unknown which one is the server's default. */
export function environment() {
    return named;
}

/** Keeps the environment once it is known. */
export function setEnvironment(name) {
    named = name;
}

/** The name of the zone that each database has. */
export const defaultZone = "_defaultZone";

/** The zone that the console shows. */
export function zone() {
    return current().zone ?? defaultZone;
}

/** The console's URL with another zone of the same database, at the page `place` (a part after `#`). */
export function zoneAddress(name, place = "#/") {
    const { zone: _, ...database } = current();
    const query = new URLSearchParams({ ...database, ...(name === defaultZone ? {} : { zone: name }) });
    return `${location.pathname}?${query}${place}`;
}

/** The console's URL with the public database of an environment of the same container, at the page `place` (a part after `#`). */
export function environmentAddress(name, place = "#/") {
    const { container } = current();
    const query = new URLSearchParams({ ...(container === undefined ? {} : { container }), environment: name });
    return `${location.pathname}?${query}${place}`;
}

/** Whether the console shows a private database. Grants do not apply there. */
export function isPrivate() {
    return current().database === "private";
}
