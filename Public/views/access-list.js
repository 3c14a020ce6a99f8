// The access list of one record in the public database, or the participants of a share.

import * as api from "../api.js";
import { freshID, make, whileBusy } from "../dom.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { userLink } from "../users.js";
import { t } from "../words.js";
import { principalInput } from "./principal-input.js";
import { showProblem } from "./problem.js";
import { columnTable } from "./table.js";
import { userInput } from "./user-input.js";

/** A principal for people. */
function principalNode(name) {
    if (name === "*") return make("span", { title: "*" }, t("everyone"));
    return name.startsWith("role:") ? make("span", { title: name }, t("role {name}", { name: name.slice(5) })) : userLink(name);
}

async function roleNames() {
    if (!session.covers("readRights")) return [];
    return (await api.roles().catch(() => [])).map(({ name }) => name);
}

/** The box for a user by name, as `principalInput` takes it. */
function userPart() {
    const id = freshID("user");
    const box = userInput({ id, value: "", further: [], changed: () => {} });
    return {
        element: make("div", {}, make("label", { for: id }, t("Name of the account")), box.element),
        async find() {
            const found = await box.settled();
            if (found === "") box.control.focus();
            return found === "" ? null : found;
        },
    };
}

/** A line that adds an entry: `add(principal)` gets a user's record name; with `roles`, also `role:` and a name, or one of `others`. */
function adder({ roles, others }, add) {
    const user = userPart();
    const who = roles === undefined ? { elements: [user.element], find: user.find } : principalInput({ user, roles, others });
    const button = make("button", { type: "button", onclick: () => whileBusy(button, async () => {
        const found = await who.find();
        if (found !== null) add(found);
    }) }, t("Add"));
    return make("div", { class: "line-form", onkeydown: (event) => {
        if (event.key !== "Enter" || event.isComposing || event.target.tagName !== "INPUT") return;
        event.preventDefault();
        button.click();
    } }, who.elements, button);
}

/** A table of entries with a button that removes each. `cells(entry)` returns the name and further cells. */
function table(heads, entries, cells, remove) {
    return columnTable({
        label: t("Access list"), style: "", tableStyle: "lines",
        columns: [...heads.map((title) => ({ title })),
            remove === null ? null : { title: make("span", { class: "visually-hidden" }, t("Actions")), solid: true }],
        body: make("tbody", {}, entries.map((entry) => {
            const [name, ...others] = cells(entry);
            return make("tr", {}, make("th", { scope: "row" }, name), others.map((each) => make("td", {}, each)),
                remove === null ? null : make("td", {}, make("button", {
                    type: "button", class: "quiet small", "aria-label": t("Remove {name}", { name: name.textContent }), onclick: () => remove(entry),
                }, "×")));
        })),
    });
}

/**
 * The part of a record's page with its access list. `save(content)` writes `{acl}` and returns the new record; it throws the server's error.
 * `refresh(record)` shows another version.
 */
export function accessList({ record, canWrite, save }) {
    const place = make("div", { class: "panel access" });
    const problem = make("div", {});
    const state = make("span", { class: "state" });
    const element = make("details", { class: "whole", open: record.acl !== undefined }, make("summary", {}, t("Access list"), " ", state),
        place, problem);
    let entries = null; // [principal, rights], or `null` without a list
    let isChanged = false;
    let roles = null; // read once they are needed
    const choices = () => ({ roles: roles ??= roleNames(), others: [["*", t("Everyone")]] });

    function adopt(next) {
        entries = next.acl === undefined ? null : Object.entries(next.acl).map(([name, rights]) => [name, [...rights]]);
        isChanged = false;
        draw();
    }
    function change() {
        isChanged = true;
        draw();
    }
    function box([name, rights], right, title) {
        return make("input", { type: "checkbox", checked: rights.includes(right), disabled: !canWrite,
            "aria-label": t("{name}: {right}", { name: principalNode(name).textContent, right: title }), onchange: (event) => {
                const entry = entries.find(([each]) => each === name);
                entry[1] = ["read", "write"].filter((each) => (each === right ? event.target.checked : entry[1].includes(each)));
                isChanged = true;
                saveButton.disabled = false;
            } });
    }
    const saveButton = make("button", { type: "button", class: "small primary", onclick: () => whileBusy(saveButton, write) }, t("Save the access list"));

    async function write() {
        const acl = entries === null ? null : Object.fromEntries(entries.filter(([, rights]) => rights.length > 0));
        try {
            adopt(await save({ acl }));
            problem.replaceChildren();
        } catch (error) {
            showProblem(problem, error, []);
        }
    }
    function draw() {
        state.textContent = entries === null ? t("none: the grants of the type decide") : "";
        saveButton.disabled = !isChanged;
        const remove = !canWrite ? null : ([name]) => {
            entries = entries.filter(([each]) => each !== name);
            change();
            saveButton.focus();
        };
        place.replaceChildren(...[
            entries === null ? make("p", {}, t("This record has no access list, so the grants of its type decide.")) : [
                entries.length === 0 ? make("p", {}, t("The list is empty: only administrators and keys have access."))
                    : table([t("Name"), t("read"), t("write")], entries, (entry) => [
                        principalNode(entry[0]), box(entry, "read", t("read")), box(entry, "write", t("write"))], remove),
                make("p", { class: "note" }, t("Callers who are not on the list have no access, not even the creator. "
                    + "The grants of the type remain the upper bound."))],
            !canWrite ? [] : [entries === null ? [] : adder(choices(), (name) => {
                if (!entries.some(([each]) => each === name)) entries.push([name, ["read"]]);
                change();
                place.querySelector(".principal-kind")?.focus();
            }),
            make("p", { class: "actions" }, entries === null
                ? make("button", { type: "button", class: "small", onclick: () => {
                    const creator = record.created?.userRecordName ?? "";
                    entries = /^_[0-9a-f]{32}$/.test(creator) ? [[creator, ["read", "write"]]] : [];
                    change();
                } }, t("Begin a list"))
                : make("button", { type: "button", class: "small quiet", onclick: () => {
                    entries = null;
                    change();
                } }, t("Remove the list")), saveButton)],
        ].flat(Infinity));
    }
    adopt(record);
    return { element, refresh: adopt, isChanged: () => isChanged };
}

