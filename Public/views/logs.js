// The latest requests, as they arrive: who sent what, and what became of it.

import * as api from "../api.js";
import { freshID, introduce, make } from "../dom.js";
import * as observation from "../observation.js";
import * as requests from "../requests.js";
import * as router from "../router.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import * as users from "../users.js";
import { t, tn } from "../words.js";
import { choice, conditionForm, labeled, logTabs, olderButton, renewTimes, textBox } from "./log-parts.js";
import { showProblem } from "./problem.js";
import { repeat } from "./repeat.js";
import { requestRow } from "./request-row.js";
import { columnTable } from "./table.js";

const pause = 2_000; // milliseconds
/** So many rows come at once. */
const mostAtOnce = 100;
/** With more rows than this, the oldest ones leave the page while new ones arrive. */
const mostRows = 1_000;

const statuses = [
    ["", t("All")], ["2xx", t("2xx: succeeded")], ["4xx", t("4xx: rejected")], ["401", t("401: not signed in")], ["403", t("403: denied")],
    ["404", t("404: not found")], ["409", t("409: conflict")], ["429", t("429: throttled")], ["5xx", t("5xx: failed")],
];

/** What the log takes as a sender for the text of the user: the record name of an account; else the name of a key or administrator. */
async function senderFor(text) {
    if (text === "" || users.isRecordName(text) || !session.covers("manageUsers")) return text;
    const { container, environment } = scope.current();
    return await users.find(text, { ...(container && { container }), ...(environment && { environment }) }) ?? text;
}

/**
 * The form above the log. `apply(filter)` gets the conditions whenever they have changed; `failed(error)` the error of looking up a sender.
 */
function filterForm(filter, apply, failed) {
    const status = choice(statuses, filter.status ?? "");
    const sender = textBox(filter.actor ?? "", t("a name"));
    const path = textBox(filter.path ?? "", "/records/Post");
    const request = textBox(filter.request ?? "");
    const id = freshID("without-console");
    const without = make("input", { type: "checkbox", id, checked: filter.console !== "true" });
    if (users.isRecordName(filter.actor ?? "")) {
        users.nameOf(filter.actor).then((name) => {
            if (name !== null && sender.value === filter.actor) sender.value = name;
        });
    }
    const clear = make("a", { class: "button quiet", href: requests.address() }, t("Clear"));
    const read = () => JSON.stringify([status.value, sender.value.trim(), path.value.trim(), request.value.trim(), without.checked]);
    let known = read();

    /** Clearing keeps the choice about the console's requests. */
    function drawClear(now) {
        clear.hidden = !requests.isFiltered(now);
        clear.href = requests.unfiltered(now);
        without.parentElement.hidden = now.request !== undefined;
    }
    async function changed() {
        const values = read();
        if (values === known) return;
        known = values;
        try {
            const found = requests.fromAddress(new URLSearchParams({
                status: status.value, path: requests.sentPath(path.value.trim()), request: request.value.trim(),
                console: without.checked ? "" : "true", actor: await senderFor(sender.value.trim()),
            }));
            if (values !== known) return;
            drawClear(found);
            apply(found);
        } catch (error) {
            failed(error);
        }
    }
    const element = conditionForm({ "aria-label": t("Filter the requests") }, changed,
        labeled(t("Status"), status), labeled(t("Sender"), sender), labeled(t("Path or record"), path), labeled(t("Identifier"), request),
        make("div", { class: "choice" }, without, make("label", { for: id }, t("Hide the console's own requests"))), clear);
    drawClear(filter);
    return element;
}

/** What to do without results. `left` is how many requests of the console are not shown. */
function emptiness(filter, left) {
    const isFiltered = requests.isFiltered(filter);
    const note = filter.request !== undefined
        ? t("The log has no request with this identifier. It may have left the log, or belong to another database. The access log of the server keeps identifiers longer.")
        : isFiltered ? t("No request in the log matches. The log is in memory, and starts with the server.")
        : t("Requests appear here as they arrive.");
    return [
        make("p", { class: "lead" }, isFiltered ? t("Nothing was found.") : t("No requests yet.")), make("p", {}, note),
        left === 0 ? null : make("p", {}, make("a", { class: "button", href: requests.address({ ...filter, console: "true" }) },
            tn("Show the {count} request of the console", "Show the {count} requests of the console", left))),
        isFiltered ? make("p", {}, make("a", { class: "button", href: requests.unfiltered(filter) }, t("Show all requests"))) : null,
    ].filter((each) => each !== null);
}

/** The page of a server that keeps no requests. */
function showNoLog(draw, error) {
    const heading = make("h1", {}, t("Logs"));
    draw(make("div", { class: "page-head" }, heading, logTabs("requests")), make("div", { class: "empty" },
        make("p", { class: "lead" }, t("This server keeps no requests.")), make("p", {}, error.message),
        session.covers("readSettings")
            ? make("p", {}, make("a", { class: "button", href: "#/settings?search=log.requests" }, t("The setting log.requests"))) : null));
    introduce(heading);
}

