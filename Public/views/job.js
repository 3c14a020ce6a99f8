// One job: its progress as it happens, its result and errors, and links to what it did.

import { localText } from "../dates.js";
import { announce, introduce, make, whileBusy } from "../dom.js";
import { fileName } from "../exports.js";
import { save } from "../files.js";
import { keptFor } from "../imports.js";
import { stringify } from "../json.js";
import * as operation from "../operation.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import { sizeText } from "../sizes.js";
import { exportedFile } from "../transfers.js";
import { number, t, tn } from "../words.js";
import { cell } from "./cell.js";
import { callerView, conditionText, durationText, jobButtons, paceText, placeView, progressBar, targetView } from "./job-parts.js";
import { kindText, progressText, stateText, stateView } from "./jobs.js";
import { problemBox, showProblem } from "./problem.js";
import { rejectionList } from "./rejections.js";
import { repeat } from "./repeat.js";
import { columnTable } from "./table.js";

/** The sentence about what a job has done. */
function resultText(job) {
    const count = Number(job.done ?? 0);
    switch (job.kind) {
    case "deleteRecords": return tn("{count} record deleted.", "{count} records deleted.", count);
    case "updateRecords": return tn("{count} record changed.", "{count} records changed.", count);
    case "buildIndex": return tn("{count} record indexed.", "{count} records indexed.", count);
    case "importRecords": return job.task?.dryRun === true
        ? tn("{count} row can be imported. Nothing was written.", "{count} rows can be imported. Nothing was written.", count)
        : tn("{count} record imported.", "{count} records imported.", count);
    case "exportRecords": return tn("{count} record exported.", "{count} records exported.", count);
    default: return stateText(job);
    }
}

const existingTexts = {
    reject: t("Reject the row"), skip: t("Skip the row"), replace: t("Replace the record"), update: t("Update the record"),
};
const formats = { table: t("Table (CSV)"), jsonLines: t("JSON lines") };

/** How many records the job has left out; of an import, the rows that it has rejected are among them. */
function leftOutText(job) {
    const { kind, skipped = 0 } = job;
    const count = Number(skipped);
    if (count === 0) return null;
    return (operation.isFinal(job) ? " " : " · ") + (kind === "importRecords" ? tn("{count} row not: rejected or skipped.", "{count} rows not: rejected or skipped.", count)
        : tn("{count} left out.", "{count} left out.", count));
}

/** What is known of the file of an import or an export. */
function fileFacts({ kind, task = {}, bytes }) {
    if (kind !== "importRecords" && kind !== "exportRecords") return [];
    const size = task.size ?? bytes;
    return [
        [t("File"), kind === "exportRecords" ? undefined : task.name], [t("Size"), size === undefined ? undefined : sizeText(Number(size))],
        [t("Format"), formats[task.format]], [t("Encoding"), task.encoding], [t("Sort"), task.sort],
        [t("If a record of the same name exists"), existingTexts[task.existing]],
        [t("Dry run"), task.dryRun === true ? t("yes: nothing is written") : undefined],
    ];
}

/** The button that saves the file of an export, or `null`. */
function downloadButton(job, { signal, failed }) {
    if (job.kind !== "exportRecords" || job.state !== "succeeded" || !operation.canRead(job)) return null;
    const button = make("button", { type: "button", class: "primary", onclick: () => whileBusy(button, async () => {
        try {
            announce(t("The download has begun."));
            const file = await exportedFile(job.id, signal);
            save(file, fileName(job.task), file.type);
        } catch (error) {
            if (!signal.aborted) failed(error);
        }
    }) }, t("Download"));
    return button;
}

/** The link from a dry run back to its import, as long as the page was not loaded again; `null` otherwise. */
function continueLink(job) {
    if (!operation.isFinal(job) || keptFor(job.id) === null) return null;
    return make("a", { class: "button primary", href: router.address(["import"], { from: job.id }) }, t("Go on with this import"));
}

function facts(job) {
    const time = (moment) => (moment === undefined ? undefined : localText(moment));
    const ended = job.ended === undefined || job.started === undefined ? undefined
        : durationText((Number(job.ended) - Number(job.started)) / 1000);
    const list = [
        [t("Records"), targetView(job)], [t("Database"), placeView(job)], [t("By"), callerView(job)], [t("Created"), time(job.created)], [t("Started"), time(job.started)],
        [t("Ended"), time(job.ended)], [t("Took"), ended], [t("Identifier"), make("span", { class: "code" }, job.id)],
        [t("At most"), job.task?.maxAffected === undefined ? undefined : number(job.task.maxAffected)], ...fileFacts(job),
    ];
    return make("dl", { class: "facts" }, list.filter(([, value]) => value !== undefined && value !== null).map(([key, value]) =>
        make("div", {}, make("dt", {}, key), make("dd", {}, value))));
}

