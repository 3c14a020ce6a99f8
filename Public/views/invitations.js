import { invitations, roleNames } from "../api-access.js";
import { localText } from "../dates.js";
import { announce, introduce, make } from "../dom.js";
import * as expiry from "../expiry.js";
import { InputProblem } from "../fields/problem.js";
import * as links from "../invitation-links.js";
import * as observation from "../observation.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { number, t, tp } from "../words.js";
import { createAdministrator } from "./administrator-form.js";
import { collection, inPages, pageHead } from "./collection.js";
import { expiryField } from "./expiry-field.js";
import { askFirst, askForm, field, radioGroup, textInput, tickGroup } from "./form-dialog.js";
import { showSecret } from "./secret.js";

const states = { open: t("open"), used: t("used"), expired: t("expired") };
const mostUses = 1000;
const longest = 366; // days

function forWhom({ name }) {
    return name ?? t("anyone with the link");
}

function stateNode({ state }) {
    return make("span", { class: state === "open" ? "state" : "state alarm" }, states[state] ?? state);
}

/** The address in a field, or an empty text. */
function addressIn(control) {
    const text = control.value.trim();
    if (text !== "" && !links.isPage(text)) throw new InputProblem(t("Write the whole address, beginning with https://."), control);
    return text;
}

/** The addresses of the app: where people sign up, and where they go then. `read()` returns `{page, app}`. */
function addressFields() {
    const own = links.ownPage(scope.current());
    const app = textInput({ type: "url", class: "code", placeholder: "https://app.example.org/", value: links.chosenApp() });
    const page = textInput({ type: "url", class: "code", placeholder: own, value: links.chosenPage() });
    const parts = [
        field({ label: t("Address of your app"), control: app,
            note: t("After the sign-up, a button leads there. Without an address, people have to know it.") }),
        field({ label: t("Sign-up page"), control: page,
            note: t("Leave it empty to use the page of this server. If your app has a page for this, enter its address: the link "
                + "adds “#invitation=…” to it.") }),
    ];
    return {
        fields: parts.map((part) => ({ ...part, isPlaced: true })),
        element: make("details", { class: "more" }, make("summary", {}, t("Addresses of your app")),
            make("div", { class: "form" }, parts.map(({ element }) => element))),
        read() {
            const [chosenApp, chosenPage] = [addressIn(app), addressIn(page)];
            links.chooseApp(chosenApp);
            links.choosePage(chosenPage);
            return chosenPage === "" ? { page: own, app: chosenApp } : { page: chosenPage, app: "" };
        },
    };
}

function rolesField(names) {
    if (names.length === 0) return null;
    return tickGroup({
        legend: t("Roles"), name: "roles", note: t("The new account is a member of these roles."),
        options: names.map((value) => ({ value, title: value })),
    });
}

function showLink(made, { page, app }) {
    const address = links.link(made.invitation, page, app);
    const mail = new URLSearchParams({
        subject: t("Your invitation"), body: `${t("With this link you can create your account:")}\n\n${address}\n\n`
            + t("It is valid until {time}.", { time: localText(made.expiresAt) }),
    }).toString().replaceAll("+", "%20");
    return showSecret({
        title: t("The invitation is ready"), label: t("Link"), text: address,
        note: made.name === undefined ? t("Send this link. It is shown only now. People who have it can sign up, as many as you have allowed.")
            : t("Send this link to {name}. It is shown only now.", { name: made.name }),
        further: [make("p", { class: "actions" }, make("a", { class: "button", href: `mailto:?${mail}` }, t("Write an e-mail"))),
            make("p", { class: "note" }, t("Only for apps that ask for an invitation code:"), " ", make("span", { class: "code" }, made.invitation))],
    });
}

async function create(signal) {
    const names = session.covers("changeRights") ? await roleNames(signal) : [];
    const name = textInput({ placeholder: "ada", maxlength: "128" });
    const nameField = field({ label: t("User name"), control: name, name: "name", note: t("The new account has this "
        + "name. The person chooses the password.") });
    const uses = textInput({ type: "number", min: "1", max: String(mostUses), value: "1" });
    const usesField = field({ label: t("How many accounts"), control: uses, name: "uses",
        note: t("After so many sign-ups, the link no longer works. At most {most}.", { most: mostUses }) });
    const kind = radioGroup({
        legend: t("For whom"), value: "anyone", changed: follow, options: [
            { value: "anyone", title: t("Anyone with the link"), note: t("Each person chooses a user name.") },
            { value: "person", title: t("One person"), note: t("You choose the user name.") },
        ],
    });
    const expires = expiryField({ days: [1, 7, 30], preset: 7, canBeNever: false, latest: Date.now() + longest * expiry.day });
    const [roles, addresses] = [rolesField(names), addressFields()];

    function follow() {
        nameField.element.hidden = kind.read() !== "person";
        usesField.element.hidden = kind.read() === "person";
    }
    follow();
    const made = await askForm({
        title: t("Invite a user"), submit: t("Create invitation"), further: addresses.element,
        fields: [kind, nameField, usesField, expires, roles, ...addresses.fields].filter((each) => each !== null),
        send: async () => {
            const isPerson = kind.read() === "person";
            if (isPerson && name.value.trim() === "") throw new InputProblem(t("Type the user name, or choose “Anyone with "
                + "the link”."), name);
            const count = Number(uses.value);
            if (!isPerson && !(Number.isInteger(count) && count >= 1 && count <= mostUses)) {
                throw new InputProblem(t("Write a whole number from 1 to {most}.", { most: mostUses }), uses);
            }
            const address = addresses.read();
            const given = roles?.read() ?? [];
            return [await invitations.create({
                expiresIn: expiry.secondsUntil(expires.read(), Date.now()), ...(isPerson ? { name: name.value.trim() } : { uses: count }),
                ...(given.length === 0 ? {} : { roles: given }),
            }), address];
        },
    });
    if (made === null) return false;
    await showLink(...made);
    return made[0].id;
}

