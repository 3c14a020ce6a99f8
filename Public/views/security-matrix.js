// The parts of a type's rights: the matrix of grants, the rights of fields, and the access list of new records.

import * as accounts from "../accounts.js";
import { freshID, make } from "../dom.js";
import * as draft from "../security/draft.js";
import { roleTitle } from "../security/titles.js";
import * as users from "../users.js";
import { t } from "../words.js";
import { ask } from "./dialog.js";
import { principalInput } from "./principal-input.js";
import { roleName } from "./security-parts.js";
import { accountPart } from "./account-input.js";
import { columnTable } from "./table.js";

const titles = { CREATE: t("Create"), READ: t("Read"), WRITE: t("Change and delete") };
const hints = {
    _world: t("also without an account"), _icloud: t("each account"), _creator: t("the account that created the record"),
};
/** With more roles than this, only those with a right on the type are in the matrix. */
const mostRoles = 12;

function table(label, columns, rows) {
    return columnTable({ label, role: "group", columns, body: make("tbody", {}, rows) });
}

/**
 * The grants as boxes: a row for each role, a column for each right. `state` is `{before, after, roles, added}` with the names of all
 * custom roles and those that got a row here; `changed` is called after each tick, or is `null` for callers without the right.
 */
export function grantMatrix(state, changed) {
    const { before, after, roles, added } = state;
    const all = [...new Set([...roles, ...Object.keys(before.grants).filter((role) => !role.startsWith("_"))])].sort();
    const isShown = (role) => all.length <= mostRoles || added.has(role)
        || [before, after].some(({ grants }) => (grants[role] ?? []).length > 0);
    const shown = all.filter(isShown);
    function cell(role, right) {
        const wider = draft.through(after, role, right);
        const isGiven = draft.has(after, role, right);
        const input = make("input", {
            type: "checkbox", "aria-label": `${roleTitle(role)}: ${titles[right]}`, checked: isGiven, disabled: changed === null,
            "data-cell": `${role} ${right}`, onchange: () => {
                draft.setGrant(after, role, right, input.checked);
                changed();
            },
        });
        const isChanged = isGiven !== draft.has(before, role, right);
        const without = isGiven ? "" : wider !== null ? t("as {role}", { role: roleTitle(wider) })
            : role === "_creator" && right === "READ" ? t("always") : "";
        return make("td", { class: isChanged ? "tick-cell edited" : "tick-cell", "data-title": titles[right] },
            make("span", { class: "choice" }, input, without === "" ? null : make("span", { class: "note" }, without)));
    }
    const rows = [...draft.builtIn, ...shown].map((role) => make("tr", {},
        make("th", { scope: "row", class: "wide" }, roleName(role),
            hints[role] === undefined ? null : make("span", { class: "note hint" }, hints[role])),
        draft.rights.map((right) => cell(role, right))));
    const element = make("div", {}, table(t("Grants"), [{ title: t("Role"), min: 9 }, ...draft.rights.map((right) => ({ title: titles[right], style: "tick-cell" }))],
        rows));
    const hidden = all.filter((role) => !isShown(role));
    if (changed !== null && hidden.length > 0) element.append(rolePicker(hidden, (role) => {
        added.add(role);
        changed();
    }));
    return element;
}

/** A choice among roles that adds a row. */
function rolePicker(roles, chosen) {
    const id = freshID("role");
    const select = make("select", { id, onchange: () => { if (select.value !== "") chosen(select.value); } },
        make("option", { value: "" }, t("choose a role")), roles.map((role) => make("option", { value: role }, role)));
    return make("p", { class: "line-form" }, make("label", { for: id }, t("Add a row for the role")), select);
}

/** Asks for the roles of a field: `null` for those of the type, otherwise a list; `undefined` if nothing was chosen. */
async function askForRoles(title, current, roles) {
    const name = freshID("roles");
    const ids = [freshID("choice"), freshID("choice")];
    const boxes = [...draft.builtIn, ...roles].map((role) => {
        const id = freshID("role");
        const input = make("input", { type: "checkbox", id, value: role, checked: (current ?? []).includes(role), onchange: () => {
            ways[1].checked = true;
        } });
        return { input, line: make("span", { class: "choice" }, input, make("label", { for: id }, roleTitle(role))) };
    });
    const ways = [current === null, current !== null].map((checked, at) => make("input", {
        type: "radio", name, id: ids[at], checked, autofocus: checked,
    }));
    const answer = await ask({
        title,
        content: make("div", { class: "ways" },
            make("p", { class: "choice" }, ways[0], make("label", { for: ids[0] }, t("As the rights of the type say"))),
            make("p", { class: "choice" }, ways[1], make("label", { for: ids[1] }, t("Only these roles, and administrators"))),
            make("div", { class: "boxes" }, boxes.map(({ line }) => line))),
        choices: [
            { value: "take", title: t("Apply"), kind: "primary" },
            { value: "cancel", title: t("Cancel"), kind: "quiet" },
        ],
    });
    if (answer !== "take") return undefined;
    return ways[0].checked ? null : boxes.filter(({ input }) => input.checked).map(({ input }) => input.value);
}

