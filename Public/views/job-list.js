// The jobs of the server by their state, with their progress as it happens.

import { localText } from "../dates.js";
import { announce, introduce, make } from "../dom.js";
import * as operation from "../operation.js";
import * as router from "../router.js";
import { t } from "../words.js";
import { cell } from "./cell.js";
import { callerView, jobButtons, paceText, progressBar, targetView } from "./job-parts.js";
import { address, kindText, progressText, stateText, stateView } from "./jobs.js";
import { showProblem } from "./problem.js";
import { repeat } from "./repeat.js";
import { columnTable } from "./table.js";

const filters = [
    ["", t("All")], ["unfinished", t("Unfinished")], ["running", t("Running")], ["paused", t("Paused")], ["succeeded", t("Done")],
    ["failed", t("Failed")], ["cancelled", t("Cancelled")],
];

/** A row of the table: `element`, and `set(job)` for its new state. */
function row(first, actions) {
    const [state, count, buttons] = ["content", "content", "content"].map((style) => make("span", { class: style }));
    const place = (name, content, style) => make("td", { "data-title": name, class: style }, content);
    let job = null;

    function set(now) {
        if (job !== null && job.state === now.state && String(job.done) === String(now.done)) return;
        const hasFocus = buttons.contains(document.activeElement);
        if (job?.state !== now.state) {
            state.replaceChildren(stateView(now));
            buttons.replaceChildren(...jobButtons(now, { ...actions, isSmall: true }));
            if (hasFocus) (buttons.querySelector("button") ?? element.querySelector("a")).focus();
        }
        count.replaceChildren(...[progressBar(now), make("span", { class: "number" }, progressText(now)), " ",
            make("span", { class: "note" }, paceText(now))].filter((each) => each !== null));
        job = now;
    }
    const element = make("tr", {},
        make("th", { scope: "row", title: first.id }, make("a", { href: address(first) }, kindText(first))),
        cell(t("Records"), targetView(first), "short"), place(t("State"), state), place(t("Progress"), count),
        cell(t("By"), callerView(first)), cell(t("Created"), localText(first.created), "moment"), place(null, buttons, "row-actions"));
    set(first);
    return { element, set };
}

/** The table, and `set(jobs)`, which keeps the rows and the focus. */
function table(actions) {
    const rows = new Map();
    const body = make("tbody", {});
    const element = columnTable({
        label: t("Jobs"), body, columns: [{ title: t("Job"), min: 7 }, { title: t("Records"), min: 7 }, { title: t("State") },
            { title: t("Progress"), min: 7 }, { title: t("By"), priority: 2 }, { title: t("Created"), solid: true, priority: 1 },
            { title: make("span", { class: "visually-hidden" }, t("Actions")), solid: true }],
    });
    return {
        element,
        set(jobs) {
            const names = new Set(jobs.map(({ id }) => id));
            for (const [id, { element: gone }] of rows) {
                if (names.has(id)) continue;
                gone.remove();
                rows.delete(id);
            }
            jobs.forEach((job, at) => {
                if (rows.has(job.id)) rows.get(job.id).set(job);
                else rows.set(job.id, row(job, actions));
                const { element: line } = rows.get(job.id);
                if (body.children[at] !== line) body.insertBefore(line, body.children[at] ?? null);
            });
        },
    };
}

export async function show({ signal, show: draw, fail }, names, query) {
    const state = filters.some(([key]) => key === query.get("state")) ? query.get("state") : "";
    const cursor = query.get("after") ?? undefined;
    const heading = make("h1", {}, t("Jobs"));
    const problem = make("div", {});
    const list = table({
        changed(job) {
            announce(stateText(job));
            refresh().catch(fail);
        },
        failed: (error) => showProblem(problem, error),
    });
    const empty = make("div", { class: "empty" }, make("p", { class: "lead" }, t("No jobs here.")),
        make("p", {}, t("Imports, exports, bulk changes of many records, schedules and index builds are jobs. They are kept for a week after their end.")));
    const pager = make("nav", { class: "pager", "aria-label": t("Pages") });
    const link = (title, after) => make("a", {
        class: "button", href: router.address(["jobs"], { ...(state === "" ? {} : { state }), ...(after === undefined ? {} : { after }) }),
    }, title);

    function set({ jobs, cursor: following }) {
        list.set(jobs);
        list.element.hidden = jobs.length === 0;
        empty.hidden = jobs.length > 0;
        if (pager.dataset.following === String(following)) return;
        pager.dataset.following = String(following);
        pager.hidden = cursor === undefined && following === undefined;
        const links = [cursor === undefined ? null : link(t("Newest")), following === undefined ? null : link(t("Older →"), following)];
        pager.replaceChildren(...links.filter((each) => each !== null));
    }
    async function refresh() {
        const answer = await operation.jobs(state, cursor, signal);
        signal.throwIfAborted();
        set(answer);
        return answer.jobs.some((job) => !operation.isFinal(job));
    }
    set(await operation.jobs(state, cursor, signal));
    draw(make("div", { class: "page-head" }, heading,
        make("nav", { class: "tabs", "aria-label": t("State") }, filters.map(([key, title]) => make("a", {
            href: router.address(["jobs"], key === "" ? {} : { state: key }), "aria-current": key === state ? "page" : null,
        }, title)))), problem, list.element, empty, pager);
    introduce(heading);
    repeat(async () => ((await refresh()) ? 1_000 : 4_000), 1_000, signal, fail);
}
