// The parts of Home below the numbers: charts, denied senders, storage, environments, jobs, advice and limits.

import * as api from "../api.js";
import { make } from "../dom.js";
import * as observation from "../observation.js";
import * as session from "../session.js";
import { sizeText } from "../sizes.js";
import { number, t } from "../words.js";
import { showAdvice } from "./advice.js";
import { charts, pause as chartPause } from "./home-charts.js";
import * as denied from "./home-denied.js";
import * as environments from "./home-environments.js";
import { storageView } from "./home-storage.js";
import { jobTable } from "./jobs.js";
import { part } from "./part.js";
import { repeat } from "./repeat.js";

const pause = 5_000; // milliseconds
const workPause = 30_000; // milliseconds
const mostJobs = 8;

function limitList(limits) {
    const facts = [
        [t("Record"), sizeText(Number(limits.recordBytes))], [t("File"), sizeText(Number(limits.assetBytes))],
        [t("Request body"), sizeText(Number(limits.bodyBytes))], [t("Records in a batch"), number(limits.batchOperations)],
        [t("Time of a query"), t("{seconds} s", { seconds: Number(limits.queryMilliseconds) / 1000 })],
    ];
    return [make("dl", { class: "facts" }, facts.map(([key, value]) => make("div", {}, make("dt", {}, key), make("dd", {}, value)))),
        session.covers("readSettings") ? make("p", { class: "note" }, make("a", { href: "#/settings" }, t("All settings and limits"))) : null];
}

/** Draws the parts, each of which loads, fails and refreshes by itself. `state` shows what some of them find. */
export function showParts(place, state, { signal, fail }) {
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
    place.append(graphs.element,
        make("div", { class: "two" }, ...[refused?.element, stored.element, compared?.element, jobs.element, advice, limits.element]
            .filter((each) => each !== undefined)));
    for (const work of [graphs.refresh, stored.refresh, limits.refresh, jobs.refresh, refused?.refresh, compared?.refresh]) work?.();
    showAdvice(advice, null, signal);
    state.checkWork();
    repeat(async () => {
        await state.checkWork();
        return workPause;
    }, workPause, signal, fail);
    repeat(async () => {
        await jobs.refresh();
        return pause;
    }, pause, signal, fail);
    repeat(async () => {
        await Promise.all([graphs.refresh(), refused?.refresh()]);
        return chartPause;
    }, chartPause, signal, fail);
}
