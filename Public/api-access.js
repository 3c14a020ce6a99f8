// The routes for keys, API tokens, administrators, invitations, webhooks and subscriptions.

import { call, path, Unreadable } from "./api.js";
import * as json from "./json.js";
import * as scope from "./scope.js";

/** What these routes manage belongs to a container and environment, whichever of its databases the console shows. */
function place() {
    const { container, environment } = scope.current();
    return { ...(container && { container }), ...(environment && { environment }) };
}

function here(method, address, { body, query, signal, scope: other } = {}) {
    const content = body === undefined ? {} : { body: json.stringify(body) };
    return call(method, address, { scope: other ?? place(), ...content, ...(query && { query }), signal });
}

/** A list in a response, with the cursor of its next page. */
async function list(address, name, cursor, signal, query = {}) {
    const answer = await here("GET", address, { query: { ...query, ...(cursor === undefined ? {} : { cursor }) }, signal });
    if (!Array.isArray(answer?.[name])) throw new Unreadable();
    return { items: answer[name], cursor: answer.cursor };
}

export const keys = {
    list: (cursor, signal) => list("/keys", "keys", cursor, signal),
    /** `{name, scope, publicKey?, expiresAt?}`. Returns the key with its token. */
    create: (body) => here("POST", "/keys", { body }),
    change: (id, body) => here("PATCH", path("keys", id), { body }),
    /** Returns the key with a new token. The old one stays valid for `overlap`, such as `"1d"`. */
    rotate: (id, overlap) => here("POST", path("keys", id, "rotate"), { body: { overlap } }),
    revoke: (id) => here("DELETE", path("keys", id)),
};

export const cloudKitTokens = {
    list: (cursor, signal) => list("/cloudkit/tokens", "tokens", cursor, signal),
    /** `{name, origins, callback, notes}`. Returns the API token with its text. */
    create: (body) => here("POST", "/cloudkit/tokens", { body }),
    change: (id, body) => here("PATCH", path("cloudkit", "tokens", id), { body }),
    remove: (id) => here("DELETE", path("cloudkit", "tokens", id)),
};

export const administrators = {
    list: (signal) => list("/administrators", "administrators", undefined, signal),
    /** `{name, password, role}` */
    create: (body) => here("POST", "/administrators", { body }),
    /** Some of `{role, password, disabled}`. The sessions of the administrator end. */
    change: (name, body) => here("PATCH", path("administrators", name), { body }),
    remove: (name) => here("DELETE", path("administrators", name)),
    /** The caller's own sessions. */
    sessions: (signal) => list("/administrators/sessions", "sessions", undefined, signal),
    endSession: (id) => here("DELETE", path("administrators", "sessions", id)),
    /** `{password, currentPassword}`. The other sessions of the caller end. */
    changeOwnPassword: (body) => here("PATCH", "/administrators/me", { body }),
};

export const invitations = {
    list: (signal) => list("/invitations", "invitations", undefined, signal),
    /** `{name?, expiresIn?, uses?, roles?}`. Returns the invitation with its token. */
    create: (body) => here("POST", "/invitations", { body }),
    remove: (id) => here("DELETE", path("invitations", id)),
};

/** The names of the custom roles. */
export async function roleNames(signal) {
    const { items } = await list("/roles", "roles", undefined, signal);
    return items.map(({ name }) => name);
}

export const webhooks = {
    list: (signal) => list("/webhooks", "webhooks", undefined, signal),
    read: (id, signal) => here("GET", path("webhooks", id), { signal }),
    /** `{url, description, types?, fields?, where?, args?, since}` for the zone in `zone`. Returns the webhook with its secret. */
    create: (body, zone) => here("POST", "/webhooks", { body, scope: { ...place(), ...zone } }),
    change: (id, body) => here("PATCH", path("webhooks", id), { body }),
    remove: (id) => here("DELETE", path("webhooks", id)),
    async deliveries(id, signal) {
        const answer = await here("GET", path("webhooks", id, "deliveries"), { signal });
        if (!Array.isArray(answer?.deliveries)) throw new Unreadable();
        return answer.deliveries;
    },
    /** Sends a message without records. Returns the attempt. */
    test: (id) => here("POST", path("webhooks", id, "test")),
    pause: (id) => here("POST", path("webhooks", id, "pause")),
    resume: (id) => here("POST", path("webhooks", id, "resume")),
    /** `since` is `beginning`, `now` or the token of a message. */
    replay: (id, since) => here("POST", path("webhooks", id, "replay"), { query: { since } }),
    /** Returns the webhook with a new secret. The old one also signs for `overlap`. */
    rotate: (id, overlap) => here("POST", path("webhooks", id, "secret"), { body: { overlap } }),
};

export const subscriptions = {
    /** Those of all accounts, each with `by: {kind, name}`. */
    everyone: (cursor, signal) => list("/subscriptions", "subscriptions", cursor, signal, { everyone: "true" }),
    /** The caller's own subscriptions in the database of the scope. */
    async list(signal) {
        const answer = await call("GET", "/subscriptions", { signal });
        if (!Array.isArray(answer?.subscriptions)) throw new Unreadable();
        return { items: answer.subscriptions };
    },
    remove: (id) => call("DELETE", path("subscriptions", id)),
};
