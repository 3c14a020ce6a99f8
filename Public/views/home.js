// The first page: what the server does now. Charts of the past have room between the numbers and the lists.

import * as api from "../api.js";
import { localText } from "../dates.js";
import { introduce, make } from "../dom.js";
import * as metrics from "../metrics.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { sizeText } from "../sizes.js";
import { number, t, tn } from "../words.js";
import { showAdvice } from "./advice.js";
import { jobTable } from "./jobs.js";

const pause = 5_000; // milliseconds
const mostJobs = 8;

function tile(title, value, note = "", style = "") {
    return value === undefined ? null : make("div", { class: "panel" },
        make("dt", {}, title), make("dd", { class: style, title: value }, value, note === "" ? null : make("small", {}, note)));
}

/** Whether the session has ended, so that the page must not ask again. */
function isSignedOut(error) {
    return error instanceof api.Refusal && error.status === 401;
}

async function readiness(signal) {
    try {
        await api.ready(signal);
        return tile(t("State"), t("Ready"), t("takes reads and writes"));
    } catch (error) {
        signal.throwIfAborted();
        if (isSignedOut(error)) throw error;
        return tile(t("State"), t("Not ready"), error.message, "alarm");
    }
}

/** The tiles of the numbers. `before` are those of the last time, for the requests per second since then. */
function numberTiles(list, before, seconds) {
    const of = (name, test) => metrics.sum(list, name, test);
    const text = (value) => (value === undefined ? undefined : number(value));
    const size = (value) => (value === undefined ? undefined : sizeText(value));
    const requests = of("fogbase_http_requests_total");
    const earlier = before === null ? undefined : metrics.sum(before, "fogbase_http_requests_total");
    const rate = earlier === undefined ? "" : t("{count} per second", {
        count: number((requests - earlier) / seconds, { maximumFractionDigits: 1 }),
    });
    // 501 is a request for what this server has not, such as thumbnails without vipsthumbnail.
    const errors = of("fogbase_http_requests_total", ({ status }) => status.startsWith("5") && status !== "501") ?? 0;
    const start = of("process_start_time_seconds");
    const version = list.find(({ name }) => name === "fogbase_info")?.labels.version;
    return [
        tile(t("Version"), version, start === undefined ? "" : t("since {time}", { time: localText(Math.round(start * 1000)) })),
        tile(t("Requests"), text(requests), rate),
        tile(t("Server errors"), text(errors), t("since the start"), errors > 0 ? "alarm" : ""),
        tile(t("Connections"), text(of("fogbase_http_connections"))),
        tile(t("Memory"), size(of("process_resident_memory_bytes"))),
        tile(t("Database files"), size(of("fogbase_database_bytes")),
            t("and {size} of write-ahead log", { size: size(of("fogbase_log_bytes")) ?? "0" })),
        tile(t("Waiting writes"), text(of("fogbase_write_queue_depth"))),
        tile(t("Index builds"), text(of("fogbase_index_builds"))),
        tile(t("Open streams"), text(of("fogbase_feed_streams"))),
    ];
}

function limitList(limits) {
    const facts = [
        [t("Record"), sizeText(Number(limits.recordBytes))], [t("File"), sizeText(Number(limits.assetBytes))],
        [t("Request body"), sizeText(Number(limits.bodyBytes))], [t("Records in a batch"), number(limits.batchOperations)],
        [t("Time of a query"), t("{seconds} s", { seconds: Number(limits.queryMilliseconds) / 1000 })],
    ];
    return [make("h2", {}, t("Limits")), make("dl", { class: "facts" }, facts.map(([key, value]) => make("div", {},
        make("dt", {}, key), make("dd", {}, value))))];
}

/** The numbers of the server; `null` for callers without access to them. */
async function numbers(signal) {
    try {
        return metrics.samples(await api.metrics(signal));
    } catch (error) {
        if (isSignedOut(error)) throw error;
        return null;
    }
}

export async function show({ signal, show: draw, fail }) {
    await schema.load({ signal });
    const heading = make("h1", {}, t("Home"));
    const tiles = make("dl", { class: "tiles" });
    const charts = make("section", { class: "charts", "aria-label": t("Charts"), hidden: true });
    const [jobs, limits] = [make("section", { "aria-label": t("Jobs") }), make("section", { "aria-label": t("Limits") })];
    const advice = make("section", { "aria-label": t("Costly queries") });
    let before = null;
    let at = 0;

    async function drawNumbers() {
        const [state, list] = await Promise.all([readiness(signal), numbers(signal)]);
        signal.throwIfAborted();
        const now = performance.now();
        tiles.replaceChildren(...[state,
            tile(t("Types"), number(schema.all().length), tn("{count} field", "{count} fields",
                schema.all().reduce((sum, { fields }) => sum + Object.keys(fields).length, 0))),
            ...(list === null ? [tile(t("Numbers"), "–", t("/metrics is closed for this caller"))]
                : numberTiles(list, before, (now - at) / 1000)),
        ].filter((each) => each !== null));
        [before, at] = [list, now];
    }
    async function drawJobs() {
        const list = await api.jobs({ limit: String(mostJobs) }, signal);
        jobs.replaceChildren(make("h2", {}, make("a", { href: "#/jobs" }, t("Jobs"))),
            list.length === 0 ? make("p", { class: "note" }, t("No jobs in the last week.")) : jobTable(list));
    }
    /** The page does without what cannot be loaded. Returns whether to ask again later. */
    async function quietly(work) {
        try {
            await work();
        } catch (error) {
            if (isSignedOut(error)) fail(error);
            return !isSignedOut(error);
        }
        return true;
    }
    function repeat() {
        const timer = setTimeout(async () => {
            const isSeen = document.visibilityState === "visible";
            if (isSeen && !(await Promise.all([quietly(drawNumbers), quietly(drawJobs)])).every(Boolean)) return;
            if (!signal.aborted) repeat();
        }, pause);
        signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    }

    draw(make("div", { class: "page-head" }, heading), tiles, schema.all().length === 0 ? make("div", { class: "empty" },
        make("p", { class: "lead" }, t("Nothing but fog so far.")),
        make("p", {}, scope.environment() === "production" ? t("In production, types come with the schema of development.")
            : session.covers("writeRecords") ? t("The first record creates a type: press “+” beside “Types”.")
            : session.reason(t("creating one")))) : null,
    charts, make("div", { class: "two" }, jobs, advice), limits);
    introduce(heading);
    quietly(drawNumbers);
    quietly(drawJobs);
    quietly(async () => limits.replaceChildren(...limitList(await api.limits(signal))));
    showAdvice(advice, null, signal);
    repeat();
}
