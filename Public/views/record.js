import * as api from "../api.js";
import { difference, disagreements } from "../draft.js";
import { announce, freshID, introduce, make, whileBusy } from "../dom.js";
import { InputProblem } from "../fields/problem.js";
import { stringify } from "../json.js";
import * as writes from "../own-writes.js";
import * as places from "../places.js";
import * as references from "../references.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { rightsPart } from "./access-list.js";
import { recordBand } from "./as-user.js";
import { settleConflict } from "./conflict.js";
import { ask, askToLeave } from "./dialog.js";
import { copyOf } from "./duplicate.js";
import { writerText } from "./grid-live.js";
import { enlarge } from "./larger.js";
import { showProblem } from "./problem.js";
import { facts } from "./record-facts.js";
import { recordForm } from "./record-form.js";
import { recordLive } from "./record-live.js";
import { referrers } from "./referrers.js";
import { t, tp } from "../words.js";

/** The view shown last, "fields", "json" or "both", so that the next record opens in it too. */
let side = "fields";
/** From this width on there is room for fields and JSON side by side. */
const wide = globalThis.matchMedia?.("(min-width: 80rem)");

const draftOf = (record) => ({ fields: record.fields ?? {} });

/** What the page begins with: the record, or for a new one the fields and files of the record that it is a copy of. */
async function begin(typeName, recordName, original, signal) {
    if (recordName !== null) return { base: await api.read(typeName, recordName, signal), files: new Map(), isCopy: false };
    if (original === null) return { base: { fields: {} }, files: new Map(), isCopy: false };
    const { fields, files } = await copyOf(await api.read(typeName, original, signal), signal);
    return { base: { fields: {} }, copied: fields, files, isCopy: true };
}

/** Why there is no record to show, with the way back to the list. */
function showMissing({ typeName, recordName, listAddress, draw }) {
    const heading = make("h1", { class: "record-name-title" }, recordName);
    draw(make("p", { class: "crumbs" }, make("a", { href: listAddress, onclick: router.returns }, typeName), " / ", t("record")),
        make("div", { class: "page-head record-head" }, heading),
        make("div", { class: "empty" }, make("p", { class: "lead" }, t("No record here has this name.")),
            make("p", {}, t("It may have been deleted, or be in another type or database.")),
            make("p", { class: "actions centered" },
                make("a", { class: "button", href: listAddress, onclick: router.returns }, t("Records of {type}", { type: typeName })),
                scope.isDefault() ? null : make("a", { class: "button", href: scope.defaultAddress() }, t("The server's default database")))));
    introduce(heading, `${recordName} – ${typeName}`);
}

