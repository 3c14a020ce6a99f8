// The audit log: who changed permissions, schema and accounts, by database or of the whole server.

import { actions } from "../audit-actions.js";
import { freshID, introduce, make } from "../dom.js";
import { stringify } from "../json.js";
import * as observation from "../observation.js";
import * as requests from "../requests.js";
import * as router from "../router.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import * as users from "../users.js";
import { t, tn } from "../words.js";
import {
    choice, conditionForm, exactText, factList, labeled, logTabs, olderButton, openRow, textBox, timeText, timeView,
} from "./log-parts.js";
import { showProblem } from "./problem.js";
import { senderView } from "./sender.js";
import { columnTable } from "./table.js";

const columns = 6;
const conditions = ["scope", "actor", "action", "since", "until"];

/** `2026-03-01T14:05` in the user's time zone as milliseconds; `null` without a time. */
function milliseconds(text) {
    const found = text === "" ? NaN : Date.parse(text);
    return Number.isNaN(found) ? null : found;
}

function fromAddress(query) {
    return Object.fromEntries(conditions.map((key) => [key, (query.get(key) ?? "").trim()]).filter(([, value]) => value !== ""));
}

function address(filter) {
    return router.address(["logs", "audit"], Object.fromEntries(conditions.filter((key) => filter[key]).map((key) => [key, filter[key]])));
}

/** Whether conditions are set besides the choice of the log. */
function isFiltered(filter) {
    return Object.keys(filter).some((key) => key !== "scope");
}

/** The conditions as the server takes them. */
function asked(filter) {
    const { since, until, ...rest } = filter;
    const times = [["since", milliseconds(since ?? "")], ["until", milliseconds(until ?? "")]].filter(([, time]) => time !== null);
    return { ...rest, ...Object.fromEntries(times.map(([key, time]) => [key, String(time)])) };
}

async function actorFor(text) {
    if (text === "" || users.isRecordName(text) || !session.covers("manageUsers")) return text;
    const { container, environment } = scope.current();
    return await users.find(text, { ...(container && { container }), ...(environment && { environment }) }) ?? text;
}

/** The form above the log. `apply(filter)` gets the conditions whenever they have changed; `failed(error)` the error of looking up an actor. */
function filterForm(filter, apply, failed) {
    const name = freshID("audit-scope");
    const radios = [["", t("This database")], ["server", t("Server")]].map(([value, title]) => [make("input", {
        type: "radio", id: freshID("audit-scope"), name, value, checked: (filter.scope ?? "") === value,
    }), title]);
    const sides = radios.map(([input, title]) => [input, make("label", { for: input.id }, title)]);
    const actor = textBox(filter.actor ?? "", t("a name"));
    const action = choice([["", t("All")], ...actions.map((each) => [each, each])], filter.action ?? "");
    const time = (value) => make("input", { type: "datetime-local", value });
    const [since, until] = [time(filter.since ?? ""), time(filter.until ?? "")];
    if (users.isRecordName(filter.actor ?? "")) {
        users.nameOf(filter.actor).then((found) => {
            if (found !== null && actor.value === filter.actor) actor.value = found;
        });
    }
    const clear = make("a", { class: "button quiet" }, t("Clear"));
    const scopeOf = () => radios.find(([input]) => input.checked)?.[0].value ?? "";
    const read = () => JSON.stringify([scopeOf(), actor.value.trim(), action.value, since.value, until.value]);
    let known = read();

    function drawClear(now) {
        clear.hidden = !isFiltered(now);
        clear.href = address({ scope: now.scope });
    }
    async function changed() {
        const values = read();
        if (values === known) return;
        known = values;
        try {
            const found = fromAddress(new URLSearchParams({
                scope: scopeOf(), actor: await actorFor(actor.value.trim()), action: action.value, since: since.value, until: until.value,
            }));
            if (values !== known) return;
            drawClear(found);
            apply(found);
        } catch (error) {
            failed(error);
        }
    }
    drawClear(filter);
    return conditionForm({ "aria-label": t("Filter the audit log") }, changed,
        make("fieldset", { class: "condition" }, make("legend", {}, t("Log of")), make("div", { class: "sides" }, sides)),
        labeled(t("Actor"), actor), labeled(t("Action"), action), labeled(t("From"), since), labeled(t("Until"), until), clear);
}

/** The target of an entry: the account's name instead of its record name, if that is known. */
function targetView(target = "") {
    const element = make("span", { class: "value", title: target, translate: "no" }, target);
    if (users.isRecordName(target)) {
        users.nameOf(target).then((name) => {
            if (name !== null) element.textContent = name;
        });
    }
    return element;
}

