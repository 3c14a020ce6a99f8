// Accounts by name, with suggestions, for callers that may read accounts.

import * as api from "./api.js";
import { make } from "./dom.js";
import * as router from "./router.js";
import * as scope from "./scope.js";
import * as session from "./session.js";
import * as users from "./users.js";

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

/** The account with this record name, its roles and what it stores; `null` if there is none. */
export async function read(recordName, signal) {
    try {
        return await api.call("GET", api.path("users", recordName), { scope: place(), signal });
    } catch (error) {
        if (error instanceof api.Refusal && error.status === 404) return null;
        throw error;
    }
}

/** The account with this name or record name, as `read` returns it. */
export async function find(text, signal) {
    if (users.isRecordName(text)) return read(text, signal);
    const found = await named(text, signal);
    return found === null ? null : read(found.userRecordName, signal);
}

/** Whether the account has a name of its own. */
export function hasName({ name, isAnonymous, userRecordName }) {
    return isAnonymous !== true && name !== undefined && name !== userRecordName;
}

/** The URL of an account's page. */
export function address(each) {
    return router.address(["users", hasName(each) ? each.name : each.userRecordName]);
}

/** Up to `most` accounts whose names begin with the text. */
export async function suggest(text, most) {
    const query = { limit: String(most), ...(text === "" ? {} : { search: text }) };
    const { users: found } = await api.users(query, { scope: place() });
    return found.filter(hasName);
}

/** A link to an account by its name; the record name until the name is known, and for callers that may not read accounts. */
export function link(recordName) {
    if (!session.covers("manageUsers")) return make("span", { class: "code" }, recordName);
    const element = make("a", { href: router.address(["users", recordName]), title: recordName }, recordName);
    users.nameOf(recordName).then((name) => {
        if (name !== null) element.textContent = name;
    });
    return element;
}
