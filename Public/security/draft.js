// The rights of a type as the console edits them: grants, rights of fields, and the access list of new records. Changes are
// listed before they are saved, each can be undone, and they are applied to what the server has then.

import { rightTitle, roleTitle } from "./titles.js";
import { t } from "../words.js";

export const rights = ["CREATE", "READ", "WRITE"];
export const builtIn = ["_world", "_icloud", "_creator"];

const sortedRights = (words) => rights.filter((right) => words.includes(right));
const listWords = ["read", "write"];
const listRights = (words) => listWords.filter((word) => (Array.isArray(words) ? words.includes(word) : words?.[word] === true));
const isEqual = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function listOf(acl) {
    return acl === null || acl === undefined ? null
        : Object.fromEntries(Object.entries(acl).map(([principal, words]) => [principal, listRights(words)]));
}

/** The rights in the schema's entry of a type: `{grants, fields: {name: {read, write}}, list, isRequired}`; `null` is “not set”. */
export function read(entry) {
    return {
        grants: Object.fromEntries(Object.entries(entry.grants ?? {}).map(([role, words]) => [role, sortedRights(words)])),
        fields: Object.fromEntries(Object.entries(entry.fields ?? {})
            .map(([name, field]) => [name, { read: field.read ?? null, write: field.write ?? null }])),
        list: listOf(entry.acl),
        isRequired: entry.aclRequired === true,
    };
}

export function copy(draft) {
    return structuredClone(draft);
}

/** Whether a role has a right by a grant of its own. */
export function has(draft, role, right) {
    return (draft.grants[role] ?? []).includes(right);
}

export function setGrant(draft, role, right, isGiven) {
    const words = (draft.grants[role] ?? []).filter((each) => each !== right);
    const now = sortedRights(isGiven ? [...words, right] : words);
    if (now.length === 0) delete draft.grants[role];
    else draft.grants[role] = now;
}

/** The built-in role through which a role has a right anyway: everyone, or signed-in users; `null` if there is none. */
export function through(draft, role, right) {
    const wider = role === "_world" ? [] : role === "_icloud" ? ["_world"] : ["_world", "_icloud"];
    return wider.find((each) => has(draft, each, right)) ?? null;
}

/** The differences between two states, in the order of the page. */
export function changes(before, after) {
    const found = [];
    const roles = [...new Set([...builtIn, ...Object.keys(before.grants), ...Object.keys(after.grants)])];
    for (const role of roles) {
        for (const right of rights) {
            const isGiven = has(after, role, right);
            if (isGiven !== has(before, role, right)) found.push({ kind: "grant", role, right, isGiven });
        }
    }
    for (const [field, now] of Object.entries(after.fields)) {
        for (const action of ["read", "write"]) {
            const from = before.fields[field]?.[action] ?? null;
            if (!isEqual(from, now[action])) found.push({ kind: "field", field, action, from, to: now[action] });
        }
    }
    if ((before.list === null) !== (after.list === null)) {
        found.push({ kind: "list", from: before.list, to: after.list });
    } else if (after.list !== null) {
        for (const principal of new Set([...Object.keys(before.list), ...Object.keys(after.list)])) {
            const [from, to] = [before.list[principal] ?? null, after.list[principal] ?? null];
            if (!isEqual(from, to)) found.push({ kind: "entry", principal, from, to });
        }
    }
    if (before.isRequired !== after.isRequired) found.push({ kind: "required", isOn: after.isRequired });
    return found;
}

function setEntry(draft, principal, words) {
    draft.list ??= {};
    if (words === null) delete draft.list[principal];
    else draft.list[principal] = words;
}

/** Makes one change in a state. */
export function make(draft, change) {
    switch (change.kind) {
    case "grant": setGrant(draft, change.role, change.right, change.isGiven); break;
    // A field that was removed in the meantime needs no rights.
    case "field": if (draft.fields[change.field] !== undefined) draft.fields[change.field][change.action] = change.to; break;
    case "list": draft.list = structuredClone(change.to); break;
    case "entry": setEntry(draft, change.principal, change.to); break;
    case "required": draft.isRequired = change.isOn; break;
    default: throw new RangeError(change.kind);
    }
}

/** Takes one change back. */
export function undo(draft, change) {
    switch (change.kind) {
    case "grant": case "required": make(draft, { ...change, isGiven: !change.isGiven, isOn: !change.isOn }); break;
    default: make(draft, { ...change, to: change.from });
    }
}

/** Writes a state into the schema's entry of the type. Keys that are not set become `null`, which removes them. */
export function write(entry, draft) {
    entry.grants = draft.grants;
    for (const [name, field] of Object.entries(entry.fields ?? {})) {
        const { read: readers, write: writers } = draft.fields[name] ?? { read: null, write: null };
        Object.assign(field, { read: readers, write: writers });
    }
    entry.acl = draft.list;
    entry.aclRequired = draft.isRequired;
}

/** Whether all changes are of grants, for which the schema need not be written. */
export function areGrants(list) {
    return list.every(({ kind }) => kind === "grant");
}

/** The roles of a field for people; `null` means that the rights of the type decide. */
export function rolesText(roles) {
    if (roles === null) return t("as the type");
    return roles.length === 0 ? t("Administrators only") : roles.map(roleTitle).join(", ");
}

/** A principal of an access list for people. `names` has the names of accounts by their record names. */
export function principalTitle(principal, names = new Map()) {
    if (principal === "*") return t("everyone");
    if (principal === "_creator") return t("creator");
    return principal.startsWith("role:") ? principal.slice(5) : names.get(principal) ?? principal;
}

function wordsText(words) {
    return words.length === 0 ? t("no right") : words.map((word) => rightTitle(word.toUpperCase())).join(", ");
}

function listText(list, names) {
    return Object.entries(list).map(([principal, words]) => `${principalTitle(principal, names)}: ${wordsText(words)}`).join(" · ");
}

/** A change for people: `+ read: everyone`. */
export function sentence(change, names) {
    switch (change.kind) {
    case "grant": {
        const values = { right: rightTitle(change.right), role: roleTitle(change.role) };
        return change.isGiven ? t("{role} gets: {right}", values) : t("{role} loses: {right}", values);
    }
    case "field": {
        const values = { field: change.field, roles: rolesText(change.to) };
        return change.action === "read" ? t("{field} is read by: {roles}", values) : t("{field} is written by: {roles}", values);
    }
    case "list": return change.to === null ? t("New records begin without an access list")
        : t("New records begin with the access list {list}", { list: listText(change.to, names) || "{ }" });
    case "entry": {
        const principal = principalTitle(change.principal, names);
        return change.to === null ? t("List of new records: without {principal}", { principal })
            : t("List of new records: {principal}: {rights}", { principal, rights: wordsText(change.to) });
    }
    default: return change.isOn ? t("Each new record needs an access list") : t("New records need no access list");
    }
}

/** What a change opens to many, as a sentence; `null` for other changes. */
export function warning(change) {
    if (change.kind !== "grant" || !change.isGiven) return null;
    switch (`${change.role} ${change.right}`) {
    case "_world WRITE": return t("Everyone, even without an account, could change and delete every record.");
    case "_world CREATE": return t("Everyone, even without an account, could create records.");
    case "_icloud WRITE": return t("Every account could change and delete every record.");
    default: return null;
    }
}
