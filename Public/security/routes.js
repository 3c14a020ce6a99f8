// The calls of the rooms “Security” and “Accounts”. Roles, grants and accounts belong to a container and environment, not to a
// database.

import * as api from "../api.js";
import * as json from "../json.js";
import * as scope from "../scope.js";

function place() {
    const { container, environment } = scope.current();
    return { ...(container && { container }), ...(environment && { environment }) };
}

/** The custom roles, `[{name, members: [record name or "role:" and a name]}]`, sorted by name. */
export async function roles(signal) {
    const answer = await api.call("GET", "/roles", { scope: place(), signal });
    return Array.isArray(answer?.roles) ? answer.roles : [];
}

export function role(name, signal) {
    return api.call("GET", api.path("roles", name), { scope: place(), signal });
}

/** Creates a role with these members. If it exists, the server rejects this. Returns the role. */
export function createRole(name, members = []) {
    return api.call("PUT", api.path("roles", name), {
        scope: place(), body: json.stringify({ members }), headers: { "If-None-Match": "*" },
    });
}

export function deleteRole(name) {
    return api.call("DELETE", api.path("roles", name), { scope: place() });
}

/** Adds or removes a member: a record name, or `role:` and a name. Returns the role. */
export function setMember(role, member, isMember) {
    return api.call(isMember ? "PUT" : "DELETE", api.path("roles", role, "members", member), { scope: place() });
}

/** The grants of a type with their tag: `{grants, tag}`. */
export async function grants(type, signal) {
    const { answer, tag } = await api.call("GET", api.path("grants", type), { scope: place(), signal, isTagged: true });
    return { grants: answer.grants, tag };
}

/** Replaces the grants of a type, if nobody has changed them since. */
export function putGrants(type, content, tag) {
    return api.call("PUT", api.path("grants", type), {
        scope: place(), body: json.stringify({ grants: content }), headers: api.ifMatch(tag),
    });
}

/** The schema document with its tag: `{document, tag}`. */
export async function schema(signal) {
    const { answer, tag } = await api.call("GET", "/schema", { scope: place(), signal, isTagged: true });
    return { document: answer, tag };
}

/** Replaces the schema, with all rights in it, if nobody has changed it since. */
export function putSchema(document, tag) {
    return api.call("PUT", "/schema", { scope: place(), body: json.stringify(document), headers: api.ifMatch(tag) });
}

/** Why a caller can or cannot do something: `{decision, rule, roles, because: [{rule, allowed, reason}]}`. */
export function explain(question, options) {
    return api.call("POST", "/explain/access", { body: json.stringify(question), ...options });
}

/** Sets `{password?, disabled?}` of an account. Returns the account. */
export function changeUser(recordName, change) {
    return api.call("PATCH", api.path("users", recordName), { scope: place(), body: json.stringify(change) });
}

/** The sessions of an account: `{items: [{id, label?, createdTimestamp, usedTimestamp, expiresAt}]}`. */
export async function sessions(recordName, signal) {
    const { sessions: items } = await api.call("GET", api.path("users", recordName, "sessions"), { scope: place(), signal });
    return { items };
}

export function endSession(recordName, id) {
    return api.call("DELETE", api.path("users", recordName, "sessions", id), { scope: place() });
}

export function endSessions(recordName) {
    return api.call("DELETE", api.path("users", recordName, "sessions"), { scope: place() });
}

export function removeUser(recordName) {
    return api.call("DELETE", api.path("users", recordName), { scope: place() });
}

/** Creates an account. The server signs it in; that session is ended at once, because nobody needs it. Returns the account. */
export async function createUser(name, password) {
    const { user, token } = await api.call("POST", "/users", {
        scope: place(), body: json.stringify({ name, password, label: "Console" }),
    });
    await api.call("DELETE", "/sessions/current", {
        scope: place(), isAnonymous: true, headers: { Authorization: `Bearer ${token}` },
    }).catch(() => {});
    return user;
}

/** What all accounts together use: `{records, bytes, assetBytes, limits?}`; `undefined` for callers without an answer. */
export async function usage(signal) {
    return (await api.call("GET", "/users/me", { scope: place(), signal }))?.usage;
}
