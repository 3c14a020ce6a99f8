// What needs attention in the work that the server does by itself: webhooks, jobs, schedules, rejected queries, index builds.

import { webhooks } from "../api-access.js";
import * as api from "../api.js";
import * as indexes from "../indexes.js";
import * as operation from "../operation.js";
import * as schema from "../schema.js";
import * as session from "../session.js";
import { isFailing } from "../webhook-states.js";
import { t, tn } from "../words.js";

const recent = 86_400_000; // milliseconds in which a job that failed counts

/** `{level, text}` of webhooks; `null` without any. One that an administrator has paused is as it should be. */
export function webhookVerdict(list) {
    if (list.length === 0) return null;
    const disabled = list.filter(({ state }) => state === "disabled").length;
    const failing = list.filter(isFailing).length;
    const parts = [
        disabled === 0 ? null : tn("{count} is disabled.", "{count} are disabled.", disabled),
        failing === 0 ? null : tn("{count} fails.", "{count} fail.", failing),
    ].filter((each) => each !== null);
    return parts.length > 0 ? { level: "warning", text: parts.join(" ") } : { level: "good", text: t("None fails.") };
}

/** The jobs, newest first, that failed lately and have not succeeded since. */
export function failedJobs(list, now) {
    const task = ({ kind, schedule, task: what }) => JSON.stringify([kind, schedule ?? null, what ?? null]);
    const done = new Set();
    return list.filter((job) => {
        if (job.state === "succeeded") done.add(task(job));
        return job.state === "failed" && !done.has(task(job)) && now - Number(job.ended ?? job.created) <= recent;
    });
}

export function jobVerdict(list, now) {
    if (list.length === 0) return null;
    const failed = failedJobs(list, now).length;
    return failed > 0 ? { level: "warning", text: tn("{count} failed in the last day.", "{count} failed in the last day.", failed) }
        : { level: "good", text: t("None failed in the last day.") };
}

/** Of schedules with their last runs. One with a problem starts no jobs. */
export function scheduleVerdict(list) {
    if (list.length === 0) return null;
    const stopped = list.filter(({ problem }) => problem !== undefined).length;
    const failed = list.filter(({ problem, runs = [] }) => problem === undefined && runs[0]?.state === "failed").length;
    const parts = [
        stopped === 0 ? null : tn("{count} cannot run.", "{count} cannot run.", stopped),
        failed === 0 ? null : tn("The last run of {count} failed.", "The last runs of {count} failed.", failed),
    ].filter((each) => each !== null);
    return parts.length > 0 ? { level: "warning", text: parts.join(" ") } : { level: "good", text: t("All run.") };
}

/** Of the server's advice: queries that were rejected for an index that is still missing. */
export function queryVerdict(advice, types) {
    const rejected = advice.filter((piece) => Number(piece.refused) > 0
        && indexes.helping(piece, types.find(({ name }) => name === piece.recordType)) === undefined);
    if (rejected.length === 0) return null;
    return { level: "warning", text: tn("{count} lacks an index.", "{count} lack an index.", rejected.length) };
}

/** Of the indexes that are not ready. A build is no problem. */
export function indexVerdict(types) {
    const unready = indexes.unready(types);
    if (unready.length === 0) return null;
    const failed = unready.filter(({ index }) => index.state === "failed");
    if (failed.length > 0) {
        return { level: "warning", text: t("Failed: {names}.", { names: failed.map(({ type, title }) => `${type} (${title})`).join(", ") }) };
    }
    return { level: "good", text: tn("{count} is being built.", "{count} are being built.", unready.length) };
}

/** The checks for the verdict of Home that the caller may do: `[{key, href, load(signal)}]`. `load` returns a verdict or `null`. */
export const checks = () => [
    { key: "webhooks", right: "manageWebhooks", href: "#/webhooks", load: async (signal) => webhookVerdict((await webhooks.list(signal)).items) },
    { key: "jobs", href: "#/jobs?state=failed", load: async (signal) => jobVerdict(await api.jobs({ limit: "100" }, signal), Date.now()) },
    { key: "schedules", right: "manageSchedules", href: "#/schedules", load: async (signal) => scheduleVerdict(await operation.schedules(signal)) },
    { key: "queries", right: "readSchema", href: "#/performance", load: async (signal) => queryVerdict(await api.schemaAdvice(signal), schema.all()) },
    { key: "indexes", right: "readSchema", href: "#/performance", load: async (signal) => indexVerdict(await api.schema({ signal })) },
].filter(({ right }) => right === undefined || session.covers(right));
