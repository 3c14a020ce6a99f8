// The rights of a type: grants, rights of fields and access lists. What changes is listed before it is saved, and can be undone.

import { announce, introduce, make, whileBusy } from "../dom.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as draft from "../security/draft.js";
import * as routes from "../security/routes.js";
import * as session from "../session.js";
import * as users from "../users.js";
import { t, tn, tp } from "../words.js";
import { askToLeave } from "./dialog.js";
import { showProblem } from "./problem.js";
import { lookingNote, privateNote } from "./security-parts.js";
import { fieldRights, grantMatrix, listEditor } from "./security-matrix.js";
import { typeHeading, typeTabs } from "./type-tabs.js";

/** How often a save is tried if somebody else changes the rights at the same moment. */
const mostAttempts = 3;

function listHelp() {
    return make("details", { class: "help" }, make("summary", {}, t("How access lists work")), make("ul", {}, [
        t("A record can have an access list. Only callers on the list then have rights on the record, and its creator only if listed."),
        t("Grants are the upper bound: a list gives nobody a right that the type does not grant them on any record."),
        t("Only callers who can both read and change a record see its list and can change it."),
        t("Administrators and keys are not bound by lists. Private databases have none."),
        t("The list of new records applies to records that are created from now on. Existing records keep theirs."),
    ].map((text) => make("li", {}, text))));
}

/** The names of the accounts in a list, by record name. */
async function accountNames(list) {
    const names = new Map();
    await Promise.all(Object.keys(list ?? {}).filter(users.isRecordName).map(async (recordName) => {
        const name = await users.nameOf(recordName);
        if (name !== null) names.set(recordName, name);
    }));
    return names;
}

/** Makes the changes in what the server has now. Returns the entry of the type as it is then. */
async function store(typeName, list) {
    for (let attempt = 1; ; attempt += 1) {
        try {
            return await (draft.areGrants(list) ? storeGrants(typeName, list) : storeEntry(typeName, list));
        } catch (error) {
            if (error.status !== 412 || attempt === mostAttempts) throw error;
        }
    }
}

async function storeGrants(typeName, list) {
    const { grants, tag } = await routes.grants(typeName);
    const now = draft.read({ grants });
    list.forEach((change) => draft.make(now, change));
    await routes.putGrants(typeName, now.grants, tag);
}

async function storeEntry(typeName, list) {
    const { document, tag } = await routes.schema();
    const entry = document.types[typeName];
    if (entry === undefined) throw new Error(t("The type {type} does not exist.", { type: typeName }));
    const now = draft.read(entry);
    list.forEach((change) => draft.make(now, change));
    draft.write(entry, now);
    await routes.putSchema(document, tag);
}