export async function show({ signal, show: draw, fail }, names, query) {
    let filter = requests.fromAddress(query);
    let [turn, pageSize, left] = [0, null, 0];
    /** Entries for the page: those of the console are left out of what the server returns. */
    async function read(cursor, more = {}) {
        const asked = requests.serverQuery(filter);
        const isWanted = requests.hidesConsole(filter) ? (entry) => !requests.isOfConsole(entry) : () => true;
        let isFirst = true;
        const found = await requests.collect(async (next) => {
            // A page without the console's requests may need many of the server's, so further ones are as long as it allows.
            if (!isFirst) pageSize ??= String((await api.limits(signal)).pageSize);
            const size = isFirst ? {} : { limit: pageSize };
            isFirst = false;
            return observation.requests({ ...asked, ...more, ...size, ...(next === undefined ? {} : { cursor: next }) }, signal);
        }, isWanted, mostAtOnce, cursor);
        signal.throwIfAborted();
        return found;
    }
    let page;
    try {
        page = await read();
    } catch (error) {
        if (!(error instanceof api.Refusal) || error.status !== 404 || error.details?.cause !== undefined) throw error;
        showNoLog(draw, error);
        return;
    }
    let { latest, cursor } = page;
    let isPaused = false;
    const heading = make("h1", {}, t("Logs"));
    const problem = make("div", {});
    const failed = (error) => {
        if (!signal.aborted) showProblem(problem, error);
    };
    const body = make("tbody", {});
    const table = columnTable({
        label: t("Requests"), style: "panel log requests-log", body,
        columns: [{ title: t("Time"), min: 7.5, ideal: 13.5 }, { title: t("Sender"), min: 5.5, ideal: 9 },
            { title: t("Address"), min: 7, ideal: 9, priority: 2 }, { title: t("Request"), min: 9, ideal: 24, grow: 1 },
            { title: t("Status"), min: 5, ideal: 10 }, { title: t("Duration"), style: "number", min: 5.5, ideal: 6, priority: 1 }],
    });
    const empty = make("div", { class: "empty" });
    const state = make("span", { class: "note tail-state", role: "status" });
    const button = make("button", { type: "button", class: "small", onclick: () => {
        isPaused = !isPaused;
        drawState();
    } });
    const count = make("p", { class: "note" });
    const older = olderButton(body, async () => {
        const mine = turn;
        const next = await read(cursor);
        if (mine !== turn) return { rows: [], hasMore: cursor !== undefined };
        ({ cursor } = next);
        left += next.left;
        drawCount(next.entries.length);
        return { rows: next.entries.flatMap((entry) => requestRow(entry)), hasMore: cursor !== undefined };
    }, failed);

    function drawState() {
        button.textContent = isPaused ? t("Resume") : t("Pause");
        state.textContent = isPaused ? t("Paused") : t("Live: new requests appear by themselves.");
        state.classList.toggle("live", !isPaused);
    }
    /** `more` are the rows that are about to be added. */
    function drawCount(more = 0) {
        const rows = body.querySelectorAll("tr.entry").length + more;
        table.hidden = rows === 0;
        empty.hidden = rows > 0;
        if (rows === 0 && !empty.contains(document.activeElement)) empty.replaceChildren(...emptiness(filter, left));
        const shown = rows === 0 ? "" : tn("{count} request shown", "{count} requests shown", rows);
        const hidden = left === 0 ? "" : tn("{count} of the console left out", "{count} of the console left out", left);
        count.textContent = rows === 0 ? "" : [shown, hidden].filter((each) => each !== "").join(", ");
        older.hidden = cursor === undefined;
    }
    function fill({ entries, left: without, cursor: next, latest: newest }) {
        [cursor, left, latest] = [next, without, newest];
        body.replaceChildren(...entries.flatMap((entry) => requestRow(entry, filter.request !== undefined && entries.length === 1)));
        drawCount();
    }
    /** Shows what other conditions find, below the form that stays as it is. */
    async function apply(found) {
        if (signal.aborted) return;
        filter = found;
        const mine = turn += 1;
        router.correct(requests.address(filter));
        try {
            const next = await read();
            if (mine !== turn) return;
            problem.replaceChildren();
            fill(next);
        } catch (error) {
            if (mine === turn) failed(error);
        }
    }
    /** Adds what is newer than the last page. If that is more than a page, the log begins again with the newest. */
    async function tail() {
        renewTimes(body);
        if (isPaused) return pause;
        const mine = turn;
        const next = await read(undefined, { after: String(latest) });
        if (isPaused || mine !== turn) return pause;
        ({ latest } = next);
        left += next.left;
        if (next.cursor !== undefined) {
            const first = await read();
            if (mine === turn) fill(first);
            return pause;
        }
        if (next.entries.length === 0 && next.left === 0) return pause;
        body.prepend(...next.entries.flatMap((entry) => requestRow(entry)));
        const rows = body.querySelectorAll("tr.entry");
        if (rows.length > mostRows) {
            cursor = rows[mostRows - 1].dataset.number ?? cursor;
            for (const row of [...rows].slice(mostRows)) {
                row.nextElementSibling.remove();
                row.remove();
            }
        }
        drawCount();
        return pause;
    }
    fill(page);
    drawState();
    draw(make("div", { class: "page-head" }, heading, logTabs("requests"), make("p", { class: "actions" }, state, button)),
        filterForm(filter, apply, failed), problem, table, empty, make("p", { class: "actions log-end" }, older, count));
    introduce(heading);
    repeat(tail, pause, signal, fail);
}