const permissions = [["READ_ONLY", t("read only")], ["READ_WRITE", t("read and write")], ["NONE", t("no access")]];
const states = { INVITED: t("invited"), ACCEPTED: t("accepted") };

function select(options, value, label, listener, disabled) {
    const element = make("select", { "aria-label": label, disabled, onchange: () => listener(element.value) },
        options.map(([key, title]) => make("option", { value: key }, title)));
    element.value = value;
    return element;
}

/** The same for a share: its participants, and what everyone may do who has the link. */
export function participantList({ record, canWrite, save }) {
    const place = make("div", { class: "panel access" });
    const problem = make("div", {});
    const element = make("details", { class: "whole", open: true }, make("summary", {}, t("Participants")), place, problem);
    let entries, everyone, isChanged;

    function adopt(next) {
        entries = (next.participants ?? []).map((each) => ({
            user: each.userIdentity?.userRecordName, label: each.label, permission: each.permission, state: each.acceptanceStatus,
            isOwner: each.type === "OWNER",
        }));
        everyone = next.publicPermission ?? "NONE";
        isChanged = false;
        draw();
    }
    function change() {
        isChanged = true;
        draw();
    }
    const saveButton = make("button", { type: "button", class: "small primary", onclick: () => whileBusy(saveButton, async () => {
        try {
            adopt(await save({
                publicPermission: everyone,
                participants: entries.filter(({ isOwner }) => !isOwner).map(({ user, label, permission }) => ({
                    permission, ...(user === undefined ? { label } : { userRecordName: user }),
                })),
            }));
            problem.replaceChildren();
        } catch (error) {
            showProblem(problem, error, []);
        }
    }) }, t("Save the participants"));

    function draw() {
        saveButton.disabled = !isChanged;
        const name = ({ user, label }) => (user === undefined ? make("span", {}, label ?? t("others")) : userLink(user));
        place.replaceChildren(...[
            table([t("Name"), t("Permission"), t("State")], entries, (entry) => [name(entry),
                entry.isOwner ? t("the owner") : select(permissions, entry.permission, t("Permission"), (value) => {
                    entry.permission = value;
                    isChanged = true;
                    saveButton.disabled = false;
                }, !canWrite), states[entry.state] ?? entry.state ?? ""], !canWrite ? null : (entry) => {
                if (!entry.isOwner) entries = entries.filter((each) => each !== entry);
                change();
                saveButton.focus();
            }),
            make("p", { class: "together" }, make("span", {}, t("Everyone with the link:")),
                select(permissions, everyone, t("Everyone with the link:"), (value) => {
                    everyone = value;
                    isChanged = true;
                    saveButton.disabled = false;
                }, !canWrite)),
            !canWrite ? [] : [adder({}, (user) => {
                if (!entries.some((each) => each.user === user)) entries.push({ user, permission: "READ_ONLY", state: "" });
                change();
                place.querySelector(".user-input input")?.focus();
            }), make("p", { class: "actions" }, saveButton)],
        ].flat(Infinity));
    }
    adopt(record);
    return { element, refresh: adopt, isChanged: () => isChanged };
}

/** The part with the rights of a record, or `null` for a record of a private database without a share. */
export function rightsPart(options) {
    if (Array.isArray(options.record.participants)) return participantList(options);
    return scope.isPrivate() || scope.current().database === "shared" ? null : accessList(options);
}
