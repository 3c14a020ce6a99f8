// The calls of the rooms that watch the server: Home, Logs, Settings and Backups.

import * as api from "./api.js";
import * as scope from "./scope.js";

/** Container and environment of the page. What the rooms show belongs to no single database of them. */
function place() {
    const { container, environment } = scope.current();
    return { ...(container && { container }), ...(environment && { environment }) };
}

/** A list as an array; a response without it cannot be read. */
function list(answer, key) {
    if (!Array.isArray(answer?.[key])) throw new api.Unreadable();
    return answer;
}

/** The metrics of the last `hour` or `day`: `{interval, timestamps: [ms], series: {name: [number or null]}}`. */
export async function history(period, signal) {
    const { interval, timestamps, series } = list(await api.call("GET", "/metrics/history", { query: { period }, signal }), "timestamps");
    const numbers = (values) => values.map((each) => (each === null ? null : Number(each)));
    return {
        interval: Number(interval), timestamps: numbers(timestamps),
        series: Object.fromEntries(Object.entries(series).map(([name, values]) => [name, numbers(values)])),
    };
}

/** The sizes of the database and of its types. */
export async function storage(signal) {
    return list(await api.call("GET", "/storage", { scope: place(), signal }), "types");
}

/** A page of the latest requests: `{requests, latest, cursor?}`. */
export async function requests(query, signal) {
    return list(await api.call("GET", "/requests", { query, scope: place(), signal }), "requests");
}

/** A page of the audit log: `{entries, cursor?}`. */
export async function audit(query, signal) {
    return list(await api.call("GET", "/audit", { query, scope: place(), signal }), "entries");
}

/** The settings of the server: `[{key, value, source, isDefault, help}]`. */
export async function settings(signal) {
    return list(await api.call("GET", "/settings", { scope: {}, signal }), "settings").settings;
}

/** The types of the schema of an environment of the page's container, by name. */
export async function types(environment, signal) {
    const { types: found } = await api.schemaDocument({ scope: { ...place(), environment }, signal });
    return found;
}

/** The pages of jobs that are read to find backups. */
const mostJobPages = 10;

/** The backups among the jobs of the last week, newest first. */
export async function backupJobs(signal) {
    const found = [];
    let cursor;
    for (let page = 0; page < mostJobPages && (page === 0 || cursor !== undefined); page += 1) {
        const answer = await api.call("GET", "/jobs", {
            query: cursor === undefined ? {} : { cursor }, scope: place(), signal,
        });
        const { jobs } = list(answer, "jobs");
        found.push(...jobs.filter(({ kind }) => kind === "backup"));
        ({ cursor } = answer);
    }
    return found;
}

/** The last backups, newest first: `[{created, kind, name, bytes, tested?, problems?, problem?}]`. */
export async function backups(signal) {
    return list(await api.call("GET", "/backups", { scope: {}, signal }), "backups").backups;
}

/**
 * What the backup for downloads is doing: `{state, activity?, unit?, done?, total?, reason?, bytes?, created?, expires?, test?}`.
 * Its test: `{state, activity?, done?, total?, tested?, problems?, problem?}`.
 */
export function archive(signal) {
    return api.call("GET", "/backup/archive", { scope: {}, signal });
}

export function startArchive() {
    return api.call("POST", "/backup/archive", { scope: {} });
}

/** Cancels the backup for downloads, or deletes it. */
export function deleteArchive() {
    return api.call("DELETE", "/backup/archive", { scope: {} });
}

/** The URL from which a link downloads the backup. It is for one download, soon. */
export async function archiveAddress() {
    const { ticket } = await api.call("POST", "/backup/archive/tickets", { scope: {} });
    return `${scope.base}/backup/archive/file?${new URLSearchParams({ ticket })}`;
}
