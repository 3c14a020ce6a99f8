// The schema of development comes to production, and earlier schemas come back.

import * as api from "../api.js";
import { localText } from "../dates.js";
import { announce, freshID, introduce, make, whileBusy } from "../dom.js";
import * as calls from "../schema-calls.js";
import * as diff from "../schema-diff.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { t, tn, tp } from "../words.js";
import { ask } from "./dialog.js";
import { showProblem } from "./problem.js";
import { changesTable, dangers, lostName, refusalSentences, remarkList, remarks, summary } from "./schema-changes.js";
import { columnTable } from "./table.js";

/** The name of the server's own token in the audit log. */
const ownToken = "_administrator";
const reasons = { promotion: t("promotion"), rollback: t("rollback"), reset: t("reset") };

function both(signal) {
    return Promise.all(["development", "production"].map((name) => calls.read({ scope: calls.place(name), signal })));
}

/** The console's URL with a page of production. */
function productionAddress(page) {
    return scope.environmentAddress("production", page);
}

function nameOf(environment) {
    return make("span", { class: `environment-name ${environment}` }, environment);
}

function names() {
    return { development: nameOf("development"), production: nameOf("production") };
}

/** A choice of what becomes of the permissions. `changed(keepsRights)` is called when it changes. */
function rightsChoice(changed) {
    const name = freshID("rights");
    const choice = (value, title, isChecked) => {
        const id = freshID("rights-choice");
        return [make("input", { type: "radio", id, name, checked: isChecked, onchange: () => changed(value) }), make("label", { for: id }, title)];
    };
    return make("fieldset", { class: "rights-choice" }, make("legend", {}, t("Rights of existing types")),
        make("div", { class: "sides" }, choice(false, t("take those of development"), true), choice(true, t("keep those of production"), false)));
}

/** Asks before a change of production. The differences are on the page, unless `further` has them. */
async function askFirst(title, action, list, changes, further = null) {
    return action === await ask({
        title,
        content: make("div", {}, make("p", { class: "production-note" }, t("This is production.")),
            make("p", {}, summary(list)), remarkList([...dangers(list), ...(changes.kept ?? []).map((reason) =>
                t("Stays as it is: {reason}.", { reason }))]), further),
        choices: [{ value: "keep", title: t("Keep the schema"), isFirst: true }, { value: action, title: action, kind: "danger" }],
    });
}

/** All differences, which open at a click. */
function foldedChanges(list) {
    return make("details", { class: "all-changes" }, make("summary", {}, t("All changes")), changesTable(list));
}

/** What the user has to do after new roles came to production, with links to them. */
function newRoles(roles) {
    const links = roles.flatMap((role, at) => [at === 0 ? null : ", ",
        make("a", { href: productionAddress(`#/security/roles/${encodeURIComponent(role)}`) }, role)]);
    return make("span", {}, tp("These roles are new in production: {roles}. They have no members there yet, so nobody has their rights. Open a role to add its members.",
        { roles: make("span", {}, links) }));
}

function snapshotTable(snapshots, rollBack) {
    const cell = (title, text, style) => make("td", { "data-title": title, class: style }, text);
    return columnTable({
        label: t("Earlier schemas of production"),
        columns: [{ title: t("Number") }, { title: t("Valid until"), solid: true }, { title: t("Replaced by a"), min: 7 }, { title: t("By"), priority: 1 },
            { title: make("span", { class: "visually-hidden" }, t("Roll back")), solid: true }],
        body: make("tbody", {}, snapshots.map((snapshot) => make("tr", { "data-snapshot": String(snapshot.id) },
                make("th", { scope: "row" }, String(snapshot.id)),
                cell(t("Valid until"), localText(snapshot.created), "moment"),
                cell(t("Replaced by a"), reasons[snapshot.before] ?? snapshot.before),
                cell(t("By"), snapshot.by?.name === ownToken ? t("Administrator's token") : snapshot.by?.name ?? ""),
                make("td", { class: "last" }, rollBack === null ? null : make("button", {
                    type: "button", class: "small", "aria-label": t("Roll back to {number}", { number: String(snapshot.id) }),
                    onclick: (event) => whileBusy(event.currentTarget, () => rollBack(snapshot.id)),
                }, t("Roll back…")))))),
    });
}