/** The task as the caller gave it: its condition and what it writes. */
function taskView({ task = {} }) {
    const condition = conditionText(task);
    return [
        condition === "" ? null : [make("h2", {}, t("Condition")), make("pre", { class: "marked" }, condition)],
        [[t("Fields"), task.fields], [t("Access list"), task.acl]].filter(([, value]) => value !== undefined).map(([title, value]) => [
            make("h2", {}, title), make("pre", { class: "marked", tabindex: "0", "aria-label": title }, stringify(value, 2)),
        ]),
        task.mapping === undefined ? null : make("details", { class: "whole" }, make("summary", {}, t("Columns")),
            make("pre", { class: "marked", tabindex: "0", "aria-label": t("Columns") }, stringify(task.mapping, 2))),
    ];
}

/** The records that the job left out, by reason. */
function skipTable(job) {
    if (!Array.isArray(job.skipReasons) || job.skipReasons.length === 0) return null;
    const names = ({ recordNames }) => (recordNames ?? []).map((name, at) => [at === 0 ? null : ", ",
        operation.isHere(job) && job.task?.recordType !== undefined
            ? make("a", { href: router.address(["types", job.task.recordType, "record", name]) }, name) : name]);
    return [make("h2", {}, t("Left out")), columnTable({
        label: t("Left out"), columns: [{ title: t("Reason"), min: 10 }, { title: t("Records"), style: "number" }, { title: t("Names"), min: 8 }],
        body: make("tbody", {}, job.skipReasons.map((each) => make("tr", {},
                make("th", { scope: "row", class: "wide" }, make("span", { class: "content" }, each.reason, " ",
                    make("span", { class: "code note" }, each.cause ?? each.serverErrorCode))),
                cell(t("Records"), number(each.count), "number"), cell(t("Names"), names(each), "wide")))),
    })];
}

export async function show(visit, { job: id }) {
    const { signal, show: draw, fail } = visit;
    let job = await operation.job(id, signal);
    const heading = make("h1", {}, kindText(job));
    const problem = make("div", {});
    const state = make("p", { class: "job-state", role: "status" });
    const progress = make("div", { class: "job-progress" });
    const actions = make("p", { class: "actions" });
    const details = make("div", {});
    const rejected = job.kind === "importRecords" ? rejectionList(job, visit) : null;
    const failed = (error) => showProblem(problem, error);

    function drawAll(isFirst) {
        const hadFocus = actions.contains(document.activeElement);
        state.replaceChildren(stateView(job));
        actions.replaceChildren(...[downloadButton(job, { signal, failed }), continueLink(job)].filter((each) => each !== null), ...jobButtons(job, {
            changed(now) {
                job = now;
                drawAll(false);
                announce(stateText(job));
            },
            failed,
        }));
        actions.hidden = actions.childElementCount === 0;
        if (hadFocus) (actions.querySelector("button, a") ?? heading).focus();
        const error = operation.errorOf(job);
        details.replaceChildren(...[facts(job), error === null ? null : problemBox(error), taskView(job), skipTable(job)]
            .flat(Infinity).filter((each) => each !== null));
        if (!operation.isFinal(job)) return;
        if (!isFirst) announce(resultText(job));
        // An import can make types and fields, which the sidebar shows.
        if (job.kind === "importRecords") schema.load({ signal }).catch(() => {});
    }
    function drawProgress() {
        rejected?.refresh(job);
        progress.replaceChildren(...[progressBar(job), make("p", {},
            operation.isFinal(job) ? resultText(job) : `${progressText(job)} ${paceText(job)}`,
            leftOutText(job))].filter((each) => each !== null));
    }
    drawAll(true);
    drawProgress();
    draw(make("p", { class: "crumbs" }, make("a", { href: "#/jobs" }, t("Jobs"))),
        make("div", { class: "page-head" }, heading, state, actions), problem, progress, rejected?.element ?? null, details);
    introduce(heading);
    if (operation.isFinal(job)) return;
    repeat(async () => {
        const before = job.state;
        job = await operation.job(id, signal);
        signal.throwIfAborted();
        if (job.state !== before) drawAll(false);
        drawProgress();
        return operation.isFinal(job) ? null : 1_000;
    }, 500, signal, fail);
}