/** The fields with the roles that read and write them. The state is that of `grantMatrix`. */
export function fieldRights({ before, after, roles }, changed) {
    const names = Object.keys(after.fields);
    if (names.length === 0) return make("p", { class: "note" }, t("No fields yet: the first record that has a field adds it."));
    const columns = [["read", t("Read by"), t("Who reads the field {field}?")],
        ["write", t("Written by"), t("Who writes the field {field}?")]];
    function cell(field, [action, title, question]) {
        const now = after.fields[field][action];
        const text = draft.rolesText(now);
        const isChanged = JSON.stringify(now) !== JSON.stringify(before.fields[field]?.[action] ?? null);
        const button = make("button", {
            type: "button", class: "small", "aria-label": `${field}, ${title}: ${text}`, "data-cell": `${field} ${action}`,
            onclick: async () => {
                const chosen = await askForRoles(question.replace("{field}", field), now, roles);
                if (chosen === undefined) return;
                after.fields[field][action] = chosen;
                changed();
            },
        }, t("Change…"));
        return make("td", { "data-title": title, class: isChanged ? "edited" : null }, make("span", { class: "choice" },
            make("span", { class: now === null ? "note" : "" }, text), changed === null ? null : button));
    }
    return table(t("Rights of fields"), [{ title: t("Field"), min: 7 }, ...columns.map(([, title]) => ({ title, min: 8 }))],
        names.map((field) => make("tr", {}, make("th", { scope: "row" }, field), columns.map((column) => cell(field, column)))));
}

/** The access list of new records, and whether each record needs one. `names` has the names of accounts. */
export function listEditor({ before, after, roles }, changed, names) {
    const [onID, requiredID] = [freshID("list"), freshID("required")];
    const on = make("input", {
        type: "checkbox", id: onID, checked: after.list !== null, disabled: changed === null, "data-cell": "list", onchange: () => {
            after.list = on.checked ? before.list ?? { _creator: ["read", "write"] } : null;
            changed();
        },
    });
    const required = make("input", {
        type: "checkbox", id: requiredID, checked: after.isRequired, disabled: changed === null, "data-cell": "required", onchange: () => {
            after.isRequired = required.checked;
            changed();
        },
    });
    return make("div", {},
        make("p", { class: "choice" }, on, make("label", { for: onID }, t("New records without a list of their own get this one:"))),
        after.list === null ? null : listTable(after, changed, names),
        after.list === null || changed === null ? null : principalForm(after, roles, changed),
        make("p", { class: "choice" }, required,
            make("label", { for: requiredID }, t("Every new record needs a list: without a default, the server rejects it."))));
}

function listTable({ list }, changed, names) {
    function cell(principal, word, title) {
        const label = draft.principalTitle(principal, names);
        const input = make("input", {
            type: "checkbox", "aria-label": `${label}: ${title}`, checked: list[principal].includes(word), disabled: changed === null,
            "data-cell": `entry ${principal} ${word}`, onchange: () => {
                const words = list[principal].filter((each) => each !== word);
                list[principal] = input.checked ? [...words, word].sort() : words;
                changed();
            },
        });
        return make("td", { class: "tick-cell", "data-title": title }, input);
    }
    const rows = Object.keys(list).map((principal) => make("tr", {},
        make("th", { scope: "row" }, users.isRecordName(principal) ? accounts.link(principal) : draft.principalTitle(principal, names)),
        cell(principal, "read", t("Read")), cell(principal, "write", t("Change and delete")),
        make("td", { class: "acts", "data-title": t("Actions") }, changed === null ? null : make("button", {
            type: "button", class: "small",
            "aria-label": t("Remove {name} from the list", { name: draft.principalTitle(principal, names) }),
            onclick: () => {
                delete list[principal];
                changed();
            },
        }, t("Remove")))));
    if (rows.length === 0) return make("p", { class: "note" }, t("Empty: only administrators and keys can use new records."));
    return table(t("Access list of new records"),
        [{ title: t("Who"), min: 7 }, { title: t("Read"), style: "tick-cell" }, { title: t("Change and delete"), style: "tick-cell" },
            { title: t("Actions"), solid: true }], rows);
}

/** Adds a principal: everyone, the creator, a role, or an account by its name. It is no form of its own, because forms do not nest. */
function principalForm({ list }, roles, changed) {
    const user = accountPart();
    const who = principalInput({ user, roles, others: [["_creator", t("The creator of the record")], ["*", t("Everyone")]] });
    async function add() {
        let found;
        try {
            found = await who.find();
        } catch {
            return; // Callers without access to accounts can add roles.
        }
        if (found === null) return;
        list[found] ??= ["read"];
        changed();
    }
    const element = make("div", { class: "line-form", onkeydown: (event) => {
        if (event.key !== "Enter" || event.isComposing || event.target.tagName !== "INPUT") return;
        event.preventDefault();
        add();
    } }, who.elements, make("button", { type: "button", onclick: add }, t("Add to the list")));
    element.querySelectorAll("input, select").forEach((each, at) => { each.dataset.cell = `principal ${at}`; });
    return element;
}