export async function show({ signal, show: place, isOver }, head) {
    const heading = make("h1", {}, t("Promotion"));
    if (session.current()?.isAdministrator === false) {
        place(head(heading), make("p", {}, t("A key belongs to one environment. Only administrators can compare the two.")));
        introduce(heading);
        return;
    }
    let [development, production] = await both(signal);
    let keepsRights = false;
    const canChange = session.covers("changeSchema");
    const [problem, plan, done] = [make("div", {}), make("section", { "aria-label": t("Changes") }),
        make("section", { class: "schema-outcome", "aria-label": t("Result"), tabindex: "-1" })];
    const history = make("section", { "aria-label": t("Earlier schemas of production") });
    let drawn = 0;

    /** Draws what a promotion would change. Callers that may do it get the server's dry run, too. */
    async function draw() {
        const number = drawn += 1;
        let list = diff.differences(production.types, diff.promoted(production.types, development.types), { keepsRights });
        let changes = {};
        let refused = [];
        if (canChange && list.length > 0) {
            try {
                const dry = await calls.promote({ isDryRun: true, keepsRights });
                ({ changes } = dry);
                if (dry.types !== undefined) list = diff.differences(production.types, dry.types);
            } catch (error) {
                if (!(error instanceof api.Refusal) || ![400, 403].includes(error.status)) throw error;
                refused = refusalSentences(error);
            }
        }
        if (isOver() || number !== drawn) return;
        const button = make("button", { type: "button", class: "primary", onclick: () => whileBusy(button, () => promote(list, changes)) },
            t("Promote to production…"));
        const lost = diff.lostIndexes(list);
        // The indexes that get lost have a box of their own.
        const warnings = dangers(list.filter((each) => !lost.some(({ type, kind, name }) =>
            each.type === type && each.kind === kind && each.name === name)));
        plan.replaceChildren(...(list.length === 0
            ? [make("p", {}, keepsRights
                ? tp("Apart from the rights, {production} has the schema of {development}.", names()) : tp("{production} has the schema of {development}.", names()))]
            : [make("h2", {}, t("What would change in production")),
                refused.length === 0 ? null : make("div", { class: "problem-box refused" },
                    make("p", { class: "reason" }, t("Production cannot take this schema:")),
                    make("ul", {}, refused.map((sentence) => make("li", {}, sentence)))),
                lostBox(lost), remarkList(remarks(changes, list, warnings)),
                make("p", { class: "actions" }, !canChange ? make("span", { class: "note" }, session.reason(t("changing the schema")))
                    : refused.length === 0 ? button : make("span", { class: "note" }, t("Nothing can be promoted until this is resolved."))),
                changesTable(list)])
            .filter((each) => each !== null));
    }
    async function drawQuietly() {
        try {
            await draw();
        } catch (error) {
            if (!isOver()) showProblem(problem, error, [make("button", { type: "button", onclick: reload }, t("Try again"))]);
        }
    }
    async function reload() {
        problem.replaceChildren();
        try {
            [development, production] = await both(signal);
        } catch (error) {
            if (!isOver()) showProblem(problem, error, [make("button", { type: "button", onclick: reload }, t("Try again"))]);
            return;
        }
        await Promise.all([drawQuietly(), drawHistory()]);
    }
    /** Shows what has been done, and moves the focus there. */
    function showDone(title, ...nodes) {
        done.replaceChildren(make("h2", {}, title), ...nodes.filter((each) => each !== null));
        done.focus({ preventScroll: true });
        done.scrollIntoView({ block: "nearest" });
    }
    /** After a change of production: what it was, and the page as it is now. */
    async function finish(title, list, changes) {
        if (scope.environment() === "production") await schema.load();
        if (isOver()) return;
        await reload();
        if (isOver()) return;
        announce(title);
        const { roles = [], snapshot } = changes;
        const back = snapshot === undefined ? null : make("span", {}, t("The schema before this change is number {number} of the earlier schemas below. If something no longer works, roll back to it.",
            { number: String(snapshot) }), " ", make("button", {
            type: "button", class: "small", onclick: () => goToHistory(snapshot),
        }, t("Show it")));
        showDone(title, make("p", {}, summary(list)),
            remarkList([...remarks({ ...changes, roles: [] }, list), roles.length === 0 ? null : newRoles(roles), back]
                .filter((each) => each !== null)),
            make("p", { class: "actions" }, make("a", { class: "button", href: productionAddress("#/schema") }, t("Schema of production"))));
    }
    function goToHistory(number) {
        const button = history.querySelector(`[data-snapshot="${number}"] button`);
        history.scrollIntoView({ block: "center" });
        button?.focus({ preventScroll: true });
    }
    /** The indexes that only production has, and the way to keep them; `null` if there are none. */
    function lostBox(lost) {
        if (lost.length === 0) return null;
        return make("section", { class: "problem-box lost-indexes", "aria-label": t("Indexes that would be removed") },
            make("p", { class: "reason" }, tn("{count} index is only in production. The promotion would remove it:",
                "{count} indexes are only in production. The promotion would remove them:", lost.length)),
            make("ul", {}, lost.map((each) => make("li", {}, make("span", { class: "code" }, lostName(each)),
                each.before === "UNIQUE" ? make("span", { class: "type" }, "UNIQUE") : null,
                !canChange ? null : make("button", {
                    type: "button", class: "small", "aria-label": t("Keep {index}: add it to development", { index: lostName(each) }),
                    onclick: (event) => whileBusy(event.currentTarget, () => keep(each)),
                }, t("Keep: add it to development"))))),
            make("p", { class: "note" }, t("Queries that need one of these indexes become slower or are rejected without it.")));
    }
    async function keep(lost) {
        try {
            await calls.addLost(lost, "development");
        } catch (error) {
            if (!isOver()) showProblem(problem, error);
            return;
        }
        if (scope.environment() === "development") await schema.load();
        if (isOver()) return;
        done.replaceChildren();
        await reload();
        if (isOver()) return;
        announce(t("Added to development: {index}", { index: lostName(lost) }));
        (plan.querySelector(".lost-indexes button") ?? heading).focus({ preventScroll: true });
    }
    /** One of the schemas is another one by now. */
    async function moved() {
        await reload();
        if (!isOver()) showProblem(problem, new Error(t("Somebody has changed the schema meanwhile. The page shows it as it is now.")));
    }
    async function failed(error) {
        if (isOver()) return;
        if (error instanceof api.Refusal && error.status === 412) await moved();
        else showProblem(problem, error);
    }
    async function promote(list, changes) {
        const shown = { keepsRights, tag: production.tag, source: calls.version(development.tag) };
        if (!(await askFirst(t("Change the schema of production?"), t("Promote"), list, changes)) || isOver()) return;
        try {
            // The tag of production guards against changes there. Those of development are looked for.
            const now = await calls.read({ scope: calls.place("development"), signal });
            if (calls.version(now.tag) !== shown.source) {
                await moved();
                return;
            }
            const { changes: made } = await calls.promote({ keepsRights: shown.keepsRights, tag: shown.tag });
            await finish(t("Promoted"), list, made);
        } catch (error) {
            await failed(error);
        }
    }
    async function rollBack(id) {
        try {
            const { tag, types } = await calls.read({ scope: calls.place("production"), signal });
            const dry = await calls.rollBack("production", id, { isDryRun: true, keepsRights, tag });
            if (isOver()) return;
            const list = diff.differences(types, dry.types ?? types);
            if (list.length === 0) {
                showDone(t("Rolling back to {number} would change nothing", { number: String(id) }), remarkList(remarks(dry.changes, list)));
                return;
            }
            const title = t("Bring the schema {number} of production back?", { number: String(id) });
            if (!(await askFirst(title, t("Roll back"), list, dry.changes, foldedChanges(list))) || isOver()) return;
            const { changes } = await calls.rollBack("production", id, { keepsRights, tag });
            await finish(t("Rolled back"), list, changes);
        } catch (error) {
            await failed(error);
        }
    }
    async function drawHistory() {
        try {
            const snapshots = await calls.snapshots("production", signal);
            history.replaceChildren(make("h2", {}, t("Earlier schemas of production")), snapshots.length === 0
                ? make("p", { class: "note" }, t("None yet: each promotion keeps the schema before it."))
                : snapshotTable(snapshots, canChange ? rollBack : null));
        } catch {
            if (isOver()) return;
            history.replaceChildren(make("p", { class: "note" }, t("The earlier schemas could not be loaded.")));
        }
    }

    place(head(heading),
        make("p", {}, tp("The schema of {development} becomes that of {production}. Types and fields of production are never removed.", names())),
        rightsChoice((value) => {
            keepsRights = value;
            done.replaceChildren();
            drawQuietly();
        }), problem, done, plan, history);
    introduce(heading);
    plan.replaceChildren(make("p", { class: "note", role: "status" }, t("Waiting for the server…")));
    await Promise.all([drawQuietly(), drawHistory()]);
}
