// The names of accounts next to their record names, for callers that may read accounts.

import * as api from "./api.js";
import { make } from "./dom.js";
import * as scope from "./scope.js";
import * as session from "./session.js";

/** The maximum number of pages of 1000 accounts that are read to find names. Beyond it, only record names are shown. */
const mostPages = 5;

const pattern = /^_[0-9a-f]{32}$/;
let names = new Map(); // record name → name
let pages = 0;
let cursor;
let reading = null;

export function forget() {
    names = new Map();
    [pages, cursor, reading] = [0, undefined, null];
}

/** Whether a text is a user's record name. */
export function isRecordName(text) {
    return pattern.test(text);
}

/** The record name of the account with this name in this container and environment, or `null`. */
export async function find(name, place) {
    const { users } = await api.users({ name }, { scope: place });
    return users[0]?.userRecordName ?? null;
}

/** The name of the account with this record name; `null` if it has none, is deleted, or may not be read. */
export async function nameOf(recordName) {
    if (!isRecordName(recordName) || !session.covers("manageUsers")) return null;
    try {
        while (!names.has(recordName) && pages < mostPages && (pages === 0 || cursor !== undefined)) {
            reading ??= readPage().finally(() => { reading = null; });
            await reading;
        }
    } catch {
        return null; // The record name is enough.
    }
    return names.get(recordName) ?? null;
}

async function readPage() {
    const { container, environment } = scope.current();
    const answer = await api.users({ limit: "1000", ...(cursor === undefined ? {} : { cursor }) },
        { scope: { ...(container && { container }), ...(environment && { environment }) } });
    for (const { userRecordName, name } of answer.users) if (name !== undefined) names.set(userRecordName, name);
    cursor = answer.cursor;
    pages += 1;
}

/** A user for display: the record name, preceded by the account name once it is known. */
export function userText(recordName) {
    const element = make("span", { class: "user" }, recordName);
    nameOf(recordName).then((name) => {
        if (name !== null) element.replaceChildren(make("strong", {}, name), " ", make("span", { class: "code" }, recordName));
    });
    return element;
}
