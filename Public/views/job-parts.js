// What the list of jobs and the page of one job show of a job.

import { make, whileBusy } from "../dom.js";
import * as operation from "../operation.js";
import * as router from "../router.js";
import { address as searchAddress } from "../search.js";
import { userLink, userText } from "../users.js";
import { number, t, tn, tp } from "../words.js";
import { ask } from "./dialog.js";

/** Whether the server does this work on records; of an index it counts them too. */
function countsRecords({ kind }) {
    return ["deleteRecords", "updateRecords", "buildIndex", "importRecords", "exportRecords"].includes(kind);
}

/** `3 min`, for a number of seconds. */
export function durationText(seconds) {
    if (seconds < 90) return t("{seconds} s", { seconds: Math.round(seconds) });
    return seconds < 5_400 ? t("{minutes} min", { minutes: Math.round(seconds / 60) })
        : t("{hours} h", { hours: Math.round(seconds / 3_600) });
}

/** `24,000 per second, 16 s left`, while a job runs. */
export function paceText(job) {
    if (job.state !== "running" || job.rate === undefined) return "";
    const pace = t("{count} per second", { count: number(job.rate) });
    return job.secondsLeft === undefined ? pace : t("{pace}, {time} left", { pace, time: durationText(Number(job.secondsLeft)) });
}

/** The bar of a job that has begun and whose total is known, or `null`. */
export function progressBar(job) {
    if (job.total === undefined || operation.isFinal(job)) return null;
    const total = Number(job.total);
    return make("progress", {
        max: "1", value: total === 0 ? 0 : (Number(job.done) + Number(job.skipped ?? 0)) / total, "aria-label": t("Progress"),
    });
}

/** The condition of a task as text: of those that the caller may not see there is none. */
export function conditionText({ all, where, args }) {
    if (all === true) return t("all records");
    if (where === undefined) return "";
    return Array.isArray(args) && args.length > 0 ? `${where} – ${args.map(String).join(", ")}` : String(where);
}

/** The records that a task concerns, as a link if the console can show them. */
export function targetView(owner, task = owner.task ?? {}) {
    const type = task.recordType ?? task.mapping?.recordType;
    if (type === undefined) return null;
    if (task.index !== undefined) {
        const link = make("a", { href: router.address(["types", type, "schema"]) }, type);
        return [link, " ", make("span", { class: "code" }, String(task.index))];
    }
    const condition = conditionText(task);
    const isLinked = operation.isHere(owner) && !(Array.isArray(task.args) && task.args.length > 0);
    const where = task.all === true ? undefined : task.where;
    const name = isLinked ? make("a", {
        href: where === undefined ? router.address(["types", type]) : searchAddress(type, { where, words: "", sort: "" }),
    }, type) : type;
    return [name, condition === "" ? null : [" ", make("span", { class: "code" }, condition)]];
}

/** Who has begun a job or put a schedule. */
export function callerView({ by, schedule }) {
    const name = by?.name ?? "";
    const who = by?.kind === "server" ? t("the server") : by?.kind === "user" ? userText(name) : name;
    if (schedule === undefined) return who;
    return [make("a", { href: router.address(["schedules", schedule]) }, t("Schedule {name}", { name: schedule })), ", ", who];
}

/** The database and zone of a job or a schedule; `undefined` for the default zone of the public database. */
export function placeView({ database, owner, zone }) {
    if (database !== "private") return zone;
    return [owner === undefined ? t("private database") : tp("private database of {user}", { user: userLink(owner) }),
        zone === undefined ? null : ` · ${t("zone {name}", { name: zone })}`];
}

export function countText(job) {
    if (!countsRecords(job)) return job.total === undefined ? "" : number(job.total);
    return tn("{count} record", "{count} records", Number(job.done ?? 0));
}

/** Asks before a job is ended. */
async function mayCancel() {
    const answer = await ask({
        title: t("End this job?"),
        content: make("p", {}, t("What it has done stays done. It cannot be continued.")),
        choices: [
            { value: "keep", title: t("Let it go on"), isFirst: true },
            { value: "end", title: t("End the job"), kind: "danger" },
        ],
    });
    return answer === "end";
}

/** The buttons for what the caller can do with the job. `changed(job)` gets its new state, `failed(error)` an error. */
export function jobButtons(job, { changed, failed, isSmall = false }) {
    if (!operation.canControl(job)) return [];
    function button(title, command, style = "") {
        const element = make("button", {
            type: "button", class: `${style} ${isSmall ? "small" : ""}`, onclick: () => whileBusy(element, async () => {
                if (command === "cancel" && !(await mayCancel())) return;
                try {
                    changed(await operation.control(job.id, command));
                } catch (error) {
                    failed(error);
                }
            }),
        }, title);
        return element;
    }
    const first = job.state === "paused" ? button(t("Resume"), "resume") : button(t("Pause"), "pause");
    return [first, button(t("End"), "cancel", "danger")];
}