async function withdraw(invitation) {
    const isOpen = invitation.state === "open";
    const isSure = !isOpen || await askFirst({
        title: t("Withdraw this invitation?"), keep: t("Keep it"), act: t("Withdraw"),
        text: tp("The link for {name} stops working. Accounts that were created with it stay.", {
            name: make("strong", {}, forWhom(invitation)),
        }),
    });
    if (!isSure) return false;
    await invitations.remove(invitation.id);
    announce(isOpen ? t("Withdrawn.") : t("Removed from the list."));
    return true;
}

/** The newest first, and those that are still open before the others. */
async function newestFirst(signal) {
    const { items } = await invitations.list(signal);
    const rank = ({ state }) => (state === "open" ? 0 : 1);
    const age = ({ createdTimestamp }) => -Number(createdTimestamp);
    return { items: [...items].sort((one, other) => rank(one) - rank(other) || age(one) - age(other)) };
}

/**
 * What the setting `accounts.sign_up` means for invitations, as `{text, isClosed}`. The text is empty if they are the only way, or if the
 * caller may not read settings.
 */
async function signUpText(signal) {
    if (!session.covers("readSettings")) return { text: "" };
    const setting = (await observation.settings(signal)).find(({ key }) => key === "accounts.sign_up");
    const isClosed = setting?.value === "closed";
    if (setting?.value === "invitation" || setting === undefined) return { text: "" };
    return { isClosed, text: isClosed
        ? t("Nobody can sign up at the moment: links work again after the setting accounts.sign_up is “invitation” or “open”.")
        : t("Sign-up is open: people can also create accounts without an invitation. An invitation can give them roles.") };
}

/** The invitations to sign up. */
export async function show(visit) {
    const heading = make("h1", {}, t("Invitations"));
    const mode = make("p", { class: "note", hidden: true });
    const list = collection({
        label: t("Invitations"), visit, load: inPages(newestFirst), key: ({ id }) => id, name: forWhom,
        isDim: ({ state }) => state !== "open",
        commands: ({ state }) => [state === "open" ? { title: t("Withdraw…"), act: withdraw, style: "danger" }
            : { title: t("Remove from the list"), act: withdraw }],
        columns: [
            { title: t("For whom"), cell: forWhom },
            { title: t("Roles"), cell: ({ roles }) => roles.join(", "), priority: 1 },
            { title: t("Used"), cell: ({ used, uses }) => t("{used} of {uses}", { used: number(used), uses: number(uses) }) },
            { title: t("State"), cell: stateNode },
            { title: t("Expires"), cell: ({ expiresAt }) => localText(expiresAt), style: "moment" },
            { title: t("Created"), cell: ({ createdTimestamp }) => localText(createdTimestamp), style: "moment", priority: 1 },
        ],
        empty: [make("p", { class: "lead" }, t("No invitations yet.")),
            make("p", {}, t("Press “Invite a user” to make a link, and send it."))],
    });
    await list.begin();
    visit.show(
        pageHead(heading, { actions: [
            !session.covers("manageAdministrators") ? null : make("button", {
                type: "button", onclick: async () => {
                    await list.run(async () => {
                        await createAdministrator();
                        return false;
                    });
                },
            }, t("Invite an administrator")),
            make("button", { type: "button", class: "primary", onclick: () => list.run(() => create(visit.signal)) }, t("Invite a user")),
        ] }),
        make("p", { class: "note" }, t("An invitation is a link for the users of your app. People who open it choose a password and get an account. "
            + "You send the link yourself: the server sends no mail.")),
        !session.covers("manageAdministrators") ? null : make("p", { class: "note" },
            t("Administrators of this console get no link: “Invite an administrator” creates the account with a first password, which "
                + "you pass on.")),
        mode, list.element);
    introduce(heading);
    signUpText(visit.signal).then(({ text, isClosed }) => {
        if (text === "" || visit.signal.aborted) return;
        mode.textContent = text;
        mode.className = isClosed ? "panel notice" : "note";
        mode.hidden = false;
    }, () => {}); // The page does without it.
}
