// What the pages of the room “Security” share: the tabs, notes, and questions before changes.

import { freshID, make } from "../dom.js";
import * as scope from "../scope.js";
import { rightTitle, roleTitle } from "../security/titles.js";
import * as session from "../session.js";
import { t, tp } from "../words.js";
import { ask } from "./dialog.js";

const pages = [["types", t("Rights of types"), "#/security"], ["roles", t("Roles"), "#/security/roles"],
    ["why", t("What may X do?"), "#/security/why"]];

/**
 * The head of a page of the room. On the pages of the tabs one sees the name of the room, so that the tabs stay in their place; the
 * heading is for screen readers.
 */
export function securityHead(heading, current, ...more) {
    const isTab = current !== "" && current !== "types";
    if (isTab) heading.classList.add("visually-hidden");
    return make("div", { class: "page-head" }, isTab ? make("span", { class: "room-title", "aria-hidden": "true" }, t("Security")) : null, heading,
        make("nav", { class: "tabs", "aria-label": t("Security") }, pages.map(([key, title, href]) => make("a", {
            href, "aria-current": key === current ? "page" : null,
        }, title))), ...more);
}

/** Where grants do not apply, a sentence that says so; otherwise `null`. */
export function privateNote() {
    return scope.isPrivate() ? make("p", { class: "panel notice" }, t("You are looking at a private database, where grants do not apply. "
        + "This page shows the rights in the public database.")) : null;
}

/** For callers who can only look, why they cannot change anything; otherwise `null`. */
export function lookingNote() {
    return session.covers("changeRights") ? null : make("p", { class: "note" }, session.reason(t("changing rights")));
}

/** A role with its name on the server: `everyone _world`. */
export function roleName(role) {
    const title = roleTitle(role);
    return title === role ? make("span", {}, role) : make("span", {}, title, " ", make("span", { class: "code note" }, role));
}

/** The grants of a role on types: `[{type, rights}]`. */
export function grantsOf(role, types) {
    return types.filter(({ grants }) => (grants[role] ?? []).length > 0).map(({ name, grants }) => ({ type: name, rights: grants[role] }));
}

export function rightsText(rights) {
    return rights.map(rightTitle).join(", ");
}

/** Asks before a role is deleted. `types` are those on which it has grants, `members` their number. */
export async function askToDeleteRole(name, members, types) {
    const answer = await ask({
        title: t("Delete this role?"),
        content: make("div", {},
            make("p", {}, tp("{role} will be deleted with its grants. Its members keep their accounts.", {
                role: make("strong", {}, name),
            })),
            members === 0 ? null : make("p", {}, t("Members that lose it: {count}", { count: members })),
            types.length === 0 ? null : make("p", {}, t("Types on which it has rights: {types}", { types: types.join(", ") }))),
        choices: [
            { value: "keep", title: t("Keep it"), isFirst: true },
            { value: "delete", title: t("Delete"), kind: "danger" },
        ],
    });
    return answer === "delete";
}

/** Whether the server accepts this as the name of a role. */
export function isRoleName(text) {
    return /^\p{XID_Start}\p{XID_Continue}*$/u.test(text);
}

/** Asks for the name of a new role; `null` if the user does not want one. The server checks the name. */
export async function askForRole() {
    const id = freshID("role");
    const problem = make("p", { class: "problem", role: "alert", id: `${id}-problem` });
    const input = make("input", {
        id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", autofocus: true, placeholder: "editors",
        "aria-describedby": problem.id,
    });
    const isValid = () => {
        problem.textContent = isRoleName(input.value.trim()) ? ""
            : t("A role's name is made of letters, digits and _, and begins with a letter.");
        if (problem.textContent !== "") input.focus();
        return problem.textContent === "";
    };
    const answer = await ask({
        title: t("New role"),
        content: (close) => make("form", { novalidate: true, onsubmit: (event) => {
            event.preventDefault();
            if (isValid()) close("create");
        } },
        make("label", { for: id }, t("Name of the role")), input, problem,
        make("p", { class: "note" }, t("A role is a group of accounts. Grants give it rights on types."))),
        choices: [
            { value: "create", title: t("Create role"), kind: "primary", allow: isValid },
            { value: "cancel", title: t("Cancel"), kind: "quiet" },
        ],
    });
    return answer === "create" ? input.value.trim() : null;
}

/** Shows the first items of a long list, and a button for more. `rows(items)` makes the nodes that go into `place`. */
export function growing(place, items, rows, step = 100) {
    let shown = 0;
    const button = make("button", { type: "button", class: "small", onclick: more }, t("Show more"));
    const box = make("p", { class: "actions" }, button);
    function more() {
        place.append(...rows(items.slice(shown, shown + step)));
        shown += step;
        box.hidden = shown >= items.length;
    }
    place.replaceChildren();
    more();
    return box;
}
