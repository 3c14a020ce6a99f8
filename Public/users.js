// The names of accounts and keys next to their record names, for callers that may read them.

import * as api from "./api.js";
import { make } from "./dom.js";
import * as router from "./router.js";
import * as scope from "./scope.js";
import * as session from "./session.js";
import { t } from "./words.js";

/** The maximum number of pages of 1000 accounts that are read to find names. Beyond it, each name is read by itself. */
const mostPages = 5;

const pattern = /^_[0-9a-f]{32}$/;
let names = new Map(); // record name → name
let pages = 0;
let cursor;
let reading = null;
let keys = null; // a promise of record name → name of the key

/** The callers that have no account, as records name them. */
export const others = new Map([
    ["_administrator", t("administrator")], ["_anonymous", t("anonymous")], ["_deleted", t("deleted account")],
]);

/** The same in a sentence or a table, where it is not known which administrator it was. */
function otherTitle(recordName) {
    return recordName === "_administrator" ? t("an administrator") : others.get(recordName);
}

export function forget() {
    names = new Map();
    [pages, cursor, reading, keys] = [0, undefined, null, null];
}

/** Whether a text is a user's record name. */
export function isRecordName(text) {
    return pattern.test(text);
}

/** The record name of the account with this name in this container and environment, or `null`. */
export async function find(name, place = ownPlace()) {
    const { users } = await api.users({ name }, { scope: place });
    return users[0]?.userRecordName ?? null;
}

/** The name of the account or key with this record name; `null` if it has none, is deleted, or may not be read. */
export async function nameOf(recordName) {
    if (others.has(recordName)) return otherTitle(recordName);
    if (!isRecordName(recordName)) return null;
    try {
        while (session.covers("manageUsers") && !names.has(recordName) && isIncomplete()) await readNext();
        return names.get(recordName) ?? (await readKeys()).get(recordName) ?? await readOne(recordName);
    } catch {
        return null; // The record name is enough.
    }
}

/** The name of an account beyond those that are read in pages; `null` if there is none. */
async function readOne(recordName) {
    if (!session.covers("manageUsers") || !isCut()) return null;
    const { name, isAnonymous } = await api.call("GET", api.path("users", recordName), { scope: ownPlace() });
    const found = isAnonymous === true ? null : name;
    names.set(recordName, found);
    return found;
}

/** Whether there are more accounts than are read in pages. */
function isCut() {
    return pages >= mostPages && cursor !== undefined;
}

/** The accounts with names, oldest first, as far as they are read: at least the first page. A `Map` from record name to name. */
export async function accounts() {
    if (session.covers("manageUsers") && pages === 0) await readNext();
    return names;
}

function isIncomplete() {
    return pages < mostPages && (pages === 0 || cursor !== undefined);
}

function readNext() {
    reading ??= readPage().finally(() => { reading = null; });
    return reading;
}

/** Accounts belong to a container and environment, and to no database in it. */
function ownPlace() {
    const { container, environment } = scope.current();
    return { ...(container && { container }), ...(environment && { environment }) };
}

async function readPage() {
    const answer = await api.users({ limit: "1000", ...(cursor === undefined ? {} : { cursor }) }, { scope: ownPlace() });
    for (const { userRecordName, name } of answer.users) if (name !== undefined) names.set(userRecordName, name);
    cursor = answer.cursor;
    pages += 1;
}

/** Records that a key creates have the key's own account as their creator. */
function readKeys() {
    if (!session.covers("manageKeys")) return new Map();
    keys ??= api.keys({ limit: "1000" }, { scope: ownPlace() })
        .then((answer) => new Map((answer?.keys ?? []).map(({ userRecordName, name }) => [userRecordName, t("key {name}", { name })])));
    return keys;
}

/** A user for display: the record name, preceded by the account name once it is known. */
export function userText(recordName) {
    const element = make("span", { class: "user" }, recordName);
    nameOf(recordName).then((name) => {
        if (name !== null) element.replaceChildren(make("strong", {}, name), " ", make("span", { class: "code" }, recordName));
    });
    return element;
}

/** A user in a sentence: the name, or the record name until it is known, with a link to the account, or for others to the user's record. */
export function userLink(recordName) {
    if (!isRecordName(recordName)) return make("span", { class: "user", title: recordName }, otherTitle(recordName) ?? recordName);
    const page = session.covers("manageUsers") ? ["users", recordName] : ["types", "Users", "record", recordName];
    const element = make("a", { class: "user", href: router.address(page), title: recordName }, recordName);
    nameOf(recordName).then(async (name) => {
        if (name === null) return;
        element.textContent = name;
        // The account of a key has no page of its own.
        if (!names.has(recordName) && (await readKeys()).has(recordName)) element.href = router.address(["keys"]);
    });
    return element;
}
