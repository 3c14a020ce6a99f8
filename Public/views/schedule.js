// One schedule: the form that creates or changes it, and its last runs.

import { localText } from "../dates.js";
import { announce, freshID, introduce, make, whileBusy } from "../dom.js";
import * as operation from "../operation.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { t } from "../words.js";
import { askToLeave } from "./dialog.js";
import { callerView, placeView, targetView } from "./job-parts.js";
import { jobTable, kindText } from "./jobs.js";
import { keepFocus } from "./keep-focus.js";
import { showProblem } from "./problem.js";
import { repeat } from "./repeat.js";
import { mayTakeOver, nextText, obstacle, scheduleButtons, stateText } from "./schedule-parts.js";
import { whatInputs } from "./schedule-what.js";
import { whenInputs } from "./schedule-when.js";

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

function facts(schedule) {
    const list = [[t("State"), stateText(schedule)], [t("Next run"), nextText(schedule)], [t("Runs as"), callerView(schedule)],
        placeView(schedule) === undefined ? null : [t("Database"), placeView(schedule)], [t("Changed"), localText(schedule.modified)],
        schedule.skipped === undefined ? null
            : [t("Left out"), t("{time}, as the run before had not ended", { time: localText(schedule.skipped) })]];
    return make("dl", { class: "facts" }, list.filter((each) => each !== null).map(([key, value]) =>
        make("div", {}, make("dt", {}, key), make("dd", {}, value))));
}

function runsView(schedule) {
    const isUnused = schedule.runs.length === 0;
    return [make("h2", {}, t("Last runs")), isUnused ? make("p", { class: "note" }, t("It has not run yet.")) : jobTable(schedule.runs)];
}

/** The form. `save({name, content})` sends it. */
function form(schedule, save, changed) {
    const isNew = schedule === null;
    const [nameID, pausedID] = [freshID("name"), freshID("paused")];
    const nameProblem = make("p", { class: "problem", id: `${nameID}-problem`, role: "alert" });
    const name = make("input", {
        id: nameID, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "nightly",
        "aria-describedby": nameProblem.id, oninput: changed,
    });
    const what = whatInputs(schedule?.task, changed);
    const when = whenInputs(schedule ?? undefined, changed);
    const isPaused = schedule?.paused === true && schedule.problem === undefined;
    const paused = make("input", { id: pausedID, type: "checkbox", checked: isPaused, onchange: changed });
    const button = make("button", { type: "submit", class: "primary" }, isNew ? t("Create the schedule") : t("Save"));
    const me = session.title();

    async function submit(event) {
        event.preventDefault();
        nameProblem.textContent = !isNew || namePattern.test(name.value.trim()) ? ""
            : t("A name has 1 to 64 letters of English, digits, - and _.");
        if (nameProblem.textContent !== "") {
            name.focus();
            return;
        }
        const task = what.read();
        const times = task === null ? null : when.read();
        if (times === null) return;
        await whileBusy(button, () => save(isNew ? name.value.trim() : schedule.name, { ...times, task, paused: paused.checked }));
    }
    return make("form", { class: "panel schedule", novalidate: true, onsubmit: submit },
        isNew ? make("div", {}, make("label", { for: nameID }, t("Name")), name, nameProblem) : null,
        what.element, when.element,
        make("span", { class: "choice" }, paused, make("label", { for: pausedID }, t("Paused: it does not run by itself"))),
        make("p", { class: "note" }, t("Its jobs run with the rights that you, {name}, have at that time.", { name: me }),
            scope.isPrivate() ? ` ${t("They work in the private database and the zone that the header shows.")}` : ""),
        make("p", { class: "actions" }, button));
}

export async function show({ signal, show: draw, fail, isOver }, { schedule: name }) {
    const [found] = await Promise.all([name === undefined ? null : operation.schedule(name, signal), schema.load({ signal })]);
    let schedule = found;
    const heading = make("h1", {}, schedule?.name ?? t("New schedule"));
    const problem = make("div", {});
    const [top, buttons, body] = [make("div", {}), make("p", { class: "actions" }), make("div", {})];
    const runs = make("section", { "aria-label": t("Last runs") });
    let isDirty = false;
    const setDirty = () => { isDirty = true; };

    const actions = {
        started: () => reload(t("The job has started.")), changed: (now) => reload(stateText(now)),
        deleted() {
            router.go("#/schedules");
            announce(t("Deleted."), { isCarried: true });
        },
        failed: (error) => showProblem(problem, error),
    };
    function drawFacts() {
        top.replaceChildren(facts(schedule));
        keepFocus(runs, () => runs.replaceChildren(...runsView(schedule)), heading);
        keepFocus(buttons, () => buttons.replaceChildren(...scheduleButtons(schedule, actions)), heading);
    }
    function drawForm() {
        isDirty = false;
        const reason = schedule === null ? null : obstacle(schedule);
        body.replaceChildren(...(reason === null ? [form(schedule, save, setDirty)]
            : [make("p", {}, kindText(schedule.task), ": ", targetView(schedule)),
                make("p", { class: "code" }, `${schedule.cron} ${schedule.timeZone}`), make("p", { class: "note" }, reason),
                operation.isHere(schedule) ? null : make("p", { class: "actions" }, make("a", {
                    class: "button", href: scope.address(operation.place(schedule), router.address(["schedules", schedule.name])),
                }, t("Show that database")))].filter((each) => each !== null)));
    }
    async function reload(sentence) {
        schedule = await operation.schedule(schedule.name, signal);
        problem.replaceChildren();
        drawFacts();
        if (!isDirty) drawForm();
        announce(sentence);
    }
    async function save(key, content) {
        if (schedule !== null && !(await mayTakeOver(schedule))) return;
        try {
            if (schedule === null && await exists(key)) {
                throw new Error(t("A schedule with the name {name} exists already.", { name: key }));
            }
            const saved = await operation.putSchedule(key, content, schedule === null ? undefined : operation.place(schedule));
            if (isOver()) return;
            isDirty = false;
            router.go(router.address(["schedules", key]));
            announce(saved.next === undefined ? t("Saved.") : t("Saved. Next run: {time}.", { time: localText(saved.next) }), { isCarried: true });
        } catch (error) {
            showProblem(problem, error);
        }
    }
    async function exists(key) {
        return (await operation.schedules(signal)).some((each) => each.name === key);
    }

    if (schedule !== null) drawFacts();
    drawForm();
    const isEmpty = schedule === null && schema.all().length === 0;
    draw(make("p", { class: "crumbs" }, make("a", { href: "#/schedules" }, t("Schedules"))),
        make("div", { class: "page-head" }, heading, schedule === null ? null : buttons), top, problem,
        isEmpty ? make("div", { class: "empty" }, make("p", {}, t("There are no types yet, so there is nothing to delete or change.")))
            : body, runs);
    router.guard(() => isDirty, askToLeave);
    introduce(heading);
    if (schedule === null) return;
    repeat(async () => {
        const now = await operation.schedule(schedule.name, signal);
        signal.throwIfAborted();
        const isNews = JSON.stringify(now) !== JSON.stringify(schedule);
        schedule = now;
        if (isNews && buttons.querySelector("[aria-busy=true]") === null) drawFacts();
        return 3_000;
    }, 1_500, signal, fail);
}
