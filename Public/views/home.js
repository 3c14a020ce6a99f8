// The first page: whether the server is healthy, what it does now and did lately, what it stores, and what needs attention.

import * as api from "../api.js";
import { localText } from "../dates.js";
import { introduce, make } from "../dom.js";
import * as metrics from "../metrics.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { sizeText } from "../sizes.js";
import { number, t, tn } from "../words.js";
import { health } from "./home-health.js";
import { isSignedOut } from "./part.js";
import { repeat } from "./repeat.js";

const pause = 5_000; // milliseconds

function tile(title, value, note = "", style = "", href = null) {
    return value === undefined ? null : make("div", { class: "panel" },
        make("dt", {}, title), make("dd", { class: style, title: value }, href === null ? value : make("a", { href }, value), note === "" ? null : make("small", {}, note)));
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
    // 501 is a request for what this server has not, such as thumbnails without vipsthumbnail. Who waits for an index gets 503.
    const errors = Math.max(0, (of("fogbase_http_requests_total", ({ status }) => status.startsWith("5") && status !== "501") ?? 0)
        - (of("fogbase_http_index_waits_total") ?? 0));
    const start = of("process_start_time_seconds");
    const version = list.find(({ name }) => name === "fogbase_info")?.labels.version;
    return [
        tile(t("Version"), version, start === undefined ? "" : t("since {time}", { time: localText(Math.round(start * 1000)) })),
        tile(t("Requests"), text(requests), rate),
        tile(t("Server errors"), text(errors), t("since the start"), errors > 0 ? "alarm" : "",
            errors > 0 && session.covers("readRequests") ? "#/logs?status=5xx" : null),
        tile(t("Connections"), text(of("fogbase_http_connections"))),
        tile(t("Memory"), size(of("process_resident_memory_bytes"))),
        tile(t("All database files"), size(of("fogbase_database_bytes")),
            t("and {size} of write-ahead log", { size: size(of("fogbase_log_bytes")) ?? "0" })),
        tile(t("Waiting writes"), text(of("fogbase_write_queue_depth"))),
        tile(t("Index builds"), text(of("fogbase_index_builds"))),
        tile(t("Open streams"), text(of("fogbase_feed_streams"))),
    ];
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
    await schema.recent({ signal });
    const heading = make("h1", {}, t("Home"));
    const tiles = make("dl", { class: "tiles" });
    const parts = make("div", { class: "home-parts" });
    const state = health({ signal, fail });
    let before = null;
    let at = 0;

    async function drawNumbers() {
        const list = await numbers(signal);
        signal.throwIfAborted();
        const now = performance.now();
        tiles.replaceChildren(...[
            tile(t("Types"), number(schema.all().length), tn("{count} field", "{count} fields",
                schema.all().reduce((sum, { fields }) => sum + Object.keys(fields).length, 0)), "", "#/types"),
            ...(list === null ? [tile(t("Numbers"), "–", t("/metrics is closed for this caller"))]
                : numberTiles(list, before, (now - at) / 1000)),
        ].filter((each) => each !== null));
        [before, at] = [list, now];
    }

    draw(make("div", { class: "page-head" }, heading), state.element, schema.all().length === 0 ? emptiness() : null, tiles, parts);
    introduce(heading);
    drawNumbers().catch((error) => { if (isSignedOut(error)) fail(error); });
    state.checkReady();
    state.checkBackup();
    repeat(async () => {
        await Promise.all([drawNumbers(), state.checkReady()]);
        return pause;
    }, pause, signal, fail);
    // What is below comes after the first drawing: its modules would delay that on a slow network.
    const { showParts } = await import("./home-parts.js");
    signal.throwIfAborted();
    showParts(parts, state, { signal, fail });
}
