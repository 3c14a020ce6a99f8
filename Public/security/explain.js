// The answer of `POST /explain/access` for people: a sentence, the rules that led to it, and what would change a denial.

import { rightTitle, roleTitle } from "./titles.js";
import { t, tn } from "../words.js";
import { principalTitle } from "./draft.js";

/** The actions that can be asked about. Those of a database have no type. */
export const actions = [
    ["read", t("read")], ["create", t("create")], ["write", t("change and delete")], ["query", t("search")],
    ["upload", t("upload files")], ["enter", t("open a private database")],
];
const ofDatabase = new Set(["upload", "enter"]);
const rightOf = { read: "READ", query: "READ", create: "CREATE", write: "WRITE" };
/** So many roles are offered that have the right already, or that the caller has. */
const mostRoles = 4;
/** So many roles are offered that need both: the right, and the caller as a member. */
const mostNewRoles = 2;

/** Whether an action is about a type. */
export function hasType(action) {
    return !ofDatabase.has(action);
}

/** What the server's logs call callers without an account, as the questions do. */
const callers = new Map([["_world", "anonymous"], ["_administrator", "administrator"]]);

/** The caller of a question for an account of this name. An old account may have a name that stands for another caller. */
export function userNamed(name) {
    return /^(anonymous$|administrator(:|$)|key:|user:)/i.test(name) ? `user:${name}` : name;
}

/** Reads a question from the query of a URL; `user` may be a name, a record name, or `anonymous`. */
export function fromAddress(query) {
    const text = (key) => (query.get(key) ?? "").trim();
    const user = callers.get(text("user")) ?? text("user");
    const action = actions.some(([key]) => key === text("action")) ? text("action") : "read";
    const record = action === "create" ? "" : text("record"); // A record that is created has no rights of its own yet.
    const question = { user, action, type: text("type"), record, field: text("field") };
    return hasType(action) ? question : { ...question, type: "", record: "", field: "" };
}

/** The query of the URL of a question. */
export function toAddress(question) {
    return Object.fromEntries(Object.entries(question).filter(([, value]) => value !== "" && value !== undefined));
}

/** Whether the question can be asked. */
export function isComplete({ user, action, type }) {
    return user !== "" && (!hasType(action) || type !== "");
}

/** The body of the request. */
export function body({ user, action, type, record, field }) {
    return {
        caller: user, action, recordType: hasType(action) ? type : undefined,
        recordName: record === "" ? undefined : record, field: field === "" ? undefined : field,
    };
}

/** The first sentence: “Yes: ada can read records of Post.” `who` is the caller for people. */
export function headline({ decision }, { action, type, record, field }, who) {
    const isAllowed = decision === "ALLOWED";
    const what = field !== "" ? t("the field {field} of {type}", { field, type })
        : record !== "" ? t("the record {record} of {type}", { record, type }) : t("records of {type}", { type });
    const values = { who, what };
    switch (action) {
    case "read": return isAllowed ? t("Yes: {who} can read {what}.", values) : t("No: {who} cannot read {what}.", values);
    case "create": return isAllowed ? t("Yes: {who} can create {what}.", values) : t("No: {who} cannot create {what}.", values);
    case "write": return isAllowed ? t("Yes: {who} can change and delete {what}.", values)
        : t("No: {who} cannot change or delete {what}.", values);
    case "query": return isAllowed ? t("Yes: {who} can search {what}.", values) : t("No: {who} cannot search {what}.", values);
    case "upload": return isAllowed ? t("Yes: {who} can upload files.", values) : t("No: {who} cannot upload files.", values);
    default: return isAllowed ? t("Yes: {who} can open this private database.", values)
        : t("No: {who} cannot open this private database.", values);
    }
}

/** The role in the server's sentence on a grant. Its rule has no key for it. */
function grantedTo({ reason }) {
    return / to ([^\s:]+)(?::|$)/.exec(reason)?.[1] ?? null;
}

