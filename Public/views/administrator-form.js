// Creates administrators, and shows what to pass on to them.

import { administrators } from "../api-access.js";
import { make } from "../dom.js";
import { InputProblem } from "../fields/problem.js";
import * as passwords from "../passwords.js";
import { pageAddress } from "../invitation-links.js";
import { t } from "../words.js";
import { askForm, field, radioGroup, textInput } from "./form-dialog.js";
import { showSecret } from "./secret.js";

/** The roles, with what each may do. Each one includes those that follow. */
export const roles = new Map([
    ["owner", t("Everything: also administrators, passwords of users, private databases and the audit log.")],
    ["developer", t("Changes the schema, grants, roles, users, keys, webhooks and schedules.")],
    ["editor", t("Creates, changes and deletes records of the public databases, and uploads files.")],
    ["viewer", t("Sees the schema, grants and all records of the public databases, and changes nothing.")],
]);

const namePattern = /^[a-z0-9][a-z0-9._@-]{0,63}$/;

export function roleChoice(value) {
    return radioGroup({
        legend: t("Role"), name: "role", value, options: [...roles].map(([role, note]) => ({ value: role, title: role, note })),
    });
}

/** An input for a first password, filled with a random one. `read()` throws if it is too short. */
function firstPassword() {
    const control = textInput({ class: "code", value: passwords.generate(), maxlength: "256" });
    const again = make("button", { type: "button", onclick: () => {
        control.value = passwords.generate();
        control.focus();
    } }, t("Another one"));
    const part = field({ label: t("First password"), control, name: "password", note: t("A random one. You can also write "
        + "your own, of at least 12 characters.") });
    const line = make("div", { class: "joined" });
    control.replaceWith(line);
    line.append(control, again);
    return {
        ...part,
        read() {
            checkPassword(control);
            return control.value;
        },
    };
}

/** Checks a password for an administrator. */
export function checkPassword(control) {
    const size = passwords.byteCount(control.value);
    if (size < 12 || size > 256) throw new InputProblem(t("A password has 12 to 256 characters."), control);
}

/** Shows the message for an administrator whose password was just set. */
function showMessage(title, name, password) {
    const address = pageAddress("");
    return showSecret({
        title, label: t("Message"), isLong: true,
        text: t("Sign in at {address} under “Name and password”.", { address }) + `\n\n${t("Name")}: ${name}\n`
            + `${t("Password")}: ${password}\n\n`
            + t("Then choose a password of your own: in the menu with your name, “Password and sessions”."),
        note: t("Copy this message and send it in a way that nobody else reads. The password is not shown again."),
    });
}

/** Asks for a new administrator, creates it, and shows the message for it. Returns the name, or `false`. */
export async function createAdministrator() {
    const input = textInput({ placeholder: "grace", maxlength: "64" });
    const name = field({ label: t("Name"), control: input, name: "name", note: t("Small letters, digits and . _ - @; an "
        + "e-mail address is possible.") });
    const role = roleChoice("viewer");
    const password = firstPassword();
    let secret = "";
    const made = await askForm({
        title: t("New administrator"), submit: t("Create administrator"), fields: [name, role, password],
        send: () => {
            const text = input.value.trim().toLowerCase();
            if (!namePattern.test(text) || ["me", "sessions"].includes(text)) {
                throw new InputProblem(t("A name is made of small letters, digits and . _ - @, and begins with a letter or "
                    + "digit. “me” and “sessions” are taken."), input);
            }
            secret = password.read();
            return administrators.create({ name: text, role: role.read(), password: secret });
        },
    });
    if (made === null) return false;
    await showMessage(t("{name} is an administrator", { name: made.name }), made.name, secret);
    return made.name;
}

/** Sets a password for another administrator and shows the message. Returns whether it was done. */
export async function resetPassword({ name }) {
    const password = firstPassword();
    let secret = "";
    const done = await askForm({
        title: t("New password for {name}", { name }), submit: t("Set password"), fields: [password],
        intro: make("p", {}, t("The old password stops working, and all sessions of {name} end.", { name })),
        send: () => {
            secret = password.read();
            return administrators.change(name, { password: secret });
        },
    });
    if (done === null) return false;
    await showMessage(t("The new password of {name}", { name }), name, secret);
    return true;
}
