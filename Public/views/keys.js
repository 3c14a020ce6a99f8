import { keys } from "../api-access.js";
import { localText } from "../dates.js";
import { announce, introduce, make } from "../dom.js";
import * as keyScopes from "../key-scopes.js";
import * as schema from "../schema.js";
import { t, tp } from "../words.js";
import { collection, facts, pageHead, tabs } from "./collection.js";
import { ask } from "./dialog.js";
import { askFirst } from "./form-dialog.js";
import { changeKey, createKey, rotateKey } from "./key-form.js";

const states = { active: t("active"), expired: t("expired"), revoked: t("revoked") };

export function keyTabs(current) {
    return tabs(t("Keys"), [["keys", t("API keys"), "#/keys"], ["cloudkit", t("CloudKit tokens"), "#/keys/cloudkit"]], current);
}

function time(milliseconds, otherwise = "") {
    return milliseconds === undefined ? otherwise : localText(milliseconds);
}

function state(key) {
    return make("span", { class: key.state === "active" ? "state" : "state alarm" }, states[key.state] ?? key.state);
}

async function showDetails(key) {
    await ask({
        title: key.name,
        content: facts([
            [t("State"), states[key.state] ?? key.state], [t("Records"), keyScopes.recordsText(key.scope)],
            [t("Rights"), (key.scope.rights ?? []).join(", ")],
            [t("Token begins with"), key.prefix && make("span", { class: "code" }, key.prefix)],
            [t("Key ID"), key.keyID && make("span", { class: "code" }, key.keyID)],
            [t("Public key (PEM)"), key.publicKey && make("pre", {}, key.publicKey)],
            [t("Records that it creates are by"), make("span", { class: "code" }, key.userRecordName)],
            [t("Created"), time(key.createdAt)], [t("Last used"), time(key.usedAt, t("never"))],
            [t("Expires"), time(key.expiresAt, t("never"))],
            [t("Old token valid until"), time(key.overlapsUntil)], [t("Revoked"), time(key.revokedAt)],
        ]),
        choices: [{ value: "close", title: t("Close"), isFirst: true }],
    });
    return false;
}

async function revoke(key) {
    const isSure = await askFirst({
        title: t("Revoke this key?"), keep: t("Keep it"), act: t("Revoke"),
        text: [tp("Services that use {name} are rejected from the next request on.", { name: make("strong", {}, key.name) }),
            t("This cannot be undone. The records that it created stay.")],
    });
    if (!isSure) return false;
    await keys.revoke(key.id);
    announce(t("Revoked."));
    return true;
}

async function change(key) {
    if (!(await changeKey(key))) return false;
    announce(t("Saved."));
    return true;
}

function commands(key) {
    const isOver = key.state === "revoked";
    return [
        { title: t("Details…"), act: showDetails },
        isOver ? null : { title: t("Change…"), act: change },
        key.state !== "active" || key.kind !== "token" ? null : { title: t("New token…"), act: rotateKey },
        isOver ? null : { title: t("Revoke…"), act: revoke, style: "danger" },
    ];
}

/** The API keys of the container and environment. */
export async function show(visit) {
    await schema.load({ signal: visit.signal });
    const heading = make("h1", {}, t("Keys"));
    const list = collection({
        label: t("API keys"), visit, load: keys.list, key: ({ id }) => id, name: ({ name }) => name, commands,
        isDim: (key) => key.state !== "active",
        columns: [
            { title: t("Name"), cell: ({ name }) => name },
            { title: t("Scope"), cell: (key) => keyScopes.text(key.scope), full: (key) => keyScopes.fullText(key.scope) },
            { title: t("State"), cell: state },
            { title: t("Expires"), cell: (key) => time(key.expiresAt, t("never")), style: "moment" },
            { title: t("Last used"), cell: (key) => time(key.usedAt, t("never")), style: "moment", priority: 1 },
            {
                title: t("Token"), priority: 1, full: ({ prefix, keyID }) => prefix ?? keyID,
                cell: ({ prefix, keyID }) => make("span", { class: "code" }, prefix === undefined ? keyID : `${prefix}…`),
            },
        ],
        empty: [make("p", { class: "lead" }, t("No keys yet.")),
            make("p", {}, t("A key lets a service use the database, within the limits that you tick. Press “New key”."))],
    });
    await list.begin();
    visit.show(
        pageHead(heading, { tabs: keyTabs("keys"), actions: [make("button", {
            type: "button", class: "primary", onclick: () => list.run(createKey),
        }, t("New key"))] }),
        make("p", { class: "note" }, t("A key lets a script or another server use this container and environment. Only "
            + "the key's scope says what it may do: grants and roles do not apply to it.")),
        list.element);
    introduce(heading);
}
