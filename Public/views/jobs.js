import { localText } from "../dates.js";
import { make } from "../dom.js";
import * as router from "../router.js";
import { number, t } from "../words.js";
import { columnTable } from "./table.js";

const kinds = {
    updateRecords: t("Change records"), deleteRecords: t("Delete records"), buildIndex: t("Build an index"),
    importRecords: t("Import records"), exportRecords: t("Export records"), dropIndex: t("Drop an index"), renameFields: t("Rename fields in records"),
    removeAccount: t("Remove an account"), collectAssets: t("Delete unused files"), backup: t("Backup"),
};
const states = {
    queued: t("queued"), running: t("running"), paused: t("paused"), succeeded: t("done"), failed: t("failed"), cancelled: t("cancelled"),
};

export function kindText({ kind, task }) {
    return kind === "importRecords" && task?.dryRun === true ? t("Check an import (dry run)") : kinds[kind] ?? String(kind);
}

export function stateText({ state }) {
    return states[state] ?? String(state);
}

export function stateView(job) {
    return make("span", { class: job.state === "failed" ? "state alarm" : "state" }, stateText(job));
}

/** `120,000 of 500,000`. The number of rows in a file is estimated until its end. */
export function progressText({ kind, ended, done = 0, total }) {
    if (total === undefined) return number(done);
    const counts = { done: Number(done), total: Number(total) };
    return kind === "importRecords" && ended === undefined ? t("{done} of about {total}", counts) : t("{done} of {total}", counts);
}

export function address({ id }) {
    return router.address(["jobs", id]);
}

/** Jobs as a table, newest first. */
export function jobTable(jobs) {
    const cell = (title, text, style) => make("td", { "data-title": title, class: style }, text);
    return columnTable({
        label: t("Jobs"), role: "group",
        columns: [{ title: t("Job"), min: 7 }, { title: t("Type"), min: 5 }, { title: t("State") }, { title: t("Records"), style: "number", min: 5.5 },
            { title: t("Created"), solid: true, priority: 1 }],
        body: make("tbody", {}, jobs.map((job) => make("tr", {},
                make("th", { scope: "row", title: job.id }, make("a", { href: address(job) }, kindText(job))),
                cell(t("Type"), job.task?.recordType ?? job.task?.mapping?.recordType ?? ""),
                cell(t("State"), stateView(job)),
                cell(t("Records"), progressText(job), "number"),
                cell(t("Created"), localText(job.created), "moment")))),
    });
}
