// Bulk delete and bulk change: by a condition or for ticked records, after a count and a question, with progress for many.

import * as api from "../api.js";
import { quoted } from "../conditions.js";
import { announce, make } from "../dom.js";
import * as schema from "../schema.js";
import { t, tn, tp } from "../words.js";
import { ask } from "./dialog.js";
import { fieldChange } from "./field-change.js";
import { progressText } from "./jobs.js";

/** With more records than this, the server makes a job of it, whose progress is shown. */
const mostAtOnce = 500;
const pause = 500; // milliseconds

function records(count) {
    return tn("{count} record", "{count} records", count);
}

/** The condition for records by name. */
export function namesCondition(names) {
    return `recordName IN {${names.map(quoted).join(", ")}}`;
}

/** Deletes the matches after counting and asking. Returns whether any record was deleted; throws the server's error. */
export async function deleteMatching(typeName, where) {
    const matched = await count(typeName, where, {});
    if (matched === 0) return false;
    const answer = await ask({
        title: tn("Delete {count} record of {type}?", "Delete {count} records of {type}?", matched, { type: typeName }),
        content: make("div", {}, conditionText(where, matched),
            make("p", {}, t("They will be deleted for everyone, together with the records that refer to them with DELETE_SELF. "
                + "This cannot be undone."))),
        choices: [
            { value: "keep", title: t("Keep them"), isFirst: true },
            { value: "delete", title: tn("Delete {count} record", "Delete {count} records", matched), kind: "danger" },
        ],
    });
    if (answer !== "delete") return false;
    return carryOut(typeName, where, matched, {});
}

/** Asks for a field and its new value, then changes the matches. Returns whether any record was changed. */
export async function changeMatching(typeName, where) {
    const fields = await askForChange(typeName, where);
    if (fields === null) return false;
    const matched = await count(typeName, where, { fields });
    if (matched === 0) return false;
    const answer = await ask({
        title: tn("Change {count} record of {type}?", "Change {count} records of {type}?", matched, { type: typeName }),
        content: make("div", {}, conditionText(where, matched),
            make("p", {}, t("Only the field {field} changes.", { field: Object.keys(fields)[0] }))),
        choices: [
            { value: "keep", title: t("Cancel"), isFirst: true },
            { value: "change", title: tn("Change {count} record", "Change {count} records", matched), kind: "primary" },
        ],
    });
    if (answer !== "change") return false;
    return carryOut(typeName, where, matched, { fields });
}

async function count(typeName, where, options) {
    const found = await api.changeSet(typeName, where, { ...options, dryRun: "true" });
    const matched = Number(found?.matched ?? 0);
    if (matched === 0) announce(t("No record matches."));
    return matched;
}

function conditionText(where, matched) {
    const sentence = tn("{count} record matches this condition:", "{count} records match this condition:", matched);
    return make("div", {}, make("p", {}, sentence), make("pre", { class: "marked" }, where));
}

/** Writes by others can add matches that the user has not confirmed, so no more than were counted are changed. */
async function carryOut(typeName, where, matched, options) {
    const isJob = matched > mostAtOnce;
    const started = await api.changeSet(typeName, where, {
        ...options, maxAffected: String(matched), idempotencyKey: api.newKey(), isJob,
    });
    const result = isJob && started?.id !== undefined ? await showProgress(started) : started;
    if (result === null) {
        announce(t("The job goes on in the background; “Jobs” lists it."), { isCarried: true });
        return true;
    }
    const [done, skipped] = [Number(result?.deleted ?? result?.updated ?? result?.done ?? 0), Number(result?.skipped ?? 0)];
    const rest = skipped === 0 ? ""
        : " " + t("{records} not: changed in the meantime, or still referred to.", { records: records(skipped) });
    announce((options.fields === undefined ? t("Deleted {records}.", { records: records(done) })
        : t("Changed {records}.", { records: records(done) })) + rest, { isCarried: true });
    return true;
}

/** Shows a job until it ends, and returns it; `null` if the user leaves it alone. Throws if it fails. */
async function showProgress(started) {
    const bar = make("progress", { max: "1", value: "0", "aria-label": t("Progress") });
    const text = make("p", { class: "note", role: "status" });
    let job = started;
    let isOpen = true;
    let end;
    const answer = ask({
        title: t("The server is at work"),
        content(close) {
            end = close;
            return make("div", {}, bar, text);
        },
        choices: [
            { value: "leave", title: t("Let it go on"), isFirst: true },
            { value: "cancel", title: t("Stop it"), kind: "danger" },
        ],
    });
    answer.then(() => { isOpen = false; });
    try {
        for (;;) {
            bar.value = Number(job.total ?? 0) === 0 ? 0 : Number(job.done) / Number(job.total);
            text.textContent = progressText(job);
            if (["succeeded", "failed", "cancelled"].includes(job.state)) break;
            await new Promise((resolve) => setTimeout(resolve, pause));
            if (!isOpen) break;
            job = await api.job(job.id);
        }
    } finally {
        if (isOpen) end("over");
    }
    const chosen = await answer;
    if (chosen === "cancel") job = await api.cancelJob(job.id);
    else if (chosen !== "over") return null;
    if (job.state === "failed") throw new Error(job.error?.reason ?? t("The job has failed."));
    return job;
}

/** The `fields` of a PATCH for one field, as the user chooses it; `null` if not. */
async function askForChange(typeName, where) {
    const types = schema.fields(typeName);
    if (types.size === 0) return null;
    const editor = fieldChange(types);
    let fields = null;
    function isValid() {
        fields = editor.read();
        return fields !== null;
    }
    const answer = await ask({
        title: t("Change records of {type}", { type: typeName }),
        content: make("div", { class: "change-set" },
            make("p", {}, tp("All records that match {condition}", { condition: make("code", { class: "code" }, where) })), editor.element),
        choices: [
            { value: "next", title: t("Count them"), kind: "primary", allow: isValid },
            { value: "cancel", title: t("Cancel"), kind: "quiet" },
        ],
    });
    return answer === "next" ? fields : null;
}
