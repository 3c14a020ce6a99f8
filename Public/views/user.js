// An account: roles, state, password, sessions, private database, records, deletion.

import * as accounts from "../accounts.js";
import * as api from "../api.js";
import { quoted } from "../conditions.js";
import { localText } from "../dates.js";
import { announce, freshID, introduce, make, whileBusy } from "../dom.js";
import { countText } from "../map/places.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as searches from "../search.js";
import { userNamed } from "../security/explain.js";
import * as routes from "../security/routes.js";
import * as session from "../session.js";
import * as users from "../users.js";
import { t } from "../words.js";
import { ask } from "./dialog.js";
import { showProblem } from "./problem.js";
import { growing } from "./security-parts.js";
import { accountTitle } from "./account-input.js";
import { askForPassword, askToDelete, createRoleFor, watchRemoval } from "./user-dialogs.js";
import { userSessions } from "./user-sessions.js";
import { stateText, usageText } from "./users.js";

/** With more roles than this, a box filters them. */
const mostRoles = 20;
/** The records of so many types are counted at most, and so many at a time. */
const mostCounts = 40;
const atOnce = 4;

/** The roles with ticks, which take effect at once. `changed(role, isMember)` stores one; it returns whether that worked. */
function roleTicks(account, roles, canChange, changed) {
    const list = make("ul", { class: "role-ticks" });
    const rest = make("div", {});
    const filter = make("input", {
        type: "text", class: "list-filter", "aria-label": t("Filter the roles"), placeholder: t("Filter the roles"), autocomplete: "off",
        autocapitalize: "off", spellcheck: "false", oninput: fill, hidden: roles.length <= mostRoles,
    });
    function line(role) {
        const id = freshID("role");
        const isDirect = role.members.includes(account.userRecordName);
        const isThrough = !isDirect && (account.roles ?? []).includes(role.name);
        const input = make("input", { type: "checkbox", id, checked: isDirect, disabled: !canChange, onchange: async () => {
            input.disabled = true;
            if (!(await changed(role, input.checked))) input.checked = !input.checked;
            input.disabled = false;
            input.focus();
        } });
        return make("li", { class: "choice" }, input, make("label", { for: id }, role.name),
            isThrough ? make("span", { class: "note" }, t("through another role")) : null);
    }
    function fill() {
        const wanted = filter.value.trim().toLowerCase();
        const isHeld = ({ name, members }) => members.includes(account.userRecordName) || (account.roles ?? []).includes(name);
        const sorted = [...roles.filter(isHeld), ...roles.filter((role) => !isHeld(role))];
        rest.replaceChildren(growing(list, sorted.filter(({ name }) => name.toLowerCase().includes(wanted)), (part) => part.map(line)));
    }
    fill();
    return [filter, list, rest];
}

/** The types with links to the records that the account has created, and about how many these are. */
function recordLinks(account, signal) {
    if (scope.isPrivate()) return [make("p", { class: "note" }, t("You are looking at a private database. Switch to the public one."))];
    const where = `createdUserRecordName == ${quoted(account.userRecordName)}`;
    const types = schema.all().filter(({ name }) => name !== "Users");
    const cells = new Map();
    const list = make("ul", { class: "panel index-list" });
    const rest = growing(list, types, (part) => part.map(({ name }) => {
        const count = make("span", { class: "note" });
        cells.set(name, count);
        return make("li", {}, make("a", { href: searches.address(name, { ...searches.cleared({}), where }), title: name }, name), count);
    }));
    const waiting = types.slice(0, mostCounts);
    async function work() {
        for (let type = waiting.shift(); type !== undefined; type = waiting.shift()) {
            try {
                const { total } = await api.query({ recordType: type.name, where, limit: 1, fields: [], total: "estimate" }, signal);
                if (total !== undefined) cells.get(type.name).textContent = t("{records} in all", { records: countText({ total }) });
            } catch {
                if (signal.aborted) return; // The link works without the number.
            }
        }
    }
    for (let at = 0; at < atOnce; at += 1) work();
    return types.length === 0 ? [make("p", { class: "note" }, t("No types yet."))] : [list, rest];
}

