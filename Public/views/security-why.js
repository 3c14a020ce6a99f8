// “What may X do?”: a question about a caller, the server's answer in sentences, and buttons that mend a denial. The question is
// in the URL, so other pages can lead to it: `#/security/why?user=ada&type=Post&record=p1&action=write`.

import * as accounts from "../accounts.js";
import * as api from "../api.js";
import { announce, freshID, introduce, make, whileBusy } from "../dom.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import { principalTitle } from "../security/draft.js";
import * as explain from "../security/explain.js";
import * as routes from "../security/routes.js";
import { rightTitle } from "../security/titles.js";
import * as session from "../session.js";
import * as users from "../users.js";
import { t } from "../words.js";
import { ask } from "./dialog.js";
import { showProblem } from "./problem.js";
import { securityHead } from "./security-parts.js";
import { accountTitle, accountInput } from "./account-input.js";

const administratorRoles = ["owner", "developer", "editor", "viewer"];

/** Callers without an account. */
function others() {
    return [{ value: "anonymous", title: t("without an account") },
        ...administratorRoles.map((role) => ({ value: `administrator:${role}`, title: t("an administrator with this role") }))];
}

function isOther(text) {
    return text === "anonymous" || text === "administrator" || /^(administrator|key):/.test(text);
}

/** The caller of the question: `{who, account?}`; `who` is for people. The account is `null` if it is unknown or may not be read. */
async function subject(text, signal) {
    if (text === "anonymous") return { who: t("a caller without an account"), account: null };
    if (isOther(text) || !session.covers("manageUsers")) return { who: text, account: null };
    const account = await accounts.find(text, signal);
    return { who: account === null ? text : accountTitle(account), account };
}

/** The record of the question, for its access list and its creator; `null` if there is none. */
async function recordOf({ type, record }, signal) {
    if (record === "") return null;
    try {
        return await api.read(type, record, signal);
    } catch (error) {
        if (error instanceof api.Refusal) return null;
        throw error;
    }
}

/** The form of the question. `submit(question)` is called with a complete one. */
function questionForm(question, signal, submit) {
    const ids = { action: freshID("action"), type: freshID("type"), record: freshID("record"), field: freshID("field") };
    const shownUser = question.user;
    const who = accountInput({ label: t("Who"), placeholder: t("ada, or anonymous"), value: shownUser, others: others(), signal });
    if (users.isRecordName(shownUser)) {
        users.nameOf(shownUser).then((name) => {
            if (name !== null && who.input.value === shownUser) who.input.value = name;
        });
    }
    const action = make("select", { id: ids.action, name: "action", onchange: follow },
        // Everybody can enter the public database.
        explain.actions.filter(([value]) => value !== "enter" || scope.isPrivate() || question.action === value)
            .map(([value, title]) => make("option", { value }, title)));
    const types = schema.all().map(({ name }) => name);
    const type = make("select", { id: ids.type, onchange: follow },
        [...types, ...(question.type === "" || types.includes(question.type) ? [] : [question.type])]
            .map((name) => make("option", { value: name }, name)));
    const record = make("input", {
        id: ids.record, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value: question.record,
        placeholder: t("any record"),
    });
    const field = make("select", { id: ids.field });
    const button = make("button", { type: "submit", class: "primary" }, t("Ask"));
    action.value = question.action;
    if (question.type !== "") type.value = question.type;
    const part = (key, title, control) => make("div", {}, make("label", { for: ids[key] }, title), control);
    const parts = {
        type: part("type", t("Type"), type), record: part("record", t("Name of the record"), record),
        field: part("field", t("Field"), field),
    };

    function follow() {
        const isOfType = explain.hasType(action.value);
        for (const [key, element] of Object.entries(parts)) element.hidden = !isOfType || (key === "record" && action.value === "create");
        const wanted = field.value || question.field;
        const names = [...schema.fields(type.value).keys()];
        field.replaceChildren(make("option", { value: "" }, t("the whole record")),
            ...names.map((name) => make("option", { value: name }, name)));
        field.value = names.includes(wanted) ? wanted : "";
    }
    async function submitted(event) {
        event.preventDefault();
        await whileBusy(button, async () => {
            const text = who.input.value.trim();
            let user = text;
            // Names of keys and accounts that may not be looked up go to the server as they are.
            if (!isOther(text) && session.covers("manageUsers")) {
                const found = await who.find();
                if (found === null) return;
                user = found.other ?? (accounts.hasName(found) ? found.name : found.userRecordName);
            }
            const isOfType = explain.hasType(action.value);
            submit({
                user, action: action.value, type: isOfType ? type.value : "", field: isOfType ? field.value : "",
                record: isOfType && action.value !== "create" ? record.value.trim() : "",
            });
        });
    }
    follow();
    return make("form", { class: "panel line-form question", novalidate: true, onsubmit: submitted, "aria-label": t("What may X do?") },
        who.element, make("div", {}, make("label", { for: ids.action }, t("Action")), action),
        parts.type, parts.record, parts.field, button);
}

