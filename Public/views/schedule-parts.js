// What the list of schedules and the page of one schedule show of a schedule.

import { localText } from "../dates.js";
import { make, whileBusy } from "../dom.js";
import * as operation from "../operation.js";
import { t, tp } from "../words.js";
import { ask } from "./dialog.js";
import { conditionText, targetView } from "./job-parts.js";
import { kindText } from "./jobs.js";

/** `Delete records: Post likes < 3`, with a link to the records. */
export function taskLine(schedule) {
    return [kindText(schedule.task), ": ", targetView(schedule)];
}

export function stateText({ paused, problem, next }) {
    if (problem !== undefined) return t("paused by the server: {reason}", { reason: problem });
    return paused === true || next === undefined ? t("paused") : t("active");
}

/** Whether the caller sees the whole task, so that the schedule can be put again. */
function isWhole({ task }) {
    return task?.where !== undefined || task?.all === true;
}

/** Why the page cannot put the schedule again, or `null`. */
export function obstacle(schedule) {
    if (!isWhole(schedule)) return t("Its condition is shown only to the caller that put it, so only that caller can change it.");
    return operation.isHere(schedule) ? null
        : t("It works in another database or zone. Show that one to change it.");
}

/** The body that puts a schedule again, with these changes. */
export function content({ cron, timeZone, task, paused, problem }, changes = {}) {
    return { cron, timeZone, task, paused: paused === true && problem === undefined, ...changes };
}

/** Asks before a change that makes the caller the one as whom the jobs run, if another one is so far. */
export async function mayTakeOver(schedule) {
    if (operation.isMine(schedule)) return true;
    const answer = await ask({
        title: t("Run as you from now on?"),
        content: make("p", {}, tp("The jobs of this schedule run with the rights of {other}. After this change they run with yours.", {
            other: make("strong", {}, schedule.by?.name ?? ""),
        })),
        choices: [
            { value: "cancel", title: t("Cancel"), isFirst: true },
            { value: "change", title: t("Change it"), kind: "primary" },
        ],
    });
    return answer === "change";
}

async function mayRun(schedule) {
    const isDeletion = schedule.task?.kind === "deleteRecords";
    const answer = await ask({
        title: isDeletion ? t("Delete these records now?") : t("Change these records now?"),
        content: make("div", {},
            make("p", {}, tp("The job of {name} starts at once. It works on:", { name: make("strong", {}, schedule.name) })),
            make("pre", { class: "marked" }, `${schedule.task?.recordType ?? ""}\n${conditionText(schedule.task ?? {})}`)),
        choices: [
            { value: "cancel", title: t("Cancel"), isFirst: true },
            { value: "run", title: t("Run now"), kind: isDeletion ? "danger" : "primary" },
        ],
    });
    return answer === "run";
}

async function mayDelete({ name }) {
    const answer = await ask({
        title: t("Delete this schedule?"),
        content: make("p", {}, tp("{name} starts no more jobs. Those that have begun go on.", { name: make("strong", {}, name) })),
        choices: [
            { value: "keep", title: t("Keep it"), isFirst: true },
            { value: "delete", title: t("Delete the schedule"), kind: "danger" },
        ],
    });
    return answer === "delete";
}

/** `next run at …`, `paused`. */
export function nextText({ next, paused }) {
    return next === undefined || paused === true ? "–" : localText(next);
}

/**
 * The buttons of a schedule. `started(job)`, `changed(schedule)` and `deleted()` are called after success, `failed(error)` otherwise;
 * without `deleted` there is no button that deletes.
 */
export function scheduleButtons(schedule, { started, changed, deleted, failed, isSmall = false }) {
    function button(title, work, { style = "", label = `${title}: ${schedule.name}`, isOff = false } = {}) {
        const element = make("button", {
            type: "button", class: `${style} ${isSmall ? "small" : ""}`, "aria-label": label, disabled: isOff,
            onclick: () => whileBusy(element, async () => {
                try {
                    await work();
                } catch (error) {
                    failed(error);
                }
            }),
        }, title);
        return element;
    }
    const isPaused = schedule.paused === true;
    return [
        button(t("Run now"), async () => { if (await mayRun(schedule)) started(await operation.runSchedule(schedule.name)); }),
        !isWhole(schedule) ? null : button(isPaused ? t("Resume") : t("Pause"), async () => {
            if (!(await mayTakeOver(schedule))) return;
            changed(await operation.putSchedule(schedule.name, content(schedule, { paused: !isPaused }), operation.place(schedule)));
        }),
        deleted === undefined ? null : button(t("Delete"), async () => {
            if (!(await mayDelete(schedule))) return;
            await operation.deleteSchedule(schedule.name);
            deleted();
        }, { style: "danger" }),
    ].filter((each) => each !== null);
}
