// Accounts by name, with suggestions, for callers that may read accounts.

import * as api from "./api.js";
import { make } from "./dom.js";
import * as router from "./router.js";
import * as scope from "./scope.js";
import * as session from "./session.js";
import * as users from "./users.js";

/** The maximum number of pages of 1000 accounts that are read to find names. Beyond it, only record names are shown. */
const mostPages = 5;
/** After this time the accounts that were read may lack newer ones. */
const lifetime = 30_000; // milliseconds

let accounts = new Map(); // record name → account
let pages = 0;
let cursor;
let reading = null;
let readAt = 0;
let reader = null;

/** Forgets the accounts, after changes and for another caller. */
export function forget() {
    accounts = new Map();
    [pages, cursor, reading] = [0, undefined, null];
    users.forget();
}

/** Container and environment of the page: accounts belong to no single database. */
function place() {
    const { container, environment } = scope.current();
    return { ...(container && { container }), ...(environment && { environment }) };
}

/** The account with this name, or `null`. Names are compared without regard to case. */
async function named(name, signal) {
    const answer = await api.users({ name }, { scope: place(), signal });
    return answer.users[0] ?? null;
}

/** The account with this name or record name; `null` if there is none, or if it is beyond the accounts that are read. */
export async function find(text, signal) {
    if (!users.isRecordName(text)) return named(text, signal);
    const known = await reach(text);
    if (known === null || known.isAnonymous === true) return known;
    return await named(known.name, signal) ?? known;
}

/** Whether the account has a name of its own. */
export function hasName({ name, isAnonymous, userRecordName }) {
    return isAnonymous !== true && name !== undefined && name !== userRecordName;
}

/** The URL of an account's page. */
export function address(each) {
    return router.address(["users", hasName(each) ? each.name : each.userRecordName]);
}

/** Reads on until the account with this record name is found, or `isEnough()`. */
async function reach(recordName, isEnough = () => false) {
    if (reader !== session.current()) forget();
    reader = session.current();
    if (isAll() && !accounts.has(recordName) && Date.now() - readAt > lifetime) forget();
    while (!accounts.has(recordName) && !isEnough() && pages < mostPages && (pages === 0 || cursor !== undefined)) {
        reading ??= readPage().finally(() => { reading = null; });
        await reading;
    }
    return accounts.get(recordName) ?? null;
}

/** Whether all accounts have been read. */
export function isAll() {
    return pages > 0 && cursor === undefined;
}

/** The number of accounts that are searched by parts of names. */
export const mostSearched = mostPages * 1000;

/** Up to `most` accounts whose names begin with the text, then those that contain it. */
export async function suggest(text, most) {
    const wanted = text.toLowerCase();
    await reach("", () => wanted === "" && accounts.size >= most);
    const found = [...accounts.values()].filter((each) => hasName(each) && each.name.toLowerCase().includes(wanted));
    const begins = (each) => each.name.toLowerCase().startsWith(wanted);
    return [...found.filter(begins), ...found.filter((each) => !begins(each))].slice(0, most);
}

/** The name of the account with this record name; `null` if it has none, is deleted, or may not be read. */
export async function nameOf(recordName) {
    if (!users.isRecordName(recordName) || !session.covers("manageUsers")) return null;
    try {
        const found = await reach(recordName);
        return found !== null && hasName(found) ? found.name : null;
    } catch {
        return null; // The record name is enough.
    }
}

async function readPage() {
    const answer = await api.users({ limit: "1000", ...(cursor === undefined ? {} : { cursor }) }, { scope: place() });
    for (const each of answer.users) accounts.set(each.userRecordName, each);
    cursor = answer.cursor;
    pages += 1;
    readAt = Date.now();
}

/** A link to an account by its name; the record name until the name is known, and for callers that may not read accounts. */
export function link(recordName) {
    if (!session.covers("manageUsers")) return make("span", { class: "code" }, recordName);
    const element = make("a", { href: router.address(["users", recordName]), title: recordName }, recordName);
    nameOf(recordName).then((name) => {
        if (name !== null) element.textContent = name;
    });
    return element;
}