/** What a mend does, as the title of its button. */
function mendTitle(mend, { who, type, names }) {
    switch (mend.kind) {
    case "role": return t("Give the role {role} to {who}", { role: mend.role, who });
    case "grant": return t("Grant “{right}” on {type} to: {role}", { 
        right: rightTitle(mend.right), type, role: mend.role.startsWith("_") ? explain.audience(mend.role) : mend.role,
    });
    case "both": return t("Grant “{right}” on {type} to {role}, and give this role to {who}", {
        right: rightTitle(mend.right), type, role: mend.role, who,
    });
    case "list": return t("Add {who} to the record's access list: {right}", {
        who: principalTitle(mend.principal, names), right: rightTitle(mend.word.toUpperCase()),
    });
    case "enable": return t("Enable the account {who}", { who });
    default: return t("Rights of {type}", { type });
    }
}

/** The right that the console's caller needs for a mend. */
const needs = { role: "changeRights", grant: "changeRights", both: "changeRights", list: "writeRecords", enable: "manageUsers" };

/** Asks before a grant, because it is for more callers than the one of the question. */
async function isWanted(mend, { who, type, allRoles }) {
    if (!["grant", "both"].includes(mend.kind)) return true;
    const members = explain.audience(mend.role, explain.accountCount(allRoles, mend.role));
    const audience = mend.kind === "grant" ? members : t("{members}, and {who}, who becomes a member", { members, who });
    const answer = await ask({
        title: t("Grant this right?"),
        content: make("div", {}, make("p", {}, t("Who gets it: {who}.", { who: audience })),
            make("p", {}, t("What it allows: {what}.", { what: explain.allowed(mend, type) }))),
        choices: [
            { value: "no", title: t("Leave it"), isFirst: true },
            { value: "grant", title: t("Grant it"), kind: "primary" },
        ],
    });
    return answer === "grant";
}

async function grant(type, { role, right }) {
    const { grants, tag } = await routes.grants(type);
    const words = new Set([...(grants[role] ?? []), right]);
    await routes.putGrants(type, { ...grants, [role]: [...words] }, tag);
}

async function carryOut(mend, { question, account, record }) {
    switch (mend.kind) {
    case "role": await routes.setMember(mend.role, account.userRecordName, true); break;
    case "grant": await grant(question.type, mend); break;
    case "both":
        await grant(question.type, mend);
        await routes.setMember(mend.role, account.userRecordName, true);
        break;
    case "list": {
        const words = new Set([...(record.acl[mend.principal] ?? []), mend.word]);
        await api.change(question.type, question.record, { fields: {}, acl: { ...record.acl, [mend.principal]: [...words] } },
            record.recordChangeTag);
        break;
    }
    case "enable": await routes.changeUser(account.userRecordName, { disabled: false }); break;
    default: throw new RangeError(mend.kind);
    }
}

