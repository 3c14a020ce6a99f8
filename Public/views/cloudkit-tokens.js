import { cloudKitTokens } from "../api-access.js";
import { localText } from "../dates.js";
import { announce, introduce, make } from "../dom.js";
import { InputProblem } from "../fields/problem.js";
import { t, tp } from "../words.js";
import { collection, pageHead } from "./collection.js";
import { askFirst, askForm, field, textInput } from "./form-dialog.js";
import { keyTabs } from "./keys.js";
import { showSecret } from "./secret.js";

/** The form of an API token. Returns the server's response, or `null`. */
function askForToken(token, { title, submit, send }) {
    const name = textInput({ value: token?.name ?? "", maxlength: "100" });
    const origins = make("textarea", {
        rows: "3", class: "code", spellcheck: "false", placeholder: "https://app.example.org", value: (token?.origins ?? []).join("\n"),
    });
    const callback = textInput({
        type: "url", class: "code", placeholder: "https://app.example.org/signed-in", value: token?.callback ?? "",
    });
    const notes = make("textarea", { rows: "2", value: token?.notes ?? "" });
    return askForm({
        title, submit, fields: [
            field({ label: t("Name of the app"), control: name, name: "name", note: t("The sign-in page shows it.") }),
            field({ label: t("Web origins, one in each line"), control: origins, name: "origins",
                note: t("Only pages of these origins may use the token. Empty: pages of any origin.") }),
            field({ label: t("Callback URL"), control: callback, name: "callback",
                note: t("Gets the web auth token after a sign-in. Empty: the sign-in page posts it to the page that opened it.") }),
            field({ label: t("Notes"), control: notes, name: "notes" }),
        ],
        send: () => {
            if (name.value.trim() === "") throw new InputProblem(t("Give it a name."), name);
            const lines = origins.value.split(/\s+/).filter((line) => line !== "");
            return send({
                name: name.value.trim(), origins: lines.length === 0 ? null : lines,
                callback: callback.value.trim() || null, notes: notes.value.trim(),
            });
        },
    });
}

async function create() {
    const made = await askForToken(undefined, {
        title: t("New API token for CloudKit"), submit: t("Create token"), send: cloudKitTokens.create,
    });
    if (made === null) return false;
    await showSecret({
        title: t("The token of {name}", { name: made.name }), label: t("API token"), text: made.token,
        note: t("This is the only time that the token is shown. Apps send it as ckAPIToken; it may be in pages and apps."),
    });
    return made.id;
}

async function change(token) {
    const done = await askForToken(token, {
        title: t("Change the token of {name}", { name: token.name }), submit: t("Save"),
        send: (body) => cloudKitTokens.change(token.id, body),
    });
    if (done !== null) announce(t("Saved."));
    return done !== null;
}

async function remove(token) {
    const isSure = await askFirst({
        title: t("Delete this token?"), keep: t("Keep it"), act: t("Delete"),
        text: tp("Apps that use the token of {name} are rejected from the next request on. This cannot be undone.", {
            name: make("strong", {}, token.name),
        }),
    });
    if (!isSure) return false;
    await cloudKitTokens.remove(token.id);
    announce(t("Deleted."));
    return true;
}

/** The API tokens of CloudKit Web Services, which identify apps. */
export async function show(visit) {
    const heading = make("h1", {}, t("Keys"));
    const list = collection({
        label: t("CloudKit tokens"), visit, load: cloudKitTokens.list, key: ({ id }) => id, name: ({ name }) => name,
        commands: () => [{ title: t("Change…"), act: change }, { title: t("Delete…"), act: remove, style: "danger" }],
        columns: [
            { title: t("Name"), cell: ({ name }) => name },
            { title: t("Origins"), cell: ({ origins }) => (origins === null ? t("any") : origins.join(", ")) },
            { title: t("Callback"), cell: ({ callback }) => callback ?? "", priority: 1 },
            { title: t("Notes"), cell: ({ notes }) => notes, priority: 1 },
            { title: t("Last used"), cell: ({ usedAt }) => (usedAt === undefined ? t("never") : localText(usedAt)), style: "moment" },
            { title: t("Token"), cell: ({ prefix }) => make("span", { class: "code" }, `${prefix}…`) },
        ],
        empty: [make("p", { class: "lead" }, t("No API tokens yet.")),
            make("p", {}, t("Apps that use CloudKit JS or CloudKit Web Services need one. Press “New token”."))],
    });
    await list.begin();
    visit.show(
        pageHead(heading, { tabs: keyTabs("cloudkit"), actions: [make("button", {
            type: "button", class: "primary", onclick: () => list.run(create),
        }, t("New token"))] }),
        make("p", { class: "note" }, t("An API token says which app sends a request. Alone it permits what anonymous "
            + "callers may do.")),
        list.element);
    introduce(heading);
}