export async function show(visit, { user }) {
    const { signal, show: draw, isOver } = visit;
    const [found, roles] = await Promise.all([accounts.find(user, signal), routes.roles(signal), schema.load({ signal })]);
    if (found === null) {
        showNobody(user, draw);
        return;
    }
    let account = found;
    const title = accountTitle(account);
    const canChange = session.covers("changeRights");
    const isOwner = session.covers("enterPrivate");
    const heading = make("h1", { class: accounts.hasName(account) ? null : "record-name-title" }, title);
    const [problem, facts, acts] = [make("div", {}), make("dl", { class: "facts" }), make("p", { class: "actions" })];
    const rolePlace = make("div", {});
    const refused = (error) => showProblem(problem, error);
    const sessions = userSessions(account, title, visit);
    await sessions.begin();

    function drawFacts() {
        const state = stateText(account);
        facts.replaceChildren(...[[t("Record name"), make("span", { class: "code" }, account.userRecordName)],
            [t("Created"), localText(account.createdTimestamp)],
            ...(account.usage === undefined ? []
                : [[t("Stores"), usageText((parts) => t("{records} (records), {bytes} (fields), {files} (files)", parts), account.usage)]]),
            [t("State"), make("span", { class: account.disabled === true ? "state alarm" : "" }, state === "" ? t("active") : state)],
        ].map(([key, value]) => make("div", {}, make("dt", {}, key), make("dd", {}, value))));
        acts.replaceChildren(...[
            account.disabled === true ? button(t("Enable"), enable) : button(t("Disable…"), disable),
            isOwner && accounts.hasName(account) ? button(t("Set a password…"), setPassword) : null,
        ].filter((each) => each !== null));
    }
    function button(text, work, style = "") {
        const element = make("button", { type: "button", class: style, onclick: () => whileBusy(element, work) }, text);
        return element;
    }
    /** Changes the account and shows the result. Returns whether it worked. */
    async function change(content, sentence) {
        try {
            const now = await routes.changeUser(account.userRecordName, content);
            account = { ...account, disabled: false, disabledTimestamp: undefined, ...now };
        } catch (error) {
            refused(error);
            return false;
        }
        users.forget();
        problem.replaceChildren();
        drawFacts();
        sessions.reload();
        if (sentence !== "") announce(sentence);
        if (document.activeElement === document.body) acts.querySelector("button")?.focus();
        return true;
    }
    function enable() {
        return change({ disabled: false }, t("{name} can sign in again.", { name: title }));
    }
    async function disable() {
        const answer = await ask({
            title: t("Disable this account?"),
            content: make("p", {}, account.isAnonymous === true
                ? t("All its sessions end. An account without a name cannot sign in again, even after it is enabled.")
                : t("All its sessions end, and it cannot sign in until it is enabled. Its data, roles and records stay.")),
            choices: [{ value: "keep", title: t("Leave it"), isFirst: true },
                { value: "disable", title: t("Disable"), kind: "danger" }],
        });
        if (answer === "disable") await change({ disabled: true }, t("{name} is disabled.", { name: title }));
    }
    async function setPassword() {
        const password = await askForPassword(title);
        if (password !== null) await change({ password }, t("The password is set. All sessions of {name} have ended.", { name: title }));
    }
    async function setRole(role, isMember) {
        try {
            role.members = (await routes.setMember(role.name, account.userRecordName, isMember)).members;
        } catch (error) {
            refused(error);
            return false;
        }
        users.forget();
        problem.replaceChildren();
        announce(isMember ? t("{name} now has the role {role}.", { name: title, role: role.name })
            : t("{name} no longer has the role {role}.", { name: title, role: role.name }));
        return true;
    }
    function drawRoles() {
        rolePlace.replaceChildren(...(roles.length === 0 ? [make("p", { class: "note" }, t("No roles yet."))]
            : roleTicks(account, roles, canChange, setRole)));
    }
    async function addRole() {
        const role = await createRoleFor(account, title);
        if (role === null || isOver()) return;
        roles.push(role);
        roles.sort((one, other) => (one.name < other.name ? -1 : 1));
        users.forget();
        problem.replaceChildren();
        // The roles that the account has through others may have changed since the page was drawn.
        account = { ...account, roles: (await accounts.read(account.userRecordName, signal).catch(() => null))?.roles ?? [role.name] };
        drawRoles();
        announce(t("{name} now has the role {role}.", { name: title, role: role.name }));
    }
    async function remove() {
        if (!(await askToDelete(title, account.isAnonymous === true))) return;
        try {
            await routes.removeUser(account.userRecordName);
            users.forget();
            const isDone = await watchRemoval(title);
            announce(isDone ? t("The account {name} is deleted.", { name: title })
                : t("The account is deleted. Home lists the job that deletes its private data."), { isCarried: true });
        } catch (error) {
            refused(error);
            return;
        }
        if (!isOver()) router.go("#/users");
    }
    const section = (name, ...content) => make("section", { "aria-label": name, class: "narrow-section" }, make("h2", {}, name), content);
    draw(make("p", { class: "crumbs" }, make("a", { href: "#/users", onclick: router.returns }, t("Accounts")), " / ", t("account")),
        make("div", { class: "page-head" }, heading), facts, problem, acts,
        make("div", { class: "two" },
            section(t("Roles"), canChange ? null : make("p", { class: "note" }, session.reason(t("changing rights"))),
                rolePlace, canChange ? make("p", { class: "actions" }, button(t("New role…"), addRole, "small")) : null,
                make("p", {}, make("a", { href: router.address(["security", "why"], { user: userNamed(title) }) },
                    t("What may {name} do?", { name: title })))),
            section(t("Records of this user"), recordLinks(account, signal))),
        make("section", { "aria-label": t("Sessions") }, make("h2", {}, t("Sessions")), sessions.element,
            make("p", { class: "actions" }, sessions.endAll)),
        section(t("Private database"), make("p", { class: "note" }, isOwner
            ? t("Only {name} and owners of this server can open it. The audit log notes that you did.", { name: title })
            : session.reason(t("private databases"))),
        isOwner ? make("p", { class: "actions" }, make("button", { type: "button", onclick: async () => {
            if (!(await router.canLeave())) return;
            const { container, environment } = scope.current();
            scope.change({ container, environment, database: "private", owner: account.userRecordName });
        } }, t("Open the private database"))) : null),
        section(t("Delete"), make("p", { class: "note" },
            t("The account, its roles, sessions, user record and private database are deleted. "
                + "Its records in the public database stay, without its name: delete them before, under “Records of this user”.")),
        make("p", { class: "actions" }, button(t("Delete the account…"), remove, "danger"))));
    drawFacts();
    drawRoles();
    introduce(heading, `${title} – ${t("Accounts")}`);
}

function showNobody(user, draw) {
    const heading = make("h1", {}, t("Accounts"));
    draw(make("div", { class: "page-head" }, heading), make("div", { class: "empty" },
        make("p", { class: "lead" }, t("Nothing was found.")),
        make("p", {}, t("No account here has the name “{name}”.", { name: user })),
        make("p", {}, make("a", { class: "button", href: "#/users" }, t("All accounts")))));
    introduce(heading);
}