function outcomeView({ outcome }) {
    return make("span", { class: outcome === "done" ? "state" : "state alarm" }, outcome === "done" ? t("done") : t("denied"));
}

function details(entry) {
    const detail = Object.entries(entry.detail ?? {}).map(([key, value]) => [key, typeof value === "string" ? value : stringify(value), "code"]);
    const request = entry.request === undefined || !session.covers("readRequests") ? entry.request
        : make("a", { href: requests.address({ request: entry.request }) }, entry.request);
    return make("div", { class: "entry-details" }, factList([
        [t("Time"), exactText(entry.timestamp)],
        [t("Actor"), make("span", {}, senderView(entry.actor), make("span", { class: "note code" }, ` ${entry.actor?.name ?? ""}`))],
        [t("Target"), entry.target, "code"], [t("Address"), entry.address, "code"], [t("Identifier"), request, "code"], ...detail,
    ]));
}

function entryRow(entry) {
    const cell = (title, content, style) => make("td", { "data-title": title, class: style }, content);
    return openRow({
        title: timeView(entry.timestamp), columns, content: () => details(entry),
        label: t("Details of {action}, {time}", { action: entry.action, time: timeText(entry.timestamp) }),
        cells: [cell(t("Actor"), senderView(entry.actor), "who-cell"), cell(t("Action"), entry.action, "code"),
            cell(t("Target"), targetView(entry.target), "path-cell"), cell(t("Outcome"), outcomeView(entry)),
            cell(t("Address"), entry.address ?? "", "code minor")],
    });
}

export async function show({ signal, show: draw }, names, query) {
    let filter = fromAddress(query);
    const load = (cursor) => observation.audit({ ...asked(filter), ...(cursor === undefined ? {} : { cursor }) }, signal);
    const page = await load();
    let [cursor, turn] = [undefined, 0];
    const heading = make("h1", {}, t("Audit log"));
    const problem = make("div", {});
    const failed = (error) => {
        if (!signal.aborted) showProblem(problem, error);
    };
    const body = make("tbody", {});
    const count = make("p", { class: "note" });
    const table = columnTable({
        label: t("Audit log"), style: "panel log audit-log", body,
        columns: [{ title: t("Time"), min: 7.5, ideal: 13.5 }, { title: t("Actor"), min: 5.5, ideal: 10 }, { title: t("Action"), min: 7, ideal: 12 },
            { title: t("Target"), min: 7, ideal: 18, grow: 1 }, { title: t("Outcome"), min: 5, ideal: 6, priority: 1 },
            { title: t("Address"), min: 7, ideal: 9, priority: 2 }],
    });
    const empty = make("div", { class: "empty" }, make("p", { class: "lead" }, t("No entries.")),
        make("p", {}, t("The audit log records changes of schema, permissions, keys, accounts and administrators, and failed sign-ins, but no writes of records.")));
    const older = olderButton(body, async () => {
        const mine = turn;
        const next = await load(cursor);
        signal.throwIfAborted();
        if (mine !== turn) return { rows: [], hasMore: cursor !== undefined };
        ({ cursor } = next);
        drawCount(next.entries.length);
        return { rows: next.entries.flatMap(entryRow), hasMore: cursor !== undefined };
    }, failed);

    /** `more` are the rows that are about to be added. */
    function drawCount(more = 0) {
        const rows = body.querySelectorAll("tr.entry").length + more;
        table.hidden = rows === 0;
        empty.hidden = rows > 0;
        older.hidden = cursor === undefined;
        count.textContent = rows === 0 ? "" : tn("{count} entry shown", "{count} entries shown", rows);
    }
    function fill({ entries, cursor: next }) {
        cursor = next;
        body.replaceChildren(...entries.flatMap(entryRow));
        drawCount();
    }
    /** Shows what other conditions find, below the form that stays as it is. */
    async function apply(found) {
        if (signal.aborted) return;
        filter = found;
        const mine = turn += 1;
        router.correct(address(filter));
        try {
            const next = await load();
            signal.throwIfAborted();
            if (mine !== turn) return;
            problem.replaceChildren();
            fill(next);
        } catch (error) {
            if (mine === turn) failed(error);
        }
    }
    fill(page);
    draw(make("div", { class: "page-head" }, heading, logTabs("audit")), filterForm(filter, apply, failed), problem, table, empty,
        make("p", { class: "actions log-end" }, older, count));
    introduce(heading);
}
