// A choice of who gets a right: a user by name, a role, or one of further callers such as everyone.

import { freshID, make } from "../dom.js";
import { t } from "../words.js";

/**
 * `user` is the part for a user, `{element, find()}`; `find()` returns a record name, or `null` after it has said what is wrong. `roles`
 * are the names of the custom roles, or a promise of them; `others` are `[[principal, title]]`.
 *
 * Returns the `elements` for a form, and `find()`, which returns a record name, `role:` and a name, or one of `others`.
 */
export function principalInput({ user, roles, others = [] }) {
    const [kindID, roleID] = [freshID("kind"), freshID("role")];
    const ofRole = make("option", { value: "role", disabled: true }, t("A role"));
    const kind = make("select", { id: kindID, class: "principal-kind", onchange: follow },
        make("option", { value: "user" }, t("A user")), ofRole, others.map(([value, title]) => make("option", { value }, title)));
    const role = make("select", { id: roleID, class: "principal-role" });
    const rolePart = make("div", {}, make("label", { for: roleID }, t("Role")), role);

    function follow() {
        user.element.hidden = kind.value !== "user";
        rolePart.hidden = kind.value !== "role";
    }
    Promise.resolve(roles).then((names) => {
        role.replaceChildren(...names.map((name) => make("option", { value: name }, name)));
        ofRole.disabled = names.length === 0;
        if (names.length === 0) ofRole.textContent = t("A role (there is none yet)");
    });
    follow();
    return {
        elements: [make("div", {}, make("label", { for: kindID }, t("Who")), kind), user.element, rolePart],
        async find() {
            if (kind.value === "user") return user.find();
            return kind.value === "role" ? `role:${role.value}` : kind.value;
        },
        focus: () => kind.focus(),
    };
}
