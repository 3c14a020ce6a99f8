// A page as a user sees it: what this user may do with the records that are shown, as the server decides.

import * as access from "../access.js";
import { make } from "../dom.js";
import * as schema from "../schema.js";
import * as users from "../users.js";
import { t, tn, tp } from "../words.js";
import { ask } from "./dialog.js";
import { userInput } from "./user-input.js";

/** Asks for a user. Returns the record name, or `anonymous`; `null` if the question was canceled. */
export async function chooseUser() {
    let chosen = "";
    const problem = make("p", { class: "problem", role: "alert" });
    const box = userInput({
        value: "", label: t("Account"), further: [["anonymous", t("anonymous")]], changed: (recordName) => { chosen = recordName; },
    });
    async function settle(close) {
        await box.settled();
        problem.textContent = chosen === "" ? t("Enter the name of an account.") : "";
        if (chosen === "") box.control.focus();
        else close("see");
    }
    let settleNow;
    const answer = await ask({
        title: t("See as a user"),
        content: (close) => {
            settleNow = () => settle(close);
            return make("form", { onsubmit: (event) => {
                event.preventDefault();
                settleNow();
            } }, make("p", {}, t("Shows the records that this user gets from the server, and which of them it may change.")), box.element, problem);
        },
        choices: [
            { value: "see", title: t("Show"), kind: "primary", allow: () => {
                settleNow();
                return false;
            } },
            { value: "cancel", title: t("Cancel"), kind: "quiet" },
        ],
    });
    return answer === "see" ? chosen : null;
}

/** The rights in words. */
export function rightsText({ read, write }) {
    if (!read.isAllowed) return write.isAllowed ? t("write only") : t("no access");
    return write.isAllowed ? t("read and write") : t("read only");
}

function userName(recordName) {
    return recordName === "anonymous" ? make("strong", {}, t("anonymous")) : users.userLink(recordName);
}

/**
 * The line above the records: what the user may do with those of this page, which is the user's own response or all records. `address(change)`
 * is the URL of the page with another search. `records` is `null` if the server has refused them. `draw(rights, hidden)` shows the rights.
 */
export function gridBand({ user, typeName, records, isOwnResponse, address, signal, draw }) {
    const state = make("span", {}, records === null ? t("the server refuses this list, for the reason below") : t("Asking the server…"));
    const choice = (title, every) => make("a", { href: address({ every }), "aria-current": every === !isOwnResponse ? "true" : null }, title);
    const element = make("div", { class: "as-user", role: "region", "aria-label": t("See as a user") },
        make("span", {}, tp("As {user}:", { user: userName(user) })), make("span", { role: "status" }, state),
        make("nav", { class: "tabs views", "aria-label": t("Records") }, choice(t("What this user gets"), false), choice(t("All, with the rights"), true)),
        make("a", { class: "button small", href: address({ as: "", every: false }) }, t("Stop")));
    async function load() {
        try {
            const [rights, create, hidden] = await Promise.all([
                access.rightsOf(user, typeName, records, signal), access.explain(user, "create", { recordType: typeName }, signal),
                access.hiddenFields(user, schema.type(typeName), undefined, signal)]);
            const count = (action) => records.filter(({ recordName }) => rights.get(recordName)[action].isAllowed).length;
            state.replaceChildren(
                isOwnResponse ? tn("gets {count} record on this page", "gets {count} records on this page", records.length)
                    : t("can read {count} of {all}", { count: count("read"), all: records.length }),
                " · ", t("can change {count}", { count: count("write") }), " · ",
                make("span", { title: create.reason }, create.isAllowed ? t("can create new ones") : t("cannot create new ones")),
                hidden.size === 0 ? "" : ` · ${t("Hidden fields: {fields}", { fields: [...hidden.keys()].join(", ") })}`);
            draw(rights, hidden);
        } catch (error) {
            if (!signal.aborted) state.textContent = error.message;
        }
    }
    if (records !== null) load();
    return element;
}

/** The line above a record: what the user may do with it, with the reasons. `hide(fields)` gets the fields that the user cannot read. */
export function recordBand({ user, typeName, recordName, stop, signal, hide }) {
    const state = make("div", {}, t("Asking the server…"));
    const line = (action, { isAllowed, reason }) => make("li", {}, make("strong", {}, action, ": ", isAllowed ? t("yes") : t("no")), " ",
        make("span", { class: "note" }, reason));
    async function load() {
        try {
            const question = { recordType: typeName, recordName };
            const [read, write, hidden] = await Promise.all([
                access.explain(user, "read", question, signal), access.explain(user, "write", question, signal),
                access.hiddenFields(user, schema.type(typeName), recordName, signal)]);
            state.replaceChildren(make("ul", {}, line(t("read"), read), line(t("write"), write),
                hidden.size === 0 ? null : make("li", {}, make("strong", {}, t("Hidden fields: {fields}", { fields: [...hidden.keys()].join(", ") })),
                    " ", make("span", { class: "note" }, [...new Set(hidden.values())].join(" ")))));
            hide([...hidden.keys()], read.isAllowed);
        } catch (error) {
            if (!signal.aborted) state.textContent = error.message;
        }
    }
    load();
    return make("div", { class: "as-user panel", role: "status" }, make("p", {}, tp("As {user}:", { user: userName(user) }), " ",
        make("a", { class: "button small", href: stop }, t("Stop"))), state);
}
