// Jobs and schedules of the server, and the description of its interface.

import { call, path, Refusal } from "./api.js";
import { stringify } from "./json.js";
import * as scope from "./scope.js";
import * as session from "./session.js";

/** With fewer matches in so many jobs, a page of jobs of one state is short, and its cursor leads on. */
const mostRead = 1_000;
const pageSize = 50;
const finalStates = new Set(["succeeded", "failed", "cancelled"]);

/** Whether a job has ended. */
export function isFinal({ state }) {
    return finalStates.has(state);
}

/** Whether the job is one of a caller: a bulk change, an import or an export. The others are work of the server, which cannot be stopped. */
function isOfCaller({ kind }) {
    return ["deleteRecords", "updateRecords", "importRecords", "exportRecords"].includes(kind);
}

/** Whether a job or a schedule is the signed-in caller's own. The server's own token has a name of its own there. */
export function isMine({ by }) {
    const caller = session.current();
    const isOwnToken = caller?.isAdministrator === true && !session.isByName();
    return caller === null || by?.name === (isOwnToken ? "_administrator" : caller.name);
}

/** Whether the signed-in caller can pause and cancel the job now. */
export function canControl(job) {
    if (isFinal(job) || !isOfCaller(job)) return false;
    return session.covers("changeSchema") || isMine(job);
}

/** Whether the signed-in caller may read what the job has written or rejected. */
export function canRead(job) {
    return isMine(job) || (session.current()?.isAdministrator === true && job.database !== "private");
}

/** The job's error as the views show errors, or `null`. */
export function errorOf({ error }) {
    return error === undefined ? null : new Refusal(undefined, error);
}

/**
 * A page of the jobs in a state, newest first: `{jobs, cursor?}`. `state` is one of the server's, `unfinished`, or empty for all. The
 * server lists all or the unfinished ones; the others are left out here.
 */
export async function jobs(state, cursor, signal) {
    const found = [];
    const isUnfinished = state !== "" && !finalStates.has(state);
    for (let read = 0, after = cursor; ;) {
        const query = { limit: "100", ...(after === undefined ? {} : { cursor: after }), ...(isUnfinished ? { unfinished: "true" } : {}) };
        const answer = await call("GET", "/jobs", { query, signal });
        for (const [at, job] of answer.jobs.entries()) {
            if (state === "" || state === "unfinished" || job.state === state) found.push(job);
            const isLast = at === answer.jobs.length - 1 && answer.cursor === undefined;
            if (found.length === pageSize) return { jobs: found, cursor: isLast ? undefined : job.id };
        }
        read += answer.jobs.length;
        after = answer.cursor;
        if (after === undefined || read >= mostRead) return { jobs: found, cursor: after };
    }
}

export function job(id, signal) {
    return call("GET", path("jobs", id), { signal });
}

/** Pauses, resumes or cancels a job. Returns it in its new state. */
export function control(id, command) {
    return call("POST", path("jobs", id, command));
}

/** All schedules, each with its last run. */
export async function schedules(signal) {
    return (await call("GET", "/schedules", { signal })).schedules;
}

export function schedule(name, signal) {
    return call("GET", path("schedules", name), { signal });
}

/** Creates or replaces a schedule, whose jobs run as the caller in the database and zone of `place`, by default those of the scope. */
export function putSchedule(name, content, place = scope.current()) {
    return call("PUT", path("schedules", name), { body: stringify(content), scope: place });
}

export function deleteSchedule(name) {
    return call("DELETE", path("schedules", name));
}

/** Starts a schedule's job now. Returns the job. */
export function runSchedule(name) {
    return call("POST", path("schedules", name, "run"));
}

/** The scope of a job or a schedule. */
export function place({ database, owner, zone }) {
    const { container, environment } = scope.current();
    return {
        ...(container && { container }), ...(environment && { environment }), ...(database === "private" && { database }),
        ...(owner && { owner }), ...(zone && { zone }),
    };
}

/** Whether the console shows the database and zone of a job or a schedule. */
export function isHere(one) {
    const [there, here] = [place(one), scope.current()];
    return (there.database ?? "public") === (here.database ?? "public") && there.owner === here.owner
        && (there.zone ?? scope.defaultZone) === scope.zone();
}

/** The OpenAPI document. */
export function description(signal) {
    return call("GET", "/openapi.json", { scope: {}, signal });
}
