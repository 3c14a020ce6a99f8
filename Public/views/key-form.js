// The forms of API keys: create, change, rotate.

import { keys } from "../api-access.js";
import { localText } from "../dates.js";
import { make } from "../dom.js";
import { InputProblem } from "../fields/problem.js";
import * as keyScopes from "../key-scopes.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { t, tp } from "../words.js";
import { expiryField } from "./expiry-field.js";
import { askForm, field, radioGroup, selectField, textInput, tickGroup } from "./form-dialog.js";
import { nameList } from "./name-list.js";
import { showSecret } from "./secret.js";

/** How long an old token or secret stays valid after a rotation. */
export const overlaps = [
    ["0", t("At once")], ["1h", t("In an hour")], ["1d", t("In a day")], ["7d", t("In a week")], ["30d", t("In 30 days")],
];

const pem = "-----BEGIN PUBLIC KEY-----";

function scopeFields(current) {
    const can = keyScopes.grantable(session.current());
    const actions = tickGroup({
        legend: t("Records: what it may do"), name: "actions", chosen: current?.actions ?? ["read"],
        options: can.actions.map((value) => ({ value, title: keyScopes.actions.get(value) ?? value })),
    });
    const types = nameList({
        legend: t("Records: of which types"), name: "types", all: t("All types"), some: t("Only these"), canBeAll: can.types === null,
        names: can.types ?? schema.all().map(({ name }) => name), chosen: current === undefined ? null : current.types ?? null,
        note: can.types === null ? t("All types includes those that are created later.") : "",
    });
    const rights = tickGroup({
        legend: t("Administration"), name: "rights", chosen: current?.rights ?? [],
        options: can.rights.map((value) => ({ value, title: keyScopes.rights.get(value), note: value })),
    });
    const folded = make("details", { class: "more", open: (current?.rights ?? []).length > 0 },
        make("summary", {}, t("Rights beyond records")), rights.element);
    const summary = make("p", { class: "summary", role: "status" });
    function ticked() {
        return keyScopes.built({ types: types.read(), actions: actions.read(), rights: rights.read() });
    }
    return {
        fields: [actions, types, { ...rights, isPlaced: true }], further: [folded, summary],
        changed() {
            const { actions: doing, types: names, rights: having = [] } = ticked();
            summary.textContent = doing.length === 0 && having.length === 0 ? t("This key may do nothing yet.")
                : t("This key may: {scope}", { scope: keyScopes.fullText({ actions: doing, types: names, rights: having }) });
        },
        read() {
            const result = ticked();
            if (result.actions.length === 0 && result.rights === undefined) {
                throw new InputProblem(t("Tick what the key may do."), actions.control);
            }
            if (result.types?.length === 0) throw new InputProblem(t("Tick at least one type, or choose all types."), types.control);
            return result;
        },
    };
}

function readName(control) {
    const text = control.value.trim();
    if (text === "") throw new InputProblem(t("Give it a name."), control);
    return text;
}

/** The end of the key that the caller is, which new keys cannot outlive. The server knows it; the console does not. */
function expiryOf(current) {
    const present = current === undefined ? undefined : Number(current.expiresAt ?? 0) || null;
    return expiryField({ days: [30, 90, 365], preset: 90, current: present });
}

function showToken(key, title) {
    const { container, environment } = scope.current();
    const query = new URLSearchParams({ ...(container && { container }), ...(environment && { environment }) }).toString();
    const url = `${location.origin}${scope.base}/users/me${query === "" ? "" : `?${query}`}`;
    return showSecret({
        title, label: t("Token"), text: key.token,
        note: t("This is the only time that the token is shown. Copy it to the service that uses it, and keep it out of "
            + "pages and apps."),
        further: [make("p", { class: "note" }, t("To try it:")),
            make("pre", { class: "marked" }, `curl -H 'Authorization: Bearer …' '${url}'`)],
    });
}

