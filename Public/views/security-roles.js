// The roles: a role for an account by its name, all roles with their members and rights, new roles.

import * as accounts from "../accounts.js";
import { announce, freshID, introduce, make, whileBusy } from "../dom.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as routes from "../security/routes.js";
import * as session from "../session.js";
import * as users from "../users.js";
import { number, t } from "../words.js";
import { showProblem } from "./problem.js";
import { askForRole, askToDeleteRole, grantsOf, growing, lookingNote, privateNote, rightsText, securityHead } from "./security-parts.js";
import { accountTitle, accountInput } from "./account-input.js";
import { columnTable } from "./table.js";

const mostNames = 3;
const mostRoles = 15;

/** The first members by name, and how many more there are. */
function memberNames(members) {
    const shown = members.slice(0, mostNames).flatMap((member, at) => [at === 0 ? null : ", ",
        member.startsWith("role:") ? make("a", { href: router.address(["security", "roles", member.slice(5)]) }, member)
            : accounts.link(member)]);
    return [...shown, members.length > mostNames ? ` + ${number(members.length - mostNames)}` : null];
}

/** The form that gives a role to an account. `given(role, account)` is called after it. */
function giveForm(roles, given, refused) {
    const id = freshID("role");
    const who = accountInput({ label: t("Name of the account") });
    const select = make("select", { id }, roles.map(({ name }) => make("option", { value: name }, name)));
    const button = make("button", { type: "submit", class: "primary" }, t("Give the role"));
    return make("form", { class: "panel line-form", novalidate: true, "aria-label": t("Give a role"), onsubmit: (event) => {
        event.preventDefault();
        whileBusy(button, async () => {
            try {
                const found = await who.find();
                if (found === null) return;
                await routes.setMember(select.value, found.userRecordName, true);
                given(select.value, accountTitle(found));
            } catch (error) {
                refused(error);
            }
        });
    } }, who.element, make("div", {}, make("label", { for: id }, t("Role")), select), button);
}

export async function show({ signal, show: draw, isOver }) {
    const [roles] = await Promise.all([routes.roles(signal), schema.load({ signal })]);
    const types = schema.all();
    const canChange = session.covers("changeRights");
    const canFind = session.covers("manageUsers");
    const heading = make("h1", {}, t("Roles"));
    const problem = make("div", {});
    const body = make("tbody", {});
    const rest = make("div", {});
    const refused = (error) => showProblem(problem, error);
    const reload = () => { if (!isOver()) router.go(location.hash); };
    const filter = make("input", {
        type: "text", class: "list-filter", "aria-label": t("Filter the roles"), placeholder: t("Filter the roles"), autocomplete: "off",
        autocapitalize: "off", spellcheck: "false", oninput: fill, hidden: roles.length <= mostRoles,
    });

    async function create() {
        const name = await askForRole();
        if (name === null) return;
        try {
            await routes.createRole(name);
        } catch (error) {
            if (error.status === 412) error.message = t("There is already a role “{name}”.", { name });
            refused(error);
            return;
        }
        announce(t("Created."), { isCarried: true });
        if (!isOver()) router.go(router.address(["security", "roles", name]));
    }
    async function remove({ name, members }) {
        if (!(await askToDeleteRole(name, members.length, grantsOf(name, types).map(({ type }) => type)))) return;
        try {
            await routes.deleteRole(name);
        } catch (error) {
            refused(error);
            return;
        }
        announce(t("Deleted."), { isCarried: true });
        reload();
    }
    function row(role) {
        const { name, members } = role;
        const granted = grantsOf(name, types).map(({ type, rights }) => `${type}: ${rightsText(rights)}`).join(" · ");
        return make("tr", {},
            make("th", { scope: "row" }, make("a", { href: router.address(["security", "roles", name]) }, name)),
            make("td", { class: "number", "data-title": t("Members") }, number(members.length)),
            make("td", { "data-title": t("Names") }, make("span", { class: "value" }, memberNames(members))),
            make("td", { "data-title": t("Rights"), title: granted }, make("span", { class: "value note" }, granted)),
            canChange ? make("td", { class: "acts", "data-title": t("Actions") }, make("button", {
                type: "button", class: "small danger", "aria-label": t("Delete the role {role}", { role: name }),
                onclick: () => remove(role),
            }, t("Delete"))) : null);
    }
    function fill() {
        const wanted = filter.value.trim().toLowerCase();
        rest.replaceChildren(growing(body, roles.filter(({ name }) => name.toLowerCase().includes(wanted)), (part) => part.map(row)));
    }
    draw(securityHead(heading, "roles", canChange ? make("p", { class: "actions" },
        make("button", { type: "button", class: roles.length === 0 ? "primary" : "", onclick: create }, t("New role"))) : null),
    privateNote(), lookingNote(), problem,
    canChange && canFind && roles.length > 0 ? giveForm(roles, (role, name) => {
        announce(t("{name} now has the role {role}.", { name, role }), { isCarried: true });
        users.forget();
        reload();
    }, refused) : null,
    filter,
    roles.length === 0 ? make("div", { class: "empty" }, make("p", { class: "lead" }, t("No roles yet.")),
        make("p", {}, t("A role is a group of accounts. Grants give it rights on types.")))
        : columnTable({
            label: t("Roles"), body, columns: [{ title: t("Role"), min: 8 }, { title: t("Members"), style: "number" }, { title: t("Names"), min: 6 },
                { title: t("Rights"), min: 8 }, canChange ? { title: t("Actions"), solid: true } : null],
        }), rest);
    fill();
    introduce(heading);
}
