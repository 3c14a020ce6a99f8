// The indexes that no query has used since the server started, with a way to remove them.

import * as api from "../api.js";
import { localText } from "../dates.js";
import { announce, make, whileBusy } from "../dom.js";
import * as indexes from "../indexes.js";
import * as metrics from "../metrics.js";
import * as observation from "../observation.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as session from "../session.js";
import { sizeText } from "../sizes.js";
import { number, t, tn } from "../words.js";
import { part } from "./part.js";
import { showProblem } from "./problem.js";
import { changeReviewed } from "./schema-review.js";
import { columnTable } from "./table.js";

const day = 86_400_000; // milliseconds
const hour = 3_600_000; // milliseconds

/** When the server started, in milliseconds since 1970; `undefined` for callers without access to the metrics. */
async function startTime(signal) {
    try {
        const seconds = metrics.sum(metrics.samples(await api.metrics(signal)), "process_start_time_seconds");
        return seconds === undefined ? undefined : Math.round(seconds * 1000);
    } catch {
        signal.throwIfAborted();
        return undefined;
    }
}

/** How long ago something was: in days, hours or minutes. */
function ageText(milliseconds) {
    if (milliseconds >= 2 * day) return tn("{count} day", "{count} days", Math.floor(milliseconds / day));
    if (milliseconds >= 2 * hour) return tn("{count} hour", "{count} hours", Math.floor(milliseconds / hour));
    return tn("{count} minute", "{count} minutes", Math.max(1, Math.floor(milliseconds / 60_000)));
}

/** How long the uses have been counted, and what follows from it. */
function periodNote(start) {
    const since = start === undefined ? t("Uses are counted since the server started.")
        : t("Uses are counted since the server started: {time}, {age} ago.", { time: localText(start), age: ageText(Date.now() - start) });
    const isYoung = start === undefined || Date.now() - start < 7 * day;
    return `${since} ${isYoung ? t("Remove an index only when all queries of your apps have come by in this time.")
        : t("Each index takes space and slows down writes.")}`;
}

/**
 * The section of the indexes without uses: `element` and `refresh()`. `environment` is that of the page; `changed()` is called after an
 * index was removed, `heading` gets the focus then.
 */
export function unusedIndexes({ environment, signal, fail, problem, heading, changed }) {
    async function drop(found, start) {
        const used = start === undefined ? t("No query has used it since the server started.")
            : t("No query has used it since {time}.", { time: localText(start) });
        const later = environment === "production"
            ? t("If development has the index, the next promotion adds it again.")
            : t("If a query needs it later, the server adds it again, and the query waits for that.");
        try {
            const isDone = await changeReviewed((types) => indexes.remove(types[found.type], found),
                { title: t("Drop this index?"), action: t("Drop"), intro: `${used} ${later}` });
            if (!isDone || signal.aborted) return;
            problem.replaceChildren();
            heading.focus({ preventScroll: true });
            announce(t("Dropped."));
            await Promise.all([section.refresh(), changed()]);
        } catch (error) {
            if (!signal.aborted) showProblem(problem, error);
        }
    }
    function row(found, start) {
        const cell = (title, content, style) => make("td", { "data-title": title, class: style }, content);
        const button = !session.covers("changeSchema") ? null : make("button", {
            type: "button", class: "danger small",
            "aria-label": t("Drop the index {index} of {type}", { index: found.title, type: found.type }),
            onclick: () => whileBusy(button, () => drop(found, start)),
        }, t("Drop…"));
        return make("tr", {},
            make("th", { scope: "row" }, make("a", { href: router.address(["types", found.type, "schema"]) }, found.type)),
            cell(t("Index"), [make("span", { class: "code" }, found.title),
                found.marks === undefined ? null : make("span", { class: "note code" }, ` ${found.marks.join(", ")}`)]),
            cell(t("Entries"), found.entries === null ? "–" : number(found.entries), "number"),
            cell(t("Size"), found.bytes === null ? "–" : sizeText(Number(found.bytes)), "number"),
            make("td", { class: "last" }, button));
    }
    const section = part({ title: t("Unused indexes"), signal, fail, load: async () => {
        const [report, start] = await Promise.all([observation.storage(signal), startTime(signal)]);
        const list = indexes.unused(schema.all(), report.types);
        if (list.length === 0) {
            return [make("p", { class: "note" }, t("Each index has been used since the server started, or there are none."))];
        }
        return [
            make("p", { class: "note" }, periodNote(start)),
            columnTable({
                label: t("Unused indexes"), role: "group", style: "panel unused", body: make("tbody", {}, list.map((found) => row(found, start))),
                columns: [{ title: t("Type"), min: 7 }, { title: t("Index"), min: 8 }, { title: t("Entries"), style: "number", priority: 1 },
                    { title: t("Size"), style: "number" }, { title: make("span", { class: "visually-hidden" }, t("Actions")), solid: true }],
            }),
        ];
    } });
    return section;
}
