// The schedules: what each does, when it runs next, and how its last run ended.

import { localText } from "../dates.js";
import { announce, introduce, make } from "../dom.js";
import * as operation from "../operation.js";
import * as router from "../router.js";
import { t } from "../words.js";
import { cell } from "./cell.js";
import { address as jobAddress, stateView } from "./jobs.js";
import { keepFocus } from "./keep-focus.js";
import { showProblem } from "./problem.js";
import { repeat } from "./repeat.js";
import { nextText, scheduleButtons, stateText, taskLine } from "./schedule-parts.js";
import { columnTable } from "./table.js";

function row(schedule, actions) {
    const run = schedule.runs?.[0];
    return make("tr", {},
        make("th", { scope: "row", class: "short", title: schedule.name }, make("span", { class: "content" },
            make("a", { href: router.address(["schedules", schedule.name]) }, schedule.name))),
        cell(t("What"), taskLine(schedule), "short"),
        cell(t("When"), [make("span", { class: "code" }, schedule.cron), " ", make("span", { class: "note" }, schedule.timeZone)]),
        cell(t("Next run"), nextText(schedule), "moment"),
        cell(t("Last run"), run === undefined ? "–" : [make("a", { href: jobAddress(run) }, localText(run.created)), " ", stateView(run)]),
        cell(t("State"), make("span", { class: schedule.problem === undefined ? "state" : "state alarm" }, stateText(schedule))),
        cell(null, scheduleButtons(schedule, { ...actions, isSmall: true }), "row-actions"));
}

export async function show({ signal, show: draw, fail }) {
    const heading = make("h1", {}, t("Schedules"));
    const problem = make("div", {});
    const body = make("tbody", {});
    const table = columnTable({
        label: t("Schedules"), body, columns: [{ title: t("Name"), min: 7 }, { title: t("What"), min: 7 }, { title: t("When"), min: 9, priority: 2 },
            { title: t("Next run"), solid: true, priority: 1 }, { title: t("Last run"), min: 11, priority: 1 }, { title: t("State") },
            { title: make("span", { class: "visually-hidden" }, t("Actions")), solid: true }],
    });
    const empty = make("div", { class: "empty" }, make("p", { class: "lead" }, t("No schedules yet.")),
        make("p", {}, t("A schedule deletes or changes the records that match a condition, at certain times: such as what is older than "
            + "half a year, each night.")));
    let shown = "";

    async function refresh() {
        const list = await operation.schedules(signal);
        signal.throwIfAborted();
        const now = JSON.stringify(list);
        if (now !== shown && body.querySelector("[aria-busy=true]") === null) {
            shown = now;
            keepFocus(body, () => body.replaceChildren(...list.map((schedule) => row(schedule, actions))), heading);
        }
        table.hidden = list.length === 0;
        empty.hidden = list.length > 0;
    }
    /** The list follows as soon as the button is no longer busy. */
    function done(sentence) {
        problem.replaceChildren();
        announce(sentence);
        setTimeout(() => refresh().catch(fail));
    }
    const actions = {
        started: () => done(t("The job has started.")), changed: (schedule) => done(stateText(schedule)),
        failed: (error) => showProblem(problem, error),
    };
    await refresh();
    draw(make("div", { class: "page-head" }, heading, make("p", { class: "actions" },
        make("a", { class: "button primary", href: "#/new-schedule" }, t("New schedule")))), problem, table, empty);
    introduce(heading);
    repeat(async () => {
        await refresh();
        return 4_000;
    }, 4_000, signal, fail);
}
