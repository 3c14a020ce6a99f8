// The dialogs of an account's page: a new password, a new role, deletion and its progress.

import * as api from "../api.js";
import { freshID, make } from "../dom.js";
import { InputProblem } from "../fields/problem.js";
import * as routes from "../security/routes.js";
import { t } from "../words.js";
import { ask } from "./dialog.js";
import { askForm, field, textInput } from "./form-dialog.js";
import { progressText, stateText } from "./jobs.js";
import { isRoleName } from "./security-parts.js";

const shortestPassword = 8;
const pause = 500; // milliseconds

/** Asks for a new password of an account; `null` if not. */
export async function askForPassword(name) {
    const [id, shownID] = [freshID("password"), freshID("shown")];
    const problem = make("p", { class: "problem", role: "alert", id: `${id}-problem` });
    const input = make("input", { id, type: "password", autocomplete: "new-password", autofocus: true, "aria-describedby": problem.id });
    const shown = make("input", { type: "checkbox", id: shownID, onchange: () => { input.type = shown.checked ? "text" : "password"; } });
    const isValid = () => {
        problem.textContent = new TextEncoder().encode(input.value).length < shortestPassword ? t("A password has at least 8 bytes.") : "";
        if (problem.textContent !== "") input.focus();
        return problem.textContent === "";
    };
    const answer = await ask({
        title: t("New password of {name}", { name }),
        content: (close) => make("form", { novalidate: true, onsubmit: (event) => {
            event.preventDefault();
            if (isValid()) close("set");
        } },
        make("label", { for: id }, t("Password")), input, problem,
        make("p", { class: "choice" }, shown, make("label", { for: shownID }, t("Show the password"))),
        make("p", { class: "note" }, t("All sessions of the account end. The server sends no mail: tell the user the password."))),
        choices: [
            { value: "set", title: t("Set the password"), kind: "primary", allow: isValid },
            { value: "cancel", title: t("Cancel"), kind: "quiet" },
        ],
    });
    return answer === "set" ? input.value : null;
}

/** Creates a role whose first member is the account, and returns it; `null` if the user gave up. */
export function createRoleFor(account, title) {
    const name = textInput({ placeholder: "editors" });
    const nameField = field({ label: t("Name of the role"), control: name, name: "role",
        note: t("A role is a group of accounts. Grants give it rights on types.") });
    return askForm({
        title: t("New role for {name}", { name: title }), submit: t("Create and give the role"), fields: [nameField],
        send: async () => {
            const text = name.value.trim();
            if (!isRoleName(text)) {
                throw new InputProblem(t("A role's name is made of letters, digits and _, and begins with a letter."), name);
            }
            try {
                return await routes.createRole(text, [account.userRecordName]);
            } catch (error) {
                if (error.status === 412) throw new InputProblem(t("There is already a role “{name}”.", { name: text }), name);
                throw error;
            }
        },
    });
}

/** Asks before an account is deleted. An account with a name is deleted after its name was typed. */
export async function askToDelete(name, isAnonymous) {
    const id = freshID("name");
    const problem = make("p", { class: "problem", role: "alert", id: `${id}-problem` });
    const input = make("input", {
        id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": problem.id,
    });
    const isTyped = () => {
        problem.textContent = isAnonymous || input.value.trim() === name ? "" : t("This is not the name of the account.");
        if (problem.textContent !== "") input.focus();
        return problem.textContent === "";
    };
    const answer = await ask({
        title: t("Delete this account?"),
        content: make("div", {}, make("p", {}, t("{name} loses the account and the private database. This cannot be undone.", { name })),
            isAnonymous ? null : [make("label", { for: id }, t("Type the name of the account")), input, problem]),
        choices: [
            { value: "keep", title: t("Keep it"), isFirst: true },
            { value: "delete", title: t("Delete"), kind: "danger", allow: isTyped },
        ],
    });
    return answer === "delete";
}

/** The job that deletes the data of removed accounts, or `undefined`. */
async function removalJob() {
    return (await api.jobs({ unfinished: "true" })).find(({ kind }) => kind === "removeAccount");
}

/** Shows the progress of the deletion until it ends. Returns whether it has ended. */
export async function watchRemoval(name) {
    let job = await removalJob();
    if (job === undefined) return true;
    const bar = make("progress", { "aria-label": t("Progress") });
    const text = make("p", { class: "note", role: "status" });
    let isOpen = true;
    let end;
    const answer = ask({
        title: t("{name} is deleted", { name }),
        content(close) {
            end = close;
            return make("div", {}, make("p", {}, t("The server deletes the private data in the background.")), bar, text);
        },
        choices: [{ value: "leave", title: t("Let it go on"), isFirst: true }],
    });
    answer.then(() => { isOpen = false; });
    try {
        while (job !== undefined && isOpen) {
            text.textContent = t("{state}, {records} records", { state: stateText(job), records: progressText(job) });
            await new Promise((resolve) => setTimeout(resolve, pause));
            if (isOpen) job = await removalJob();
        }
    } finally {
        if (isOpen) end("over");
    }
    return await answer === "over";
}
