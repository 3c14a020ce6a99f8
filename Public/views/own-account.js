// The signed-in administrator's own password and sessions.

import { administrators } from "../api-access.js";
import { Refusal } from "../api.js";
import { localText } from "../dates.js";
import { announce, introduce, make, whileBusy } from "../dom.js";
import { InputProblem } from "../fields/problem.js";
import * as session from "../session.js";
import { t } from "../words.js";
import { checkPassword } from "./administrator-form.js";
import { administratorTabs } from "./administrators.js";
import { collection, inPages, pageHead } from "./collection.js";
import { askFirst, field } from "./form-dialog.js";
import { showProblem } from "./problem.js";

function passwordForm(changed) {
    const secret = (autocomplete) => make("input", { type: "password", autocomplete });
    const [current, next, again] = [secret("current-password"), secret("new-password"), secret("new-password")];
    const fields = [
        field({ label: t("Current password"), control: current, name: "currentPassword" }),
        field({ label: t("New password"), control: next, name: "password", note: t("At least 12 characters. A few random "
            + "words are easy to remember.") }),
        field({ label: t("New password, once more"), control: again }),
    ];
    const problem = make("div", {});
    const button = make("button", { type: "submit", class: "primary" }, t("Change password"));

    function check() {
        if (current.value === "") throw new InputProblem(t("Type your current password."), current);
        checkPassword(next);
        if (next.value !== again.value) throw new InputProblem(t("The two new passwords differ."), again);
    }
    async function submit() {
        problem.replaceChildren();
        for (const each of fields) each.say("");
        try {
            check();
            await administrators.changeOwnPassword({ password: next.value, currentPassword: current.value });
        } catch (error) {
            const control = error instanceof InputProblem ? error.control
                : error instanceof Refusal && error.details?.cause === "WRONG_PASSWORD" ? current : undefined;
            const wrong = fields.find((each) => control !== undefined && each.control === control);
            if (wrong === undefined) {
                showProblem(problem, error);
                return;
            }
            wrong.say(error instanceof InputProblem ? error.message : t("This is not your current password."));
            control.focus();
            return;
        }
        for (const input of [current, next, again]) input.value = "";
        announce(t("Changed. Your other sessions have ended."));
        changed();
    }
    return make("form", { class: "form", novalidate: true, onsubmit: (event) => {
        event.preventDefault();
        whileBusy(button, submit);
    } }, make("input", {
        type: "text", autocomplete: "username", hidden: true, value: session.current()?.name ?? "", "aria-label": t("Name"),
    }),
    fields.map(({ element }) => element), problem, make("p", { class: "actions" }, button));
}

async function end({ id, label }) {
    const isSure = await askFirst({
        title: t("End this session?"), act: t("End it"), keep: t("Keep it"),
        text: t("{name} is signed out, and unsaved work there is lost.", { name: label ?? t("The device") }),
    });
    if (!isSure) return false;
    await administrators.endSession(id);
    announce(t("Ended."));
    return true;
}

export async function show(visit) {
    const heading = make("h1", {}, t("Password and sessions"));
    const head = pageHead(heading, { tabs: administratorTabs("me") });
    if (!session.isByName()) {
        visit.show(head, make("p", {}, t("You are signed in with a token, which has no password and no sessions.")),
            make("p", { class: "note" }, session.covers("manageAdministrators")
                ? t("Create an administrator for yourself under “Administrators”, and sign in with its name and password.")
                : t("An owner can create an administrator for you.")));
        introduce(heading);
        return;
    }
    const list = collection({
        label: t("Sessions"), visit, load: inPages(administrators.sessions), key: ({ id }) => id,
        name: ({ label }) => label ?? t("a session"),
        commands: (each) => (each.isCurrent ? [] : [{ title: t("End…"), act: end, style: "danger" }]),
        columns: [
            { title: t("Device or program"), cell: ({ label, isCurrent }) => {
                const text = label ?? t("without a label");
                return isCurrent ? t("{name} (this one)", { name: text }) : text;
            } },
            { title: t("Signed in"), cell: ({ createdAt }) => localText(createdAt), style: "moment" },
            { title: t("Last used"), cell: ({ usedAt }) => (usedAt === undefined ? "" : localText(usedAt)), style: "moment" },
            { title: t("Ends"), cell: ({ expiresAt }) => localText(expiresAt), style: "moment", priority: 1 },
        ],
        empty: [make("p", {}, t("No sessions."))],
    });
    await list.begin();
    visit.show(head, make("div", { class: "own-account" },
        make("section", { "aria-label": t("Change password") }, make("h2", {}, t("Change password")),
            passwordForm(() => list.run(() => undefined))),
        make("section", { "aria-label": t("Sessions") }, make("h2", {}, t("Sessions")),
            make("p", { class: "note" }, t("Where you are signed in. A session ends 12 hours after its last use, and after "
                + "7 days at most.")), list.element)));
    introduce(heading);
}