/** Asks for a new key and creates it. Returns its id, or `false`. */
export async function createKey() {
    const name = textInput({ placeholder: t("for example: mailer"), maxlength: "100" });
    const nameField = field({ label: t("Name"), control: name, name: "name" });
    const kind = radioGroup({
        legend: t("Kind"), value: "token", changed: follow, options: [
            { value: "token", title: t("Token"), note: t("For services that send Authorization: Bearer.") },
            { value: "serverToServer", title: t("CloudKit server-to-server key"), note: t("The service signs its requests; "
                + "you register its public key.") },
        ],
    });
    const text = make("textarea", { class: "code", rows: "4", spellcheck: "false", autocomplete: "off", placeholder: pem });
    const publicKey = field({ label: t("Public key (PEM)"), control: text, name: "publicKey",
        note: t("Of a key on the curve P-256: what “openssl ec -in key.pem -pubout” prints.") });
    const scopes = scopeFields();
    const expires = expiryOf();

    function follow() {
        publicKey.element.hidden = kind.read() === "token";
    }
    follow();
    scopes.changed();
    const made = await askForm({
        title: t("New API key"), submit: t("Create key"), wide: true, changed: scopes.changed, further: scopes.further,
        fields: [nameField, kind, publicKey, ...scopes.fields, expires],
        send: () => {
            const isToken = kind.read() === "token";
            if (!isToken && text.value.trim() === "") throw new InputProblem(t("Paste the public key."), text);
            const expiresAt = expires.read();
            return keys.create({
                name: readName(name), scope: scopes.read(), ...(isToken ? {} : { publicKey: text.value }),
                ...(typeof expiresAt === "number" ? { expiresAt } : {}),
            });
        },
    });
    if (made === null) return false;
    if (made.token !== undefined) await showToken(made, t("The key {name}", { name: made.name }));
    else {
        await showSecret({
            title: t("The key {name}", { name: made.name }), label: t("Key ID"), text: made.keyID,
            note: t("The service sends this ID with each signed request. It is not secret, and the list shows it too."),
        });
    }
    return made.id;
}

/** Changes name, scope and expiry. Returns whether it was done. */
export async function changeKey(key) {
    const name = textInput({ value: key.name, maxlength: "100" });
    const scopes = scopeFields(key.scope);
    const expires = expiryOf(key);
    scopes.changed();
    const done = await askForm({
        title: t("Change the key {name}", { name: key.name }), submit: t("Save"), wide: true, changed: scopes.changed,
        further: [scopes.further, make("p", { class: "note" }, t("If the scope changes, the key's sync tokens start again."))].flat(),
        fields: [field({ label: t("Name"), control: name, name: "name" }), ...scopes.fields, expires],
        send: () => {
            const [newName, newScope, expiresAt] = [readName(name), scopes.read(), expires.read()];
            const isSame = keyScopes.fullText(newScope) === keyScopes.fullText(key.scope);
            return keys.change(key.id, {
                name: newName, ...(isSame ? {} : { scope: newScope }), ...(expiresAt === undefined ? {} : { expiresAt }),
            });
        },
    });
    return done !== null;
}

/** Gives a key a new token. Returns whether it was done. */
export async function rotateKey(key) {
    const overlap = selectField({ label: t("The old token ends"), options: overlaps, value: "1d", name: "overlap" });
    const made = await askForm({
        title: t("New token for {name}", { name: key.name }), submit: t("Create the token"), fields: [overlap],
        intro: make("p", {}, tp("{name} gets a new token. Until the old one ends, both are valid.", { name: make("strong", {}, key.name) })),
        further: key.overlapsUntil === undefined ? [] : [make("p", { class: "note" },
            t("An earlier token is still valid until {time}. It ends now.", { time: localText(key.overlapsUntil) }))],
        send: () => keys.rotate(key.id, overlap.read()),
    });
    if (made === null) return false;
    await showToken(made, t("New token for {name}", { name: key.name }));
    return true;
}
