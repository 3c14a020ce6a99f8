// The database that the console looks at: container, environment, database, owner and zone. This scope is the query of the
// page's own address, so it can be bookmarked; an absent key leaves the choice to the server's configuration.

/** What stands before the paths of routes: empty, or `/fog` where a proxy serves the server below a path. */
export const base = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

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

/** Loads the console anew with another scope in its address, at the first page. Does nothing if the scope is the same. */
export function change(values) {
    const query = new URLSearchParams();
    for (const key of keys) {
        const value = (values[key] ?? "").trim();
        if (value !== "") query.set(key, value);
    }
    if (query.toString() === new URLSearchParams(current()).toString()) return;
    location.assign(`${location.pathname}?${query}#/`);
}

/** Whether the scope is the one that the server's configuration chooses. */
export function isDefault() {
    return Object.keys(current()).length === 0;
}

/** The console's address with that scope. */
export function defaultAddress() {
    return `${location.pathname}#/`;
}

/** Whether the console looks into somebody's private database. Grants do not apply there. */
export function isPrivate() {
    return current().database === "private";
}