/** The answer as a panel. `mended()` is called after a mend. */
function answerPanel(answer, context, mended, problem) {
    const { question, who, facts } = context;
    const isAllowed = answer.decision === "ALLOWED";
    const mends = explain.mends(answer, question, facts);
    const isGivenUp = mends.some(({ kind }) => needs[kind] !== undefined && !session.covers(needs[kind]));
    const about = { who, type: question.type, names: facts.names, allRoles: facts.allRoles };
    function button(mend, at) {
        if (mend.kind === "open" || mend.kind === "security") {
            return make("a", {
                class: "button", href: mend.kind === "open" ? router.address(["security", "types", question.type]) : "#/security",
            }, mend.kind === "open" ? mendTitle(mend, about) : t("Rights of types"));
        }
        if (!session.covers(needs[mend.kind])) return null;
        const title = mendTitle(mend, about);
        const element = make("button", { type: "button", class: at === 0 ? "primary" : "", onclick: () => whileBusy(element, async () => {
            if (!(await isWanted(mend, about))) return;
            try {
                await carryOut(mend, context);
            } catch (error) {
                showProblem(problem, error);
                return;
            }
            mended(title);
        }) }, title);
        return element;
    }
    const links = [
        question.type === "" || mends.some(({ kind }) => kind === "open") ? null
            : make("a", { href: router.address(["security", "types", question.type]) }, t("Rights of {type}", { type: question.type })),
        question.record === "" ? null
            : make("a", { href: router.address(["types", question.type, "record", question.record]) }, t("The record")),
        context.account === null ? null
            : make("a", { href: accounts.address(context.account) }, t("The account {name}", { name: who })),
    ].filter((each) => each !== null);
    return make("section", { class: isAllowed ? "panel verdict" : "panel verdict denied", "aria-label": t("Answer") },
        make("h2", { class: "verdict-line" }, explain.headline(answer, question, who)),
        make("ul", {}, answer.because.map((step) => make("li", {}, explain.reason(step, question, facts)))),
        mends.length === 0 ? null : make("h3", {}, t("What would allow it")),
        mends.length === 0 ? null : make("p", { class: "actions mends" }, mends.map(button)),
        isGivenUp ? make("p", { class: "note" }, session.reason(t("changing rights"))) : null,
        facts.heldRoles.length === 0 ? null
            : make("p", { class: "note" }, t("Roles of {who}: {roles}", { who, roles: facts.heldRoles.join(", ") })),
        links.length === 0 ? null : make("p", { class: "note" }, links.flatMap((each, at) => (at === 0 ? [each] : [" · ", each]))),
        make("details", {}, make("summary", {}, t("The server's words")),
            make("ul", {}, answer.because.map((step) => make("li", { class: "code" }, `${step.rule}: ${step.reason}`)))));
}

/** The answer to the question in the URL with what its sentences need. */
async function find(question, signal) {
    const [{ who, account }, answer, record, roles] = await Promise.all([subject(question.user, signal),
        routes.explain(explain.body(question), { signal }), recordOf(question, signal), routes.roles(signal)]);
    const list = record?.acl ?? null;
    const principals = Object.keys(list ?? {}).filter(users.isRecordName);
    const names = new Map(await Promise.all(principals.map(async (each) => [each, await users.nameOf(each) ?? each])));
    if (account !== null) names.set(account.userRecordName, who);
    const facts = {
        who, names, list, allRoles: roles, roles: roles.map(({ name }) => name), heldRoles: answer.roles ?? [],
        isAnonymous: question.user === "anonymous", isUser: account !== null,
        recordName: account?.userRecordName, entry: schema.type(question.type),
        isCreator: account !== null && record?.created?.userRecordName === account.userRecordName,
    };
    return { answer, context: { question, who, account, record, facts } };
}

export async function show({ signal, show: draw, fail }, _, query) {
    await schema.load({ signal });
    const question = explain.fromAddress(query);
    const heading = make("h1", {}, t("What may X do?"));
    const [place, problem] = [make("div", { role: "status" }), make("div", {})];
    const address = (asked) => router.address(["security", "why"], explain.toAddress(asked));

    async function answer(note = "") {
        let found;
        try {
            found = await find(question, signal);
        } catch (error) {
            if (signal.aborted || !(error instanceof api.Refusal) || error.status === 401) throw error;
            showProblem(place, error);
            return;
        }
        signal.throwIfAborted();
        problem.replaceChildren();
        place.replaceChildren(answerPanel(found.answer, found.context, (done) => {
            users.forget();
            schema.load({ signal }).then(() => answer(t("Done: {what}.", { what: done }))).catch(fail);
        }, problem));
        if (note !== "") announce(note);
    }
    draw(securityHead(heading, "why"),
        scope.isPrivate() ? make("p", { class: "panel notice" }, t("You are looking at a private database: the answers are about it.")) : null,
        make("p", { class: "note" }, t("The server explains its own decision: which rule allows or denies an action.")),
        questionForm(question, signal, (asked) => router.go(address(asked))), problem, place);
    introduce(heading);
    if (explain.isComplete(question)) await answer();
}