/**
 * The reason of a step, for people. `facts` are `{who, heldRoles, isAnonymous, names}`. An unknown rule has the server's own sentence.
 */
export function reason(step, { action, type, record, field }, { who, heldRoles, isAnonymous, entry, names }) {
    const right = rightTitle(rightOf[action] ?? "");
    const isForAny = record === "" && action !== "create";
    switch (step.rule) {
    case "GRANT": {
        const role = grantedTo(step);
        if (role === null) return step.reason;
        const granted = t("{type} grants “{right}” to: {role}.", { type, right, role: roleTitle(role) });
        return role === "_creator" && isForAny
            ? `${granted} ${t("So only to records that {who} has created, or whose access list names {who}.", { who })}` : granted;
    }
    case "CREATOR": return t("The creator of a record can read it.") + (isForAny
        ? ` ${t("So only to records that {who} has created, or whose access list names {who}.", { who })}` : "");
    case "NO_GRANT": {
        const roles = ["_world", ...(isAnonymous ? [] : ["_icloud"]), ...heldRoles].map(roleTitle).join(", ");
        return t("{type} grants “{right}” to none of the roles of {who}: {roles}.", { type, right, who, roles });
    }
    case "NOT_CREATOR": return t("{type} grants “{right}” only to the creator of a record, and {who} has not created this one.",
        { type, right, who });
    case "ACCESS_LIST": {
        if (!step.allowed) return t("The record has an access list, which does not give “{right}” to {who}.", { right, who });
        const principal = / to (.+)$/.exec(step.reason)?.[1];
        return principal === undefined ? step.reason
            : t("The record's access list gives it to: {principal}.", { principal: principalTitle(principal, names) });
    }
    case "FIELD_GRANT": {
        const roles = entry?.fields?.[field]?.[action === "write" || action === "create" ? "write" : "read"];
        if (roles === undefined || roles === null) {
            return t("The field {field} has no rights of its own: those of the type decide.", { field });
        }
        return t("The field {field} is only for: {roles}.", {
            field, roles: roles.length === 0 ? t("Administrators only") : roles.map(roleTitle).join(", "),
        });
    }
    case "ADMINISTRATOR": return step.allowed ? t("The role of the administrator covers it. Grants do not apply to administrators.")
        : t("The role of the administrator does not cover it. An owner can give another role.");
    case "KEY_SCOPE": return step.allowed ? t("The scope of the key covers it. Grants do not apply to keys.")
        : t("The scope of the key does not cover it. Change the scope of the key.");
    case "KEY_ENDED": return t("The key was revoked or has expired.");
    case "ACCOUNT_DISABLED": return t("The account is disabled: it has no sessions and cannot sign in.");
    case "PRIVATE_DATABASE": return step.allowed ? t("{who} owns the database, or has the role owner on the server.", { who })
        : t("A private database is for its owner alone, and for administrators with the role owner.");
    case "SHARE": return step.allowed ? t("A share of the zone gives it.") : t("No share of the zone gives it to {who}.", { who });
    case "SIGNED_IN": return t("Each signed-in user can upload files.");
    default: return step.reason;
    }
}

/** The number of accounts in a role, also through other roles. `roles` are `[{name, members}]`. */
export function accountCount(roles, name) {
    const [seen, found] = [new Set(), new Set()];
    function visit(role) {
        if (seen.has(role)) return;
        seen.add(role);
        for (const member of roles.find((each) => each.name === role)?.members ?? []) {
            if (member.startsWith("role:")) visit(member.slice(5));
            else found.add(member);
        }
    }
    visit(name);
    return found.size;
}

/** The callers that get a right by a grant to this role, for people. `count` is the number of accounts in it. */
export function audience(role, count = 0) {
    switch (role) {
    case "_world": return t("everyone, even without an account");
    case "_icloud": return t("every signed-in user");
    case "_creator": return t("the creator of each record");
    default: return count === 0 ? t("the role {role}, which has no members yet", { role })
        : tn("the members of the role {role} ({count} account)", "the members of the role {role} ({count} accounts)", count, { role });
    }
}