/** A record's page: its fields, its JSON or both, to read, create (`recordName` is `null`), change, duplicate and delete. */
export async function show({ signal, show: draw, isOver }, { type: typeName, record: recordName = null }, query) {
    const isNew = recordName === null;
    const listAddress = places.list(typeName, router.address(["types", typeName]));
    const canWrite = session.covers("writeRecords");
    references.forget();
    const original = isNew ? query.get("from") : null;
    let begun;
    try {
        begun = await begin(typeName, recordName, original, signal);
    } catch (error) {
        if (!(error instanceof api.Refusal) || error.status !== 404) throw error;
        showMissing({ typeName, recordName: recordName ?? original, listAddress, draw });
        return;
    }
    let { base, copied, files, isCopy } = begun;
    if (!schema.covers(typeName, Object.keys(base.fields ?? copied ?? {}))) await schema.load({ signal });
    references.targetsOf(typeName, [base], signal);
    if (side === "both" && !wide.matches) side = "fields";
    if (isCopy && side === "json") side = "fields";
    let draft = copied === undefined ? draftOf(base) : { fields: copied };
    let form;
    let rights = null;
    let hidden; // the fields that the user of `as` cannot read; `null` for all
    let isDirty = false; // An untouched copy can be left without a question, unless it has files.
    let isSaving = false;
    let hasMissed = false; // Something has come about the record while this page wrote it.
    let live = null;
    let newer = null; // a version that others have written while this one is edited
    let attempt = { text: null, key: null };

    const title = isNew ? t("New {type}", { type: typeName }) : recordName;
    const heading = make("h1", { class: isNew ? "" : "record-name-title" }, title);
    const about = make("div", {});
    const news = make("div", { role: "status" });
    const problem = make("div", {});
    const place = make("fieldset", { class: "panel", disabled: !canWrite });
    const whole = make("pre", { tabindex: "0", "aria-label": t("The whole record") });
    const state = make("span", { class: "state", role: "status" });
    const saveButton = make("button", { type: "submit", class: "primary" }, isNew ? t("Create") : t("Save"));
    const deleteButton = make("button", {
        type: "button", class: "danger", onclick: () => whileBusy(deleteButton, remove),
    }, t("Delete"));

    function changed() {
        isDirty = true;
        state.textContent = t("Not saved yet");
    }
    /** Draws the page from `base` and `draft`. */
    function refresh() {
        form = recordForm({ side, schemaFields: schema.fields(typeName), draft, isNew, changed });
        if (hidden !== undefined) form.hide(hidden);
        place.replaceChildren(form.element);
        element.classList.toggle("wide", side === "both");
        refreshFacts();
    }
    function refreshFacts() {
        state.textContent = isDirty ? t("Not saved yet") : "";
        about.replaceChildren(isNew ? "" : facts(base));
        whole.textContent = isNew ? "" : stringify(base, 2);
        if (rights !== null && !rights.isChanged()) rights.refresh(base);
    }
    /** Copies the content of the form into the draft. Returns whether all of it was valid. */
    function take() {
        try {
            draft = form.read();
            problem.replaceChildren();
            return true;
        } catch (error) {
            if (!(error instanceof InputProblem)) throw error;
            return false; // The form has moved the focus to the invalid input, next to its message.
        }
    }
    function turn(newSide) {
        if (!take()) return false;
        side = newSide;
        refresh();
        return true;
    }
    function adopt(record) {
        base = record;
        draft = draftOf(record);
        [isDirty, newer] = [false, null];
        news.replaceChildren();
        refresh();
    }

    async function save() {
        if (!take()) return;
        isSaving = true;
        try {
            await (isNew ? create() : change());
        } catch (error) {
            if (isConflict(error) && error.serverRecord !== undefined) {
                await settle(error.serverRecord);
            } else if (isConflict(error) && await isGone()) {
                explain(new Error(t("The record was deleted after you opened it, so nothing was saved. "
                    + "Your input is still here: copy it from the JSON view to create the record again.")));
            } else {
                explain(error);
            }
        } finally {
            endSaving();
        }
    }
    /** Afterwards the page learns what has come in the meantime: its own version, or one of others. */
    function endSaving() {
        isSaving = false;
        if (!hasMissed) return;
        hasMissed = false;
        live?.read();
    }
    function isBusy() {
        hasMissed ||= isSaving;
        return isSaving;
    }
    /** A 412 can also mean a reference without a target. Only these codes mean another version of the record, or none. */
    function isConflict(error) {
        return error instanceof api.Refusal && error.status === 412 && ["CONFLICT", "NOT_FOUND"].includes(error.code);
    }
    async function isGone() {
        try {
            await api.read(typeName, recordName, signal);
            return false;
        } catch (error) {
            return error instanceof api.Refusal && error.status === 404;
        }
    }
    async function create() {
        const text = stringify(draft);
        if (attempt.text !== text) attempt = { text, key: api.newKey() };
        const record = await api.create(typeName, draft, attempt.key);
        await afterWrite(record);
        announce(t("Created.") + remark(record), { isCarried: true });
        if (!isOver()) router.go(router.address(["types", typeName, "record", record.recordName]));
    }
    async function change() {
        const fields = difference(base.fields ?? {}, draft.fields);
        if (Object.keys(fields).length === 0) {
            adopt(base);
            announce(t("Nothing has changed."));
            return;
        }
        const record = await api.change(typeName, recordName, { fields }, base.recordChangeTag);
        await afterWrite(record);
        const left = remark(record);
        adopt(record);
        announce(t("Saved.") + left);
    }
    /** Writes what is beside the fields. The fields stay as they are edited. */
    async function saveRights(content) {
        isSaving = true;
        try {
            const record = await api.change(typeName, recordName, content, base.recordChangeTag);
            writes.keep(record);
            base = { ...record, fields: base.fields };
            refreshFacts();
            announce(t("Saved."));
            return record;
        } finally {
            endSaving();
        }
    }
    /** A note about fields that were added to the form and left empty. */
    function remark(record) {
        const left = form.left(record.fields ?? {});
        return left.length === 0 ? "" : " " + t("Left empty and therefore not added to the type: {fields}.", { fields: left.join(", ") });
    }
    /** A write may have added fields to the schema. If loading it fails, the list of types can wait. */
    async function afterWrite(record) {
        writes.keep(record);
        if (!schema.covers(typeName, Object.keys(record.fields ?? {})) || schema.type(typeName).isNew) {
            await schema.load().catch(() => announce(t("Saved; the list of types could not be refreshed.")));
        }
    }
    async function settle(server) {
        const outcome = await settleConflict({ base: base.fields ?? {}, mine: draft.fields, server });
        if (outcome === null) return;
        adopt(server);
        if (!outcome.save) {
            announce(t("This is the server's version."));
            return;
        }
        draft = { fields: outcome.fields };
        isDirty = true;
        refresh();
        await save();
    }
    /** Others have written this record: an unedited page follows, an edited one says so before it is saved. */
    async function learn(record) {
        if (isBusy() || isOver()) return;
        const names = disagreements(base.fields ?? {}, base.fields ?? {}, record.fields ?? {}).map(({ name }) => name).join(", ");
        const sentence = await writerText(record, (name, time) => (isDirty
            ? t("{name} has changed this record while you edit it ({time}): {fields}", { name, time, fields: names || "–" })
            : t("{name} has changed this record ({time}). You see the new version: {fields}", { name, time, fields: names || "–" })));
        if (isBusy() || isOver() || record.recordChangeTag === base.recordChangeTag) return;
        if (!isDirty) {
            base = record;
            draft = draftOf(record);
            form.update(draft, "new");
            refreshFacts();
            tell(sentence);
            return;
        }
        newer = record;
        const button = make("button", { type: "button", class: "small", onclick: () => whileBusy(button, async () => {
            if (take()) await settle(newer);
        }) }, t("Compare…"));
        tell(sentence, button);
    }
    function tell(sentence, button = null) {
        news.replaceChildren(make("p", { class: "news" }, make("span", {}, sentence), button));
    }
    function vanish() {
        if (isBusy() || isOver()) return;
        tell(t("This record was deleted. What you see is its last version."), make("a", {
            class: "button small", href: listAddress, onclick: router.returns,
        }, t("Back")));
    }
    async function remove() {
        const answer = await ask({
            title: t("Delete this record?"),
            content: make("p", {}, tp("{name} will be deleted for everyone. This cannot be undone.", {
                name: make("strong", {}, recordName),
            })),
            choices: [
                { value: "keep", title: t("Keep it"), isFirst: true },
                { value: "delete", title: t("Delete"), kind: "danger" },
            ],
        });
        if (answer !== "delete") return;
        isSaving = true;
        try {
            await api.remove(typeName, recordName, base.recordChangeTag);
        } catch (error) {
            endSaving();
            if (isConflict(error)) {
                error.message = t("The record was changed after you opened it. Look at it again before you delete it.");
            }
            explain(error);
            return;
        }
        announce(t("Deleted."), { isCarried: true });
        if (isOver()) return;
        router.returns();
        router.go(listAddress);
    }
    function explain(error) {
        const actions = [];
        if (error instanceof api.Refusal && error.status === 401) {
            actions.push(make("button", { type: "button", onclick: async () => {
                if (await api.renew()) problem.replaceChildren();
            } }, t("Sign in again")));
        } else if (isConflict(error)) {
            actions.push(make("button", { type: "button", onclick: () => router.go(location.hash) }, t("Show the current record")));
        }
        showProblem(problem, error, actions);
    }

    const sides = [["fields", t("Fields")], ["json", "JSON"], ["both", t("Both")]].map(([value, text]) => {
        const id = freshID("side");
        return [make("input", { type: "radio", id, name: "side", value, checked: value === side, class: value, onchange: (event) => {
            if (!turn(value)) {
                event.target.checked = false;
                document.getElementsByName("side").forEach((radio) => { radio.checked = radio.value === side; });
            }
        } }), make("label", { for: id, class: value }, text)];
    });
    const asUser = isNew ? null : query.get("as");
    const element = make("form", {
        novalidate: true, class: "record",
        onsubmit: (event) => {
            event.preventDefault();
            if (canWrite) whileBusy(saveButton, save);
        },
        onkeydown: (event) => {
            if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            if (canWrite) whileBusy(saveButton, save);
        },
    },
    place, problem,
    make("div", { class: "bar" }, canWrite ? saveButton : null,
        make("a", { class: "button quiet", href: listAddress, onclick: router.returns }, isNew ? t("Cancel") : t("Back")),
        isNew || !canWrite || typeName === "Users" ? null : make("a", {
            class: "button quiet", href: router.address(["types", typeName, "new"], { from: recordName }),
        }, t("Duplicate")),
        canWrite ? state : make("span", { class: "note" }, session.reason(t("changing records"))),
        isNew || !canWrite ? null : deleteButton));
    if (!isNew) rights = rightsPart({ record: base, canWrite, save: saveRights });

    draw(
        make("p", { class: "crumbs" }, make("a", { href: listAddress, onclick: router.returns }, typeName), " / ",
            isNew ? t("new record") : t("record")),
        make("div", { class: "page-head record-head" }, heading,
            make("fieldset", { class: "sides" }, make("legend", { class: "visually-hidden" }, t("Show as")), sides)),
        isCopy ? make("p", { class: "note" }, t("A copy of {name}. It is created when you save it.", { name: query.get("from") })) : null,
        asUser === null ? null : recordBand({
            user: asUser, typeName, recordName, signal, stop: router.address(["types", typeName, "record", recordName]),
            hide(names, isReadable) {
                hidden = isReadable ? names : null;
                form.hide(hidden);
            },
        }),
        about, news, element,
        rights?.element ?? null,
        isNew ? "" : referrers(typeName, recordName, signal),
        isNew ? "" : make("details", { class: "whole" },
            make("summary", {}, t("The whole record, as the server sent it")), whole));
    refresh();
    enlarge(element, signal);
    for (const [name, list] of files) form.row(name)?.upload(list);
    router.guard(() => isDirty, askToLeave);
    introduce(heading, `${title} – ${typeName}`);
    if (!isNew) {
        live = recordLive({ typeName, recordName, signal, isKnown: (tag) => tag === base.recordChangeTag || isBusy(), changed: learn, gone: vanish });
    }
}
