import * as api from "../api.js";
import { localText } from "../dates.js";
import { difference } from "../draft.js";
import { announce, freshID, introduce, make, whileBusy } from "../dom.js";
import { InputProblem } from "../fields/problem.js";
import { stringify } from "../json.js";
import * as places from "../places.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as session from "../session.js";
import { userText } from "../users.js";
import { settleConflict } from "./conflict.js";
import { ask, askToLeave } from "./dialog.js";
import { fieldsForm } from "./fields-form.js";
import { jsonForm } from "./json-form.js";
import { showProblem } from "./problem.js";
import { t, tp } from "../words.js";

/** The view shown last, "fields" or "json", so that the next record opens in it too. */
let side = "fields";

function facts(record) {
    const by = ({ timestamp, userRecordName } = {}) => (timestamp === undefined ? null
        : userRecordName === undefined ? localText(timestamp)
            : tp("{time} by {user}", { time: localText(timestamp), user: userText(userRecordName) }));
    const account = record.recordType === "Users" ? userText(record.recordName) : null;
    const lines = [[t("Account"), account], [t("Created"), by(record.created)], [t("Modified"), by(record.modified)],
        [t("Tag"), record.recordChangeTag]];
    return make("dl", { class: "facts" }, lines.filter(([, value]) => value !== null && value !== undefined)
        .map(([key, value]) => make("div", {}, make("dt", {}, key), make("dd", {}, value))));
}

/** A record's page: its fields or its JSON, to read, create (`recordName` is `null`), change and delete. */
export async function show({ signal, show: draw, isOver }, { type: typeName, record: recordName = null }) {
    const isNew = recordName === null;
    const listAddress = places.list(typeName, router.address(["types", typeName]));
    const canWrite = session.covers("writeRecords");
    let base = isNew ? { fields: {} } : await api.read(typeName, recordName, signal);
    if (!schema.covers(typeName, Object.keys(base.fields ?? {}))) await schema.load({ signal });
    let draft = draftOf(base);
    let form;
    let isDirty = false;
    let attempt = { text: null, key: null };

    const title = isNew ? t("New {type}", { type: typeName }) : recordName;
    const heading = make("h1", { class: isNew ? "" : "record-name-title" }, title);
    const about = make("div", {});
    const problem = make("div", {});
    const place = make("fieldset", { class: "panel", disabled: !canWrite });
    const whole = make("pre", { tabindex: "0", "aria-label": t("The whole record") });
    const state = make("span", { class: "state", role: "status" });
    const saveButton = make("button", { type: "submit", class: "primary" }, isNew ? t("Create") : t("Save"));
    const deleteButton = make("button", {
        type: "button", class: "danger", onclick: () => whileBusy(deleteButton, remove),
    }, t("Delete"));

    function draftOf(record) {
        return { fields: record.fields ?? {} };
    }
    function changed() {
        isDirty = true;
        state.textContent = t("Not saved yet");
    }
    /** Draws the page from `base` and `draft`. */
    function refresh() {
        const options = { schemaFields: schema.fields(typeName), draft, isNew, changed };
        form = side === "json" ? jsonForm(options) : fieldsForm(options);
        place.replaceChildren(form.element);
        state.textContent = isDirty ? t("Not saved yet") : "";
        about.replaceChildren(isNew ? "" : facts(base));
        whole.textContent = isNew ? "" : stringify(base, 2);
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
        isDirty = false;
        refresh();
    }

    async function save() {
        if (!take()) return;
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
        }
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
    /** A note about fields that were added to the form and left empty. */
    function remark(record) {
        const left = form.left?.(record.fields ?? {}) ?? [];
        return left.length === 0 ? "" : " " + t("Left empty and therefore not added to the type: {fields}.", { fields: left.join(", ") });
    }
    /** A write may have added fields to the schema. If loading it fails, the list of types can wait. */
    async function afterWrite(record) {
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
        try {
            await api.remove(typeName, recordName, base.recordChangeTag);
        } catch (error) {
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

    const sides = [["fields", t("Fields")], ["json", "JSON"]].map(([value, text]) => {
        const id = freshID("side");
        return [make("input", { type: "radio", id, name: "side", value, checked: value === side, onchange: (event) => {
            if (!turn(value)) {
                event.target.checked = false;
                document.getElementsByName("side").forEach((radio) => { radio.checked = radio.value === side; });
            }
        } }), make("label", { for: id }, text)];
    });

    draw(
        make("p", { class: "crumbs" }, make("a", { href: listAddress, onclick: router.returns }, typeName), " / ",
            isNew ? t("new record") : t("record")),
        make("div", { class: "page-head record-head" }, heading,
            make("fieldset", { class: "sides" }, make("legend", { class: "visually-hidden" }, t("Show as")), sides)),
        about,
        make("form", {
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
            canWrite ? state : make("span", { class: "note" }, session.reason(t("changing records"))),
            isNew || !canWrite ? null : deleteButton)),
        isNew ? "" : make("details", { class: "whole" },
            make("summary", {}, t("The whole record, as the server sent it")), whole));
    refresh();
    router.guard(() => isDirty, askToLeave);
    introduce(heading, `${title} – ${typeName}`);
}
