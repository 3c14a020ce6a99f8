// The form of webhooks: where messages go, and which changes.

import { webhooks } from "../api-access.js";
import { make } from "../dom.js";
import { InputProblem } from "../fields/problem.js";
import * as json from "../json.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import * as users from "../users.js";
import { t } from "../words.js";
import { askForm, field, radioGroup, selectField, textInput } from "./form-dialog.js";
import { overlaps } from "./key-form.js";
import { nameList } from "./name-list.js";
import { showSecret } from "./secret.js";

/**
 * The fields for URL, types, condition and fields. `read()` returns `{url, description, types, where, args, fields}`, each `null` if
 * absent.
 */
function selectionFields(webhook) {
    const url = textInput({
        type: "url", class: "code", placeholder: "https://example.org/hook", value: webhook?.url ?? "", maxlength: "2048",
    });
    const description = textInput({ value: webhook?.description ?? "", maxlength: "500" });
    const types = nameList({
        legend: t("Record types"), name: "types", all: t("All types"), some: t("Only these"),
        names: schema.all().map(({ name }) => name), chosen: webhook?.types ?? null,
    });
    const where = textInput({ class: "code", placeholder: "good > 3", value: webhook?.where ?? "" });
    const args = textInput({
        class: "code", placeholder: '["a", 5]', value: webhook?.args === undefined ? "" : json.stringify(webhook.args),
    });
    const chosenFields = textInput({ class: "code", placeholder: "title, good", value: (webhook?.fields ?? []).join(", ") });
    const part = {
        condition: field({ label: t("Condition"), control: where, name: "where",
            note: t("A predicate on the records of one type. A record that no longer matches is sent once more, as one that "
                + "leaves. Empty: all records.") }),
        args: field({ label: t("Values for %@ in the condition, as a JSON list"), control: args, name: "args" }),
        fields: field({ label: t("Fields"), control: chosenFields, name: "fields", note: t("Names with commas. Empty: all "
            + "fields of each record.") }),
    };
    function readArguments() {
        if (args.value.trim() === "") return null;
        let list;
        try {
            list = json.parse(args.value);
        } catch (error) {
            throw new InputProblem(error.message, args);
        }
        if (!Array.isArray(list)) throw new InputProblem(t("Write a list in square brackets."), args);
        return list;
    }
    return {
        fields: [field({ label: "URL", control: url, name: "url", note: t("https. A receiver in your own network needs the "
            + "setting webhooks.allow_private.") }),
            field({ label: t("Description"), control: description, name: "description" }), types, part.condition, part.args, part.fields],
        changed() {
            part.args.element.hidden = !/%|\$/.test(where.value) && args.value.trim() === "";
        },
        read() {
            const text = url.value.trim();
            if (text === "") throw new InputProblem(t("Write the address of the receiver."), url);
            const [names, condition] = [types.read(), where.value.trim()];
            if (names?.length === 0) throw new InputProblem(t("Tick at least one type, or choose all types."), types.control);
            if (condition !== "" && names?.length !== 1) throw new InputProblem(t("A condition is about one type. Tick "
                + "exactly one type above."), where);
            const list = chosenFields.value.split(/[\s,]+/).filter((each) => each !== "");
            return {
                url: text, description: description.value.trim(), types: names, where: condition || null,
                args: condition === "" ? null : readArguments(), fields: list.length === 0 ? null : list,
            };
        },
    };
}

/** The zone of a new webhook: the public database, or a zone of a private one. */
function zoneFields() {
    const now = scope.current();
    const isPrivate = scope.isPrivate();
    const database = radioGroup({
        legend: t("Follows"), value: isPrivate ? "private" : "public", changed: follow, options: [
            { value: "public", title: t("The public database") },
            { value: "private", title: t("A zone of a user's private database") },
        ],
    });
    const owner = textInput({ value: now.owner ?? "", placeholder: "ada" });
    const ownerField = field({ label: t("Owner (account name or record name)"), control: owner, name: "owner" });
    const zone = textInput({ value: now.zone ?? "", placeholder: scope.defaultZone });
    const zoneField = field({ label: t("Zone"), control: zone, name: "zone", note: t("Empty: the default zone. Each zone "
        + "needs a webhook of its own.") });

    function follow() {
        for (const each of [ownerField, zoneField]) each.element.hidden = database.read() !== "private";
    }
    follow();
    return {
        fields: session.current()?.role === "owner" || isPrivate ? [database, ownerField, zoneField] : [],
        /** The scope of the request. */
        async read() {
            if (database.read() !== "private") return {};
            const text = owner.value.trim();
            if (text === "") throw new InputProblem(t("Type the owner of the private database."), owner);
            const { container, environment } = now;
            const found = users.isRecordName(text) ? text
                : await users.find(text, { ...(container && { container }), ...(environment && { environment }) });
            if (found === null) throw new InputProblem(t("No account here has the name “{name}”.", { name: text }), owner);
            return { database: "private", owner: found, ...(zone.value.trim() === "" ? {} : { zone: zone.value.trim() }) };
        },
    };
}

