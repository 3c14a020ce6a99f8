// The session is a cookie that no script can read. This tab remembers that somebody was signed in, to explain why the sign-in
// page appears when the session has ended, and what the server said about the caller: name and role.

import { t } from "./words.js";

const key = "fogbase.entered";
let caller = null;
const listeners = new Set();

/** Without this header, the server ignores the cookie, so no other page can use it. */
export const heads = Object.freeze({ "X-Fogbase-Console": "1" });

/** The beginning of the identifiers of the console's own requests. The server keeps the identifier that a client sends. */
export const identifierStem = "console-";

/** The header of an identifier by which the log of requests tells the console's own requests from those of apps. */
export function identified() {
    const digits = [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, "0"));
    return { "X-Request-ID": identifierStem + digits.join("") };
}

/**
 * The rights of each role, as on the manual's page “Securing”. The server decides; the console only hides what
 * would be denied.
 */
const everyone = ["readSchema", "readRights", "readMetrics"];
const developer = [...everyone, "writeRecords", "changeSchema", "changeRights", "manageUsers", "manageKeys", "manageWebhooks",
    "manageSchedules", "readRequests", "readSettings"];
const covered = {
    owner: [...developer, "manageAdministrators", "readAudit", "downloadBackups", "enterPrivate"],
    developer,
    editor: [...everyone, "writeRecords"],
    viewer: everyone,
};

export function wasEntered() {
    return sessionStorage.getItem(key) !== null;
}

/** `who` is the response of `GET /_/session`; `null` while it is unknown. */
export function enter(who) {
    caller = who;
    sessionStorage.setItem(key, "1");
    listeners.forEach((listener) => listener());
}

export function forget() {
    caller = null;
    sessionStorage.removeItem(key);
    sessionStorage.removeItem("fogbase.writes");
    listeners.clear();
}

/** Calls `listener` when somebody else has signed in. */
export function listen(listener) {
    listeners.add(listener);
}

/** `{name, role?, isAdministrator, scope?}`, or `null`. */
export function current() {
    return caller;
}

/** The kind of the caller: the server's own token, a key, or a named administrator. The server's own token has a reserved name. */
export function isByName() {
    return caller?.isAdministrator === true && /^[a-z0-9._@-]+$/.test(caller.name ?? "");
}

/** Whether the caller has a right. If that is unknown, the server decides. */
export function covers(right) {
    if (caller === null) return true;
    if (caller.isAdministrator === true) return covered[caller.role]?.includes(right) ?? true;
    return right === "writeRecords" || caller.scope?.rights?.includes(right) === true;
}

/** The caller's name and role in a few words. */
export function title() {
    if (caller === null) return "";
    const role = caller.isAdministrator === true ? caller.role : t("key");
    return `${caller.name ?? ""} (${role})`;
}

/** Why an action is not offered; `what` completes “does not cover”. */
export function reason(what) {
    return t("You are signed in as {name}, which does not cover {what}.", { name: title(), what });
}

/** What the caller can do after a 403. */
export function adviceOnForbidden() {
    if (caller === null) return t("Sign in as an administrator whose role covers this.");
    if (caller.isAdministrator !== true) {
        return t("The key's scope does not allow this. An administrator can change the scope, or do it instead.");
    }
    return caller.role === "owner" ? t("No role covers this, and you are already an owner: follow the server's message above.")
        : t("You are signed in as {name}. Sign in with a role that covers this, or ask an owner for another role.", { name: title() });
}

/** Whether the text can be sent in an HTTP header. */
export function isPlausible(text) {
    return /^[\x21-\x7e]{1,4096}$/.test(text);
}
