// What an API key may do: `{types?, actions, rights}`. The server's short form `readOnly` is never in its responses.

import { t, tn } from "./words.js";

/** The actions on records, and the rights, with a sentence for each. */
export const actions = new Map([
    ["read", t("Read records and files")],
    ["create", t("Create records")],
    ["write", t("Change and delete records")],
]);
export const rights = new Map([
    ["readSchema", t("See types, fields, indexes and grants")],
    ["changeSchema", t("Change types, fields and indexes")],
    ["readRights", t("See grants and roles, and explain access")],
    ["changeRights", t("Change grants and roles")],
    ["manageUsers", t("Manage accounts and invitations")],
    ["manageKeys", t("Create, change and revoke keys")],
    ["manageWebhooks", t("Manage webhooks")],
    ["manageSchedules", t("Manage schedules")],
    ["readMetrics", t("Read the metrics of the server")],
]);
const shortActions = new Map([["read", t("read")], ["create", t("create")], ["write", t("write")]]);

/** A scope for a request. `types` is `null` for all types. */
export function built({ types, actions: doing, rights: having }) {
    return {
        ...(types === null ? {} : { types }),
        actions: doing,
        ...(having.length === 0 ? {} : { rights: having }),
    };
}

/** `read, create · Post, Author`; an empty text if the scope has no actions. */
export function recordsText({ types, actions: doing = [] }) {
    if (doing.length === 0) return "";
    const what = [...shortActions].filter(([action]) => doing.includes(action)).map(([, title]) => title).join(", ");
    return `${what} · ${types === undefined ? t("all types") : types.length === 0 ? t("no type yet") : types.join(", ")}`;
}

/** A scope in one line. */
export function text(scope) {
    const having = scope.rights ?? [];
    return [recordsText(scope), having.length === 0 ? "" : tn("{count} right", "{count} rights", having.length)]
        .filter((part) => part !== "").join(" · ");
}

/** The same with the names of all rights. */
export function fullText(scope) {
    const having = scope.rights ?? [];
    const ordered = [...rights.keys()].filter((right) => having.includes(right));
    return [recordsText(scope), [...new Set([...ordered, ...having])].join(", ")].filter((part) => part !== "").join("; ");
}

/** What a caller can give to a key: a key gives no more than it has. `types` is `null` for all of them. */
export function grantable(caller) {
    if (caller === null || caller.isAdministrator === true) {
        return { types: null, actions: [...actions.keys()], rights: [...rights.keys()] };
    }
    const { types = null, actions: doing = [], rights: having = [] } = caller.scope ?? {};
    return { types, actions: doing, rights: [...rights.keys()].filter((right) => having.includes(right)) };
}
