// A role: its members by name, and the rights that it has.

import * as accounts from "../accounts.js";
import { announce, introduce, make, whileBusy } from "../dom.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as routes from "../security/routes.js";
import * as session from "../session.js";
import * as users from "../users.js";
import { t, tn } from "../words.js";
import { principalInput } from "./principal-input.js";
import { showProblem } from "./problem.js";
import { askToDeleteRole, grantsOf, growing, lookingNote, privateNote, rightsText, securityHead } from "./security-parts.js";
import { accountPart } from "./account-input.js";

/** A member as a link to its page. */
function memberLink(member) {
    if (!member.startsWith("role:")) return accounts.link(member);
    const name = member.slice(5);
    return make("a", { href: router.address(["security", "roles", name]) }, t("all members of {role}", { role: name }));
}

export async function show({ signal, show: draw, isOver }, { role: name }) {
    const [role, all] = await Promise.all([routes.role(name, signal), routes.roles(signal), schema.load({ signal })]);
    let { members } = role;
    const types = schema.all();
    const canChange = session.covers("changeRights");
    const heading = make("h1", {}, t("Role {role}", { role: name }));
    const problem = make("div", {});
    const list = make("ul", { class: "panel index-list members" });
    const [rest, count] = [make("div", {}), make("p", { class: "note" })];
    const refused = (error) => showProblem(problem, error);

    async function remove(member, title, button) {
        await whileBusy(button, async () => {
            try {
                ({ members } = await routes.setMember(name, member, false));
            } catch (error) {
                refused(error);
                return;
            }
            users.forget();
            problem.replaceChildren();
            fill();
            announce(t("{name} no longer has the role {role}.", { name: title, role: name }));
            heading.focus({ preventScroll: true });
        });
    }
    function row(member) {
        const link = memberLink(member);
        const button = make("button", {
            type: "button", class: "small", onclick: () => remove(member, link.textContent, button),
        }, t("Remove"));
        users.nameOf(member).then((known) => {
            button.setAttribute("aria-label", t("Remove {name} from the role", { name: known ?? link.textContent }));
        });
        return make("li", {}, link, canChange ? make("span", { class: "actions" }, button) : null);
    }
    function fill() {
        count.textContent = tn("{count} member", "{count} members", members.length);
        list.hidden = members.length === 0;
        rest.replaceChildren(growing(list, members, (part) => part.map(row)));
    }
    async function add(event, { who, user, button }) {
        event.preventDefault();
        await whileBusy(button, async () => {
            try {
                const member = await who.find();
                if (member === null) return;
                ({ members } = await routes.setMember(name, member, true));
                users.forget();
                problem.replaceChildren();
                fill();
                announce(member.startsWith("role:") ? t("Added.")
                    : t("{name} now has the role {role}.", { name: await users.nameOf(member) ?? member, role: name }));
                user.clear();
            } catch (error) {
                refused(error);
            }
        });
    }
    function addForm() {
        const user = accountPart({ signal });
        const who = principalInput({ user, roles: all.map((each) => each.name).filter((each) => each !== name) });
        const button = make("button", { type: "submit", class: "primary" }, t("Add the member"));
        return make("form", {
            class: "line-form", novalidate: true, "aria-label": t("Add a member"), onsubmit: (event) => add(event, { who, user, button }),
        }, who.elements, button);
    }
    async function removeRole() {
        if (!(await askToDeleteRole(name, members.length, grantsOf(name, types).map(({ type }) => type)))) return;
        try {
            await routes.deleteRole(name);
        } catch (error) {
            refused(error);
            return;
        }
        announce(t("Deleted."), { isCarried: true });
        if (!isOver()) router.go("#/security/roles");
    }
    const granted = grantsOf(name, types);
    const within = all.filter((each) => each.members.includes(`role:${name}`));
    draw(make("p", { class: "crumbs" }, make("a", { href: "#/security/roles", onclick: router.returns }, t("Roles")), " / ", t("role")),
        securityHead(heading, "", canChange ? make("p", { class: "actions" },
            make("button", { type: "button", class: "danger", onclick: removeRole }, t("Delete the role"))) : null),
        privateNote(), lookingNote(), problem,
        make("section", { "aria-label": t("Members"), class: "narrow-section" }, make("h2", {}, t("Members")), count,
            canChange && session.covers("manageUsers") ? addForm() : null, list, rest),
        make("section", { "aria-label": t("Rights"), class: "narrow-section" }, make("h2", {}, t("Rights")),
            granted.length === 0
                ? make("p", { class: "note" }, t("No type grants this role a right. Choose a type under “Rights of types”."))
                : make("ul", { class: "panel index-list" }, granted.map(({ type, rights }) => make("li", {},
                    make("a", { href: router.address(["security", "types", type]) }, type), make("span", {}, rightsText(rights))))),
            within.length === 0 ? null : make("p", { class: "note" }, t("Its members also have: {roles}", {
                roles: within.map((each) => each.name).join(", "),
            }))));
    fill();
    introduce(heading);
}
