// Charts of the last hour or day.

import { freshID, make } from "../dom.js";
import * as observation from "../observation.js";
import { sizeText } from "../sizes.js";
import { number, t } from "../words.js";
import { chart } from "./chart.js";
import { isSignedOut } from "./part.js";

const spans = { hour: 3_600_000, day: 86_400_000 }; // milliseconds
export const pause = 20_000; // milliseconds

const plain = (value) => number(value, { maximumSignificantDigits: 3 });
const rate = (value) => t("{count}/s", { count: plain(value) });
const time = (value) => t("{count} ms", { count: plain(value) });
/** Fits beside the axis, also with five digits of milliseconds. */
const shortTime = (value) => (value < 1_000 ? time(value) : t("{seconds} s", { seconds: plain(value / 1_000) }));
const size = (value) => sizeText(Math.round(value));
const shortSize = (value) => (value < 1024 ? `${plain(value / 1024)} KiB` : sizeText(value));

const kinds = [
    { title: t("Requests"), format: rate, mark: plain, series: [{ name: "requests", title: t("all") }] },
    {
        title: t("Errors"), format: rate, mark: plain,
        series: [{ name: "refused", title: t("rejected (4xx)") }, { name: "throttled", title: t("throttled (429)") },
            { name: "failed", title: t("failed (5xx)") }],
    },
    {
        title: t("Latency"), format: time, mark: shortTime,
        series: [{ name: "median", title: t("median") }, { name: "p99", title: t("99th percentile") }],
    },
    {
        title: t("Work"), format: rate, mark: plain,
        series: [{ name: "queries", title: t("queries") }, { name: "writes", title: t("writes") }],
    },
    {
        title: t("Traffic"), format: (value) => t("{count}/s", { count: size(value) }), mark: shortSize, unit: 1024,
        series: [{ name: "sentBytes", title: t("sent") }, { name: "receivedBytes", title: t("received") }],
    },
    { title: t("Processors in use"), format: plain, series: [{ name: "processors", title: t("all") }] },
];

/** The charts with the choice of their period: `element` and `refresh()`. `loaded(history)` and `failed(error)` get each hour's. */
export function charts({ signal, fail, loaded, failed }) {
    const name = freshID("period");
    let period = "hour";
    const choices = [["hour", t("Hour")], ["day", t("Day")]].map(([value, title]) => {
        const id = freshID("period");
        return [make("input", { type: "radio", id, name, checked: value === period, onchange: () => {
            period = value;
            refresh();
        } }), make("label", { for: id }, title)];
    });
    const list = kinds.map((each) => chart({ ...each, chosen: (at) => list.forEach((one) => one.select(at)) }));
    const note = make("p", { class: "note", role: "status" }, t("Loading…"));
    const grid = make("div", { class: "chart-grid", hidden: true }, list.map((each) => each.element));
    const element = make("section", { class: "part charts", "aria-label": t("Charts") },
        make("div", { class: "part-head" }, make("h2", {}, t("Charts")),
            make("fieldset", {}, make("legend", { class: "visually-hidden" }, t("Period")), make("div", { class: "sides small" }, choices))),
        note, grid);

    async function refresh() {
        const wanted = period;
        let history;
        try {
            history = await observation.history(wanted, signal);
            signal.throwIfAborted();
        } catch (error) {
            if (signal.aborted) return;
            if (isSignedOut(error)) {
                fail(error);
                return;
            }
            note.textContent = t("The charts could not be loaded: {reason}", { reason: error.message });
            note.hidden = false;
            failed(error);
            return;
        }
        if (wanted === "hour") loaded(history);
        if (wanted !== period) return;
        const isEmpty = history.timestamps.length === 0;
        note.textContent = wanted === "hour" ? t("The first values come some seconds after the start of the server.")
            : t("The first values come some minutes after the start of the server.");
        note.hidden = !isEmpty;
        grid.hidden = isEmpty;
        if (!isEmpty) list.forEach((each) => each.set(history, spans[wanted]));
    }
    return { element, refresh };
}
