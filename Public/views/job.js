// One job: its progress as it happens, its result and errors, and links to what it did.

import { localText } from "../dates.js";
import { announce, introduce, make } from "../dom.js";
import { stringify } from "../json.js";
import * as operation from "../operation.js";
import * as router from "../router.js";
import { number, t, tn } from "../words.js";
import { cell } from "./cell.js";
import { callerView, conditionText, durationText, jobButtons, paceText, placeView, progressBar, targetView } from "./job-parts.js";
import { kindText, progressText, stateText, stateView } from "./jobs.js";
import { problemBox, showProblem } from "./problem.js";
import { repeat } from "./repeat.js";
import { columnTable } from "./table.js";

/** The sentence about what a job has done. */
function resultText(job) {
    const count = Number(job.done ?? 0);
    switch (job.kind) {
    case "deleteRecords": return tn("{count} record deleted.", "{count} records deleted.", count);
    case "updateRecords": return tn("{count} record changed.", "{count} records changed.", count);
    case "buildIndex": return tn("{count} record indexed.", "{count} records indexed.", count);
    default: return stateText(job);
    }
}

function facts(job) {
    const time = (moment) => (moment === undefined ? undefined : localText(moment));
    const ended = job.ended === undefined || job.started === undefined ? undefined
        : durationText((Number(job.ended) - Number(job.started)) / 1000);
    const list = [
        [t("Records"), targetView(job)], [t("Database"), placeView(job)], [t("By"), callerView(job)], [t("Created"), time(job.created)], [t("Started"), time(job.started)],
        [t("Ended"), time(job.ended)], [t("Took"), ended], [t("Identifier"), make("span", { class: "code" }, job.id)],
        [t("At most"), job.task?.maxAffected === undefined ? undefined : number(job.task.maxAffected)],
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

export async function show({ signal, show: draw, fail }, { job: id }) {
    let job = await operation.job(id, signal);
    const heading = make("h1", {}, kindText(job));
    const problem = make("div", {});
    const state = make("p", { class: "job-state", role: "status" });
    const progress = make("div", { class: "job-progress" });
    const actions = make("p", { class: "actions" });
    const details = make("div", {});

    function drawAll(isFirst) {
        const hadFocus = actions.contains(document.activeElement);
        state.replaceChildren(stateView(job));
        actions.replaceChildren(...jobButtons(job, {
            changed(now) {
                job = now;
                drawAll(false);
                announce(stateText(job));
            },
            failed: (error) => showProblem(problem, error),
        }));
        actions.hidden = actions.childElementCount === 0;
        if (hadFocus) (actions.querySelector("button") ?? heading).focus();
        const error = operation.errorOf(job);
        details.replaceChildren(...[facts(job), error === null ? null : problemBox(error), taskView(job), skipTable(job)]
            .flat(Infinity).filter((each) => each !== null));
        if (!isFirst && operation.isFinal(job)) announce(resultText(job));
    }
    function drawProgress() {
        const skipped = Number(job.skipped ?? 0);
        progress.replaceChildren(...[progressBar(job), make("p", {},
            operation.isFinal(job) ? resultText(job) : `${progressText(job)} ${paceText(job)}`,
            skipped === 0 ? null : ` ${tn("{count} left out.", "{count} left out.", skipped)}`)].filter((each) => each !== null));
    }
    drawAll(true);
    drawProgress();
    draw(make("p", { class: "crumbs" }, make("a", { href: "#/jobs" }, t("Jobs"))),
        make("div", { class: "page-head" }, heading, state, actions), problem, progress, details);
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