export async function show({ signal, show: draw }, { type: typeName }) {
    const [roles] = await Promise.all([routes.roles(signal), schema.load({ signal })]);
    const canChange = session.covers("changeRights");
    const type = schema.type(typeName);
    const heading = typeHeading(typeName, tp("Security of {type}", { type: make("span", {}, typeName) }));
    const problem = make("div", {});
    const [matrix, fields, list, bar] = [make("div", {}), make("div", {}), make("div", {}), make("div", { class: "bar rights-changes" })];
    const state = {
        before: draft.read(type), after: draft.read(type), roles: roles.map(({ name }) => name), added: new Set(),
    };
    let names = await accountNames(state.before.list);
    signal.throwIfAborted();
    const saveButton = make("button", { type: "submit", class: "primary" }, t("Save"));
    const undoButton = make("button", { type: "button", onclick: () => {
        state.after = draft.copy(state.before);
        refresh();
        saveButton.focus();
    } }, t("Undo all"));

    /** Draws the parts from the state. The focus stays on the same control. */
    function refresh() {
        const focused = document.activeElement?.closest?.("[data-cell]")?.dataset.cell;
        const changed = canChange ? refresh : null;
        matrix.replaceChildren(grantMatrix(state, changed));
        fields.replaceChildren(fieldRights(state, changed));
        list.replaceChildren(listEditor(state, changed, names));
        drawBar();
        if (focused !== undefined) {
            ([...document.querySelectorAll("[data-cell]")].find((each) => each.dataset.cell === focused) ?? heading).focus();
        }
        // A new account of the list has a name, too.
        const unknown = Object.keys(state.after.list ?? {}).some((each) => users.isRecordName(each) && !names.has(each));
        if (unknown) accountNames(state.after.list).then((found) => {
            const isMore = found.size > names.size;
            names = new Map([...names, ...found]);
            if (isMore && !signal.aborted) drawBar();
        });
    }
    function drawBar() {
        const changes = draft.changes(state.before, state.after);
        bar.hidden = changes.length === 0;
        bar.replaceChildren(
            make("p", { role: "status" },
                make("strong", {}, tn("{count} change, not saved yet", "{count} changes, not saved yet", changes.length))),
            make("ul", {}, changes.map((change) => {
                const text = draft.sentence(change, names);
                const warning = draft.warning(change);
                return make("li", { class: "rights-change" }, make("span", {}, text),
                    warning === null ? null : make("strong", { class: "risk" }, warning),
                    make("button", {
                        type: "button", class: "small quiet", "aria-label": t("Undo: {change}", { change: text }),
                        onclick: () => {
                            draft.undo(state.after, change);
                            refresh();
                            (bar.hidden ? heading : saveButton).focus();
                        },
                    }, t("Undo")));
            })),
            make("p", { class: "actions" }, saveButton, undoButton));
    }
    async function save() {
        const sent = draft.copy(state.after);
        const changes = draft.changes(state.before, sent);
        if (changes.length === 0) return;
        try {
            await store(typeName, changes);
            await schema.load();
        } catch (error) {
            if (!signal.aborted) showProblem(problem, error);
            return;
        }
        if (signal.aborted) return;
        problem.replaceChildren();
        const later = draft.changes(sent, state.after); // what was edited while the server was saving
        state.before = draft.read(schema.type(typeName));
        state.after = draft.copy(state.before);
        later.forEach((change) => draft.make(state.after, change));
        refresh();
        announce(draft.changes(sent, state.before).length === 0 ? t("Saved.")
            : t("Saved. Somebody else has changed rights of this type too; the page shows both."));
        if (later.length === 0) heading.focus({ preventScroll: true });
    }
    const form = make("form", { novalidate: true, onsubmit: (event) => {
        event.preventDefault();
        if (canChange) whileBusy(saveButton, save);
    }, onkeydown: (event) => {
        if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        if (canChange) whileBusy(saveButton, save);
    } },
    make("section", { "aria-label": t("Grants") }, make("h2", {}, t("Grants")),
        make("p", { class: "note" }, t("Who can create, read, and change records of {type}. The creator of a record can always read it.",
            { type: typeName })), matrix),
    make("section", { "aria-label": t("Rights of fields") }, make("h2", {}, t("Rights of fields")),
        make("p", { class: "note" }, t("A field can be for fewer callers than its record. Others do not see it.")), fields),
    make("section", { "aria-label": t("Access lists") }, make("h2", {}, t("Access lists")), listHelp(), list),
    problem, bar);

    if (type.isNew) {
        draw(make("div", { class: "page-head" }, heading), make("div", { class: "empty" },
            make("p", { class: "lead" }, t("The type {type} does not exist.", { type: typeName })),
            make("p", {}, make("a", { href: "#/security" }, t("Rights of types")))));
        introduce(heading);
        return;
    }
    draw(make("div", { class: "page-head" }, heading, typeTabs(typeName, "security"), make("p", { class: "actions" },
        make("a", { class: "button quiet", href: "#/security", onclick: router.returns }, t("Rights of all types")),
        make("a", { class: "button", href: router.address(["security", "why"], { type: typeName }) }, t("What may X do?")))),
        privateNote(), lookingNote(), form);
    refresh();
    router.guard(() => draft.changes(state.before, state.after).length > 0, askToLeave);
    introduce(heading);
}
