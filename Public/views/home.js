// The first page: whether the server is healthy, what it does now and did lately, what it stores, and what needs attention.

import * as api from "../api.js";
import { localText } from "../dates.js";
import { introduce, make } from "../dom.js";
import * as metrics from "../metrics.js";
import * as observation from "../observation.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { sizeText } from "../sizes.js";
import { number, t, tn } from "../words.js";
import { showAdvice } from "./advice.js";
import { charts, pause as chartPause } from "./home-charts.js";
import * as denied from "./home-denied.js";
import * as environments from "./home-environments.js";
import { health } from "./home-health.js";
import { storageView } from "./home-storage.js";
import { jobTable } from "./jobs.js";
import { isSignedOut, part } from "./part.js";
import { repeat } from "./repeat.js";

const pause = 5_000; // milliseconds
const mostJobs = 8;

function tile(title, value, note = "", style = "") {
    return value === undefined ? null : make("div", { class: "panel" },
        make("dt", {}, title), make("dd", { class: style, title: value }, value, note === "" ? null : make("small", {}, note)));
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
    return [make("dl", { class: "facts" }, facts.map(([key, value]) => make("div", {}, make("dt", {}, key), make("dd", {}, value)))),
        session.covers("readSettings") ? make("p", { class: "note" }, make("a", { href: "#/settings" }, t("All settings and limits"))) : null];
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

/** What to do on a server without types. */
function emptiness() {
    return make("div", { class: "empty" },
        make("p", { class: "lead" }, t("Nothing but fog so far.")),
        make("p", {}, scope.environment() === "production" ? t("In production, types come with the schema of development.")
            : session.covers("writeRecords") ? t("The first record creates a type: press “+” beside “Types”.")
            : session.reason(t("creating one"))));
}

export async function show({ signal, show: draw, fail }) {
    await schema.load({ signal });
    const heading = make("h1", {}, t("Home"));
    const tiles = make("dl", { class: "tiles" });
    const state = health({ signal, fail });
    const context = { signal, fail };
    const graphs = charts({ ...context, loaded: state.setHistory, failed: (error) => state.cannotCheck("errors", error) });
    const stored = part({ ...context, title: t("Storage"), load: async () => {
        try {
            const found = await observation.storage(signal);
            state.setStorage(found);
            return storageView(found);
        } catch (error) {
            state.cannotCheck("disk", error);
            throw error;
        }
    } });
    const refused = !session.covers("readRequests") ? null
        : part({ ...context, title: t("Denied and throttled"), name: t("Senders that were denied or throttled"), load: () => denied.load(signal) });
    // A key belongs to one environment.
    const compared = session.current()?.isAdministrator === false ? null
        : part({ ...context, title: t("Development and production"), load: () => environments.load(signal) });
    const jobs = part({ ...context, title: make("a", { href: "#/jobs" }, t("Jobs")), name: t("Jobs"), load: async () => {
        const list = await api.jobs({ limit: String(mostJobs) }, signal);
        return [list.length === 0 ? make("p", { class: "note" }, t("No jobs in the last week.")) : jobTable(list)];
    } });
    const limits = part({ ...context, title: t("Limits"), load: async () => limitList(await api.limits(signal)) });
    const advice = make("section", { "aria-label": t("Costly queries") });
    let before = null;
    let at = 0;

    async function drawNumbers() {
        const list = await numbers(signal);
        signal.throwIfAborted();
        const now = performance.now();
        tiles.replaceChildren(...[
            tile(t("Types"), number(schema.all().length), tn("{count} field", "{count} fields",
                schema.all().reduce((sum, { fields }) => sum + Object.keys(fields).length, 0))),
            ...(list === null ? [tile(t("Numbers"), "–", t("/metrics is closed for this caller"))]
                : numberTiles(list, before, (now - at) / 1000)),
        ].filter((each) => each !== null));
        [before, at] = [list, now];
    }

    draw(make("div", { class: "page-head" }, heading), state.element, schema.all().length === 0 ? emptiness() : null, tiles,
        graphs.element, make("div", { class: "two" }, refused?.element, stored.element, compared?.element, jobs.element, advice, limits.element));
    introduce(heading);
    drawNumbers().catch((error) => { if (isSignedOut(error)) fail(error); });
    for (const work of [state.checkReady, state.checkBackup, graphs.refresh, stored.refresh, limits.refresh, jobs.refresh,
        refused?.refresh, compared?.refresh]) work?.();
    showAdvice(advice, null, signal);
    repeat(async () => {
        await Promise.all([drawNumbers(), state.checkReady(), jobs.refresh()]);
        return pause;
    }, pause, signal, fail);
    repeat(async () => {
        await Promise.all([graphs.refresh(), refused?.refresh()]);
        return chartPause;
    }, chartPause, signal, fail);
}