function withoutNulls(body) {
    return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function showSigningSecret(webhook, title) {
    return showSecret({
        title, label: t("Secret"), text: webhook.secret,
        note: t("This is the only time that the secret is shown. The receiver verifies each message with it."),
        further: [make("p", { class: "note" }, t("Messages have the form of Standard Webhooks: the receiver computes the "
            + "HMAC-SHA256 of "
            + "“webhook-id.webhook-timestamp.body”, and compares it with webhook-signature."))],
    });
}

/** Asks for a new webhook, creates it and shows its secret. Returns its id, or `false`. */
export async function createWebhook() {
    const selection = selectionFields();
    const zones = zoneFields();
    const since = selectField({
        label: t("Begins with"), value: "now", name: "since",
        options: [["now", t("The changes from now on")], ["beginning", t("All records that exist, then the changes")]],
    });
    selection.changed();
    const made = await askForm({
        title: t("New webhook"), submit: t("Create webhook"), wide: true, changed: selection.changed,
        fields: [...selection.fields, ...zones.fields, since],
        send: async () => {
            const body = withoutNulls(selection.read());
            return webhooks.create({ ...body, since: since.read() }, await zones.read());
        },
    });
    if (made === null) return false;
    await showSigningSecret(made, t("The webhook is ready"));
    return made.id;
}

/** Changes a webhook. Returns whether it was done. */
export async function changeWebhook(webhook) {
    const selection = selectionFields(webhook);
    selection.changed();
    const done = await askForm({
        title: t("Change the webhook"), submit: t("Save"), wide: true, changed: selection.changed, fields: selection.fields,
        further: make("p", { class: "note" }, t("After a change of URL or selection the webhook reads with your rights, and "
            + "continues where it was.")),
        send: () => {
            const body = selection.read();
            // What stays is not sent: each change of URL or selection makes the caller the webhook's reader.
            const changed = Object.entries(body).filter(([key, value]) => json.stringify(value) !== json.stringify(webhook[key] ?? null));
            if (changed.length === 0) return webhook;
            return webhooks.change(webhook.id, Object.fromEntries(changed));
        },
    });
    return done !== null;
}

/** Gives a webhook a new secret. Returns whether it was done. */
export async function rotateSecret(webhook) {
    const overlap = selectField({ label: t("The old secret ends"), options: overlaps, value: "1d", name: "overlap" });
    const made = await askForm({
        title: t("New secret"), submit: t("Create the secret"), fields: [overlap],
        intro: make("p", {}, t("Until the old secret ends, each message has two signatures, so the receiver can change over "
            + "without a gap.")),
        send: () => webhooks.rotate(webhook.id, overlap.read()),
    });
    if (made === null) return false;
    await showSigningSecret(made, t("The new secret"));
    return true;
}

/** Sends changes again. Returns whether it was done. */
export async function replay(webhook) {
    const from = radioGroup({
        legend: t("Continue"), value: "beginning", changed: follow, options: [
            { value: "beginning", title: t("At the beginning"), note: t("All records that exist are sent again, then the changes.") },
            { value: "token", title: t("After a message"), note: t("A receiver that has kept the token of its last message "
                + "misses nothing.") },
            { value: "now", title: t("With the next change"), note: t("What was not delivered yet is skipped.") },
        ],
    });
    const token = textInput({ class: "code" });
    const tokenField = field({ label: t("Token of the message"), control: token, name: "since" });
    function follow() {
        tokenField.element.hidden = from.read() !== "token";
    }
    follow();
    const done = await askForm({
        title: t("Send again"), submit: t("Send again"), fields: [from, tokenField],
        intro: make("p", {}, t("Messages get new ids. A replay does not tell the receiver to drop records that are gone.")),
        send: () => {
            const text = token.value.trim();
            if (from.read() === "token" && text === "") throw new InputProblem(t("Paste the token."), token);
            return webhooks.replay(webhook.id, from.read() === "token" ? text : from.read());
        },
    });
    return done !== null;
}