/** What a grant allows, for people. */
export function allowed({ role, right }, type) {
    if (right === "CREATE") return t("create records of {type}", { type });
    if (role === "_creator") {
        return right === "READ" ? t("read their own records of {type}", { type }) : t("change and delete their own records of {type}", { type });
    }
    return right === "READ" ? t("read all records of {type} that have no access list", { type })
        : t("change and delete all records of {type} that have no access list", { type });
}

function uniqueMends(mends) {
    const seen = new Set();
    return mends.filter((mend) => {
        const key = JSON.stringify(mend);
        return !seen.has(key) && seen.add(key);
    });
}

/** What gives a right on a type: a role that has it, a role that gets it, or a grant to many. The narrowest comes first. */
function grantMends(action, { grants, roles, heldRoles, isAnonymous, isCreator, isUser }) {
    const right = rightOf[action];
    if (isAnonymous) return [{ kind: "grant", role: "_world", right }];
    const hasRight = (role) => (grants[role] ?? []).includes(right);
    const others = isUser ? roles.filter((role) => !heldRoles.includes(role)) : [];
    return [
        ...others.filter(hasRight).slice(0, mostRoles).map((role) => ({ kind: "role", role })),
        ...heldRoles.slice(0, mostRoles).map((role) => ({ kind: "grant", role, right })),
        ...others.filter((role) => !hasRight(role)).slice(0, mostNewRoles).map((role) => ({ kind: "both", role, right })),
        ...(isCreator && right === "WRITE" ? [{ kind: "grant", role: "_creator", right }] : []),
        { kind: "grant", role: "_icloud", right },
    ];
}

/**
 * What would change a denial, as `{kind: "role", role}`, `{kind: "grant", role, right}`, `{kind: "both", role, right}`,
 * `{kind: "list", principal, word}`, `{kind: "enable"}`, `{kind: "open"}` (the rights of the type) or `{kind: "security"}` (of all). `list`
 * is the access list of the record, `roles` are the names of all custom roles.
 */
export function mends(answer, { action, record, field }, facts) {
    const { entry, roles, heldRoles, isAnonymous, isUser, recordName, list } = facts;
    const last = answer.because.at(-1);
    if (answer.decision === "ALLOWED" || last === undefined || !(isUser || isAnonymous)) return [];
    const isGrant = { grants: entry?.grants ?? {}, roles, heldRoles, isAnonymous, isUser };
    const customRoles = (names) => names.filter((role) => !role.startsWith("_") && !heldRoles.includes(role)).slice(0, mostRoles)
        .map((role) => ({ kind: "role", role }));
    switch (last.rule) {
    case "ACCOUNT_DISABLED": return [{ kind: "enable" }];
    case "NO_GRANT": return uniqueMends([...grantMends(action, { ...isGrant, isCreator: record === "" || facts.isCreator === true }),
        { kind: "open" }]);
    case "NOT_CREATOR": return uniqueMends([...grantMends(action, isGrant), { kind: "open" }]);
    case "ACCESS_LIST": {
        const word = action === "write" ? "write" : "read";
        const listed = Object.entries(list ?? {}).filter(([name, words]) => name.startsWith("role:") && words.includes(word))
            .map(([name]) => name.slice(5));
        return [...(isUser ? customRoles(listed) : []), { kind: "list", principal: isAnonymous ? "*" : recordName, word }];
    }
    case "FIELD_GRANT": {
        const readers = entry?.fields?.[field]?.[action === "write" || action === "create" ? "write" : "read"] ?? [];
        return [...(isUser ? customRoles(readers) : []), { kind: "open" }];
    }
    case "TYPE_WITH_ASSETS": return [{ kind: "security" }];
    default: return [];
    }
}
