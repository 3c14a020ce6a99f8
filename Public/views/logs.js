// The latest requests, as they arrive: who sent what, and what became of it.

import * as api from "../api.js";
import { introduce, make, whileBusy } from "../dom.js";
import * as observation from "../observation.js";
import * as requests from "../requests.js";
import * as router from "../router.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import * as users from "../users.js";
import { t, tn } from "../words.js";
import { choice, labeled, logTabs, olderButton, textBox } from "./log-parts.js";
import { showProblem } from "./problem.js";
import { repeat } from "./repeat.js";
import { requestRow } from "./request-row.js";

const pause = 2_000; // milliseconds
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

/** The form above the log. It goes to the URL of the conditions. */
function filterForm(filter, failed) {
    const status = choice(statuses, filter.status ?? "");
    const sender = textBox(filter.actor ?? "", t("a name"));
    const path = textBox(filter.path ?? "", "/records/Post");
    const request = textBox(filter.request ?? "");
    if (users.isRecordName(filter.actor ?? "")) {
        users.nameOf(filter.actor).then((name) => {
            if (name !== null && sender.value === filter.actor) sender.value = name;
        });
    }
    const button = make("button", { type: "submit" }, t("Filter"));
    async function submit(event) {
        event.preventDefault();
        await whileBusy(button, async () => {
            try {
                const found = {
                    status: status.value, actor: await senderFor(sender.value.trim()), path: requests.sentPath(path.value.trim()),
                    request: request.value.trim(),
                };
                router.go(requests.address(found));
            } catch (error) {
                failed(error);
            }
        });
    }
    return make("form", { class: "log-filter", role: "search", "aria-label": t("Filter the requests"), onsubmit: submit },
        labeled(t("Status"), status), labeled(t("Sender"), sender), labeled(t("Path or record"), path), labeled(t("Identifier"), request),
        button, Object.keys(filter).length === 0 ? null : make("a", { class: "button quiet", href: requests.address() }, t("Clear")));
}

/** What to do without results. */
function emptiness(filter) {
    const isFiltered = Object.keys(filter).length > 0;
    const note = filter.request !== undefined
        ? t("The log has no request with this identifier. It may have left the log, or belong to another database. The access log of the server keeps identifiers longer.")
        : isFiltered ? t("No request in the log matches. The log is in memory, and starts with the server.")
        : t("Requests appear here as they arrive.");
    return make("div", { class: "empty" }, make("p", { class: "lead" }, isFiltered ? t("Nothing was found.") : t("No requests yet.")),
        make("p", {}, note), isFiltered ? make("p", {}, make("a", { class: "button", href: requests.address() }, t("Show all requests"))) : null);
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
    const filter = requests.fromAddress(query);
    const asked = (more) => observation.requests({ ...filter, ...more }, signal);
    let page;
    try {
        page = await asked({});
    } catch (error) {
        if (!(error instanceof api.Refusal) || error.status !== 404 || error.details?.cause !== undefined) throw error;
        showNoLog(draw, error);
        return;
    }
    // Requests that end while the server reads its log are in the page although their number is higher.
    const newest = ({ latest: number, requests: list }) => Math.max(Number(number), ...list.map(({ id }) => Number(id)));
    let latest = newest(page);
    let cursor = page.cursor;
    let isPaused = false;
    const heading = make("h1", {}, t("Logs"));
    const problem = make("div", {});
    const failed = (error) => {
        if (!signal.aborted) showProblem(problem, error);
    };
    const body = make("tbody", {});
    const head = (text, style) => make("th", { scope: "col", class: style }, text);
    const table = make("div", {
        class: "panel table log requests-log", role: "region", tabindex: "0", "aria-label": t("Requests"),
    }, make("table", { class: "lines cards" },
        make("thead", {}, make("tr", {}, head(t("Time")), head(t("Sender")), head(t("Address"), "minor"), head(t("Request")),
            head(t("Status")), head(t("Duration"), "number"))), body));
    const empty = emptiness(filter);
    const state = make("span", { class: "note tail-state", role: "status" });
    const button = make("button", { type: "button", class: "small", onclick: () => {
        isPaused = !isPaused;
        drawState();
    } });
    const count = make("p", { class: "note" });
    const older = olderButton(body, async () => {
        const next = await asked({ cursor });
        signal.throwIfAborted();
        ({ cursor } = next);
        drawCount(next.requests.length);
        return { rows: next.requests.flatMap((entry) => requestRow(entry)), hasMore: cursor !== undefined };
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
        count.textContent = rows === 0 ? "" : tn("{count} request shown", "{count} requests shown", rows);
        older.hidden = cursor === undefined;
    }
    function fill({ requests: list, cursor: next }) {
        cursor = next;
        body.replaceChildren(...list.flatMap((entry) => requestRow(entry, filter.request !== undefined && list.length === 1)));
        drawCount();
    }
    /** Adds what is newer than the last page. If that is more than a page, the log begins again with the newest. */
    async function tail() {
        if (isPaused) return pause;
        const next = await asked({ after: String(latest) });
        if (signal.aborted || isPaused) return pause;
        latest = newest(next);
        if (next.requests.length === 0) return pause;
        if (next.cursor !== undefined) {
            const first = await asked({});
            latest = newest(first);
            fill(first);
            return pause;
        }
        body.prepend(...next.requests.flatMap((entry) => requestRow(entry)));
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
        filterForm(filter, failed), problem, table, empty, make("p", { class: "actions log-end" }, older, count));
    introduce(heading);
    repeat(tail, pause, signal, fail);
}
