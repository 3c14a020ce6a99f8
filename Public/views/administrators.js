import { administrators } from "../api-access.js";
import { localText } from "../dates.js";
import { announce, introduce, make } from "../dom.js";
import { InputProblem } from "../fields/problem.js";
import * as session from "../session.js";
import { t } from "../words.js";
import { createAdministrator, resetPassword, roleChoice, roles } from "./administrator-form.js";
import { collection, inPages, pageHead, tabs } from "./collection.js";
import { askFirst, askForm } from "./form-dialog.js";

export function administratorTabs(current) {
    return !session.covers("manageAdministrators") ? null : tabs(t("Administrators"),
        [["all", t("All"), "#/administrators"], ["me", t("Password and sessions"), "#/administrators/me"]], current);
}

function isMyself({ name }) {
    return session.isByName() && session.current().name === name;
}

/** What an owner should know before a change of the own account. */
function warning(administrator) {
    return isMyself(administrator) ? t("This is you: your own session ends, too.") : "";
}

async function changeRole(administrator) {
    const choice = roleChoice(administrator.role);
    const done = await askForm({
        title: t("Role of {name}", { name: administrator.name }), submit: t("Change role"), fields: [choice],
        intro: [make("p", {}, t("All sessions of {name} end with the change.", { name: administrator.name })),
            warning(administrator) === "" ? null : make("p", { class: "problem" }, warning(administrator))],
        send: () => {
            if (choice.read() === administrator.role) {
                throw new InputProblem(t("This is the present role. Choose another one."), choice.control);
            }
            return administrators.change(administrator.name, { role: choice.read() });
        },
    });
    if (done !== null) announce(t("{name} is {role} now.", { name: done.name, role: done.role }));
    return done !== null;
}

async function disable(administrator) {
    const { name } = administrator;
    const isSure = await askFirst({
        title: t("Disable {name}?", { name }), act: t("Disable"),
        text: [t("All sessions of {name} end, and signing in is not possible until an owner enables the account again.", { name }),
            warning(administrator)].filter((text) => text !== ""),
    });
    if (!isSure) return false;
    await administrators.change(name, { disabled: true });
    announce(t("{name} is disabled.", { name }));
    return true;
}

async function enable({ name }) {
    await administrators.change(name, { disabled: false });
    announce(t("{name} can sign in again.", { name }));
    return true;
}

async function remove(administrator) {
    const { name } = administrator;
    const isSure = await askFirst({
        title: t("Delete {name}?", { name }), keep: t("Keep it"), act: t("Delete"),
        text: [t("All sessions of {name} end. Webhooks that read as {name} are disabled. This cannot be undone.", { name }),
            warning(administrator)].filter((text) => text !== ""),
    });
    if (!isSure) return false;
    await administrators.remove(name);
    announce(t("Deleted."));
    return true;
}

function commands(administrator) {
    return [
        { title: t("Change role…"), act: changeRole },
        isMyself(administrator) ? null : { title: t("New password…"), act: resetPassword },
        administrator.disabled ? { title: t("Enable"), act: enable } : { title: t("Disable…"), act: disable },
        { title: t("Delete…"), act: remove, style: "danger" },
    ];
}

function state({ disabled, disabledAt }) {
    if (!disabled) return make("span", { class: "state" }, t("active"));
    return make("span", { class: "state alarm" },
        disabledAt === undefined ? t("disabled") : t("disabled since {time}", { time: localText(disabledAt) }));
}

/** The roles with their meaning. */
function roleList() {
    return make("section", { "aria-label": t("Roles") }, make("h2", {}, t("What each role may do")),
        make("dl", { class: "roles-list" }, [...roles].map(([role, text]) => make("div", {}, make("dt", {}, role), make("dd", {}, text)))),
        make("p", { class: "note" }, t("Each role includes those that follow it. Give the lowest one that is enough.")));
}

/** The named administrators of the server. For owners. */
export async function show(visit) {
    const heading = make("h1", {}, t("Administrators"));
    const list = collection({
        label: t("Administrators"), visit, load: inPages(administrators.list), key: ({ name }) => name, name: ({ name }) => name, commands,
        isDim: ({ disabled }) => disabled,
        columns: [
            { title: t("Name"), cell: (each) => (isMyself(each) ? t("{name} (you)", { name: each.name }) : each.name) },
            { title: t("Role"), cell: ({ role }) => role, full: ({ role }) => roles.get(role) ?? role },
            { title: t("State"), cell: state },
            { title: t("Created"), cell: ({ createdAt }) => localText(createdAt), style: "moment" },
        ],
        empty: [make("p", { class: "lead" }, t("No named administrators yet.")),
            make("p", {}, t("Only the server's own token opens this console. Create an administrator for each person; press "
                + "“New administrator”."))],
    });
    await list.begin();
    visit.show(
        pageHead(heading, { tabs: administratorTabs("all"), actions: [make("button", {
            type: "button", class: "primary", onclick: () => list.run(createAdministrator),
        }, t("New administrator"))] }),
        make("p", { class: "note" }, t("Administrators are people with rights over the whole server, all containers "
            + "included. They sign in here with name and password.")),
        list.element, roleList());
    introduce(heading);
}
