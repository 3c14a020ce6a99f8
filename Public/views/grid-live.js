// The open grid learns what others write: changed rows are marked, and new records are announced, so that nothing jumps.

import * as api from "../api.js";
import { quoted } from "../conditions.js";
import { localText } from "../dates.js";
import { make } from "../dom.js";
import { followChanges, isFresh } from "../following.js";
import * as searches from "../search.js";
import * as writes from "../own-writes.js";
import { nameOf } from "../users.js";
import { t, tn } from "../words.js";

const pause = 300; // milliseconds in which changes are collected before their records are read
const countPause = 1_000; // milliseconds in which changes are collected before the records are counted again

/** A sentence about the last write of a record. */
export async function writerText({ recordName, modified = {} }, sentence) {
    const { userRecordName: user, timestamp } = modified;
    const name = user === undefined ? t("others") : writes.writer(recordName, modified) ?? await nameOf(user) ?? user;
    return sentence(name, timestamp === undefined ? "" : localText(timestamp));
}

/**
 * Follows the changes of a page of records. `answer` is the page, `table()` the grid as `recordTable` returns it, or `null`, and
 * `replaced(record)` gets each new version. `refresh()` shows new records, and `recount()` counts all.
 *
 * Returns `element`, the line that announces new records, and `mark(table)`, which marks the rows of a grid that was drawn again.
 */
export function gridLive({ typeName, search, answer, signal, table, replaced, refresh, recount }) {
    const remarks = new Map(); // record name → a function that marks its row
    const tags = new Map(answer.records.map(({ recordName, recordChangeTag }) => [recordName, recordChangeTag]));
    const fresh = new Set();
    const waiting = new Set();
    let timer;
    let countTimer;
    const text = make("span", { role: "status" });
    const button = make("button", { type: "button", class: "small", onclick: refresh }, t("Show"));
    const element = make("p", { class: "news", hidden: true }, text, button);

    function announce(sentence) {
        element.hidden = sentence === "";
        text.textContent = sentence;
    }
    function take({ kind, record }) {
        if (record === undefined) return;
        const { recordName } = record;
        // A change of a record on this page leaves the number as it is.
        if (kind === "gone" || !tags.has(recordName)) {
            countTimer ??= setTimeout(() => {
                countTimer = undefined;
                recount().catch(() => {}); // The next change tries again.
            }, countPause);
        }
        if (kind === "gone") {
            if (fresh.delete(recordName)) count();
            if (tags.delete(recordName)) {
                remark(recordName, (grid) => {
                    grid.strike(recordName, record.deleted ? t("deleted by others") : t("no longer in this list"));
                });
            }
        } else if (tags.has(recordName)) {
            if (tags.get(recordName) === record.recordChangeTag) return;
            waiting.add(recordName);
            timer ??= setTimeout(readChanged, pause);
        } else if (isFresh(record) && search.words === "") {
            fresh.add(recordName);
            count();
        }
    }
    function remark(recordName, mark) {
        remarks.set(recordName, mark);
        if (table() !== null) mark(table());
    }
    function count() {
        announce(fresh.size === 0 ? "" : tn("{count} new record", "{count} new records", fresh.size));
    }
    async function readChanged() {
        const names = [...waiting];
        waiting.clear();
        timer = undefined;
        try {
            const { records } = await api.query({
                recordType: typeName, where: `recordName IN {${names.map(quoted).join(", ")}}`, limit: names.length,
            }, signal);
            for (const record of records) {
                if (tags.get(record.recordName) === record.recordChangeTag) continue;
                tags.set(record.recordName, record.recordChangeTag);
                replaced(record);
                const sentence = await writerText(record, (name, time) => t("changed by {name}, {time}", { name, time }));
                signal.throwIfAborted();
                remark(record.recordName, (grid) => grid.update(record, sentence));
            }
        } catch {
            // The rows stay as they were; the next change of one of them tries again.
        }
    }
    const since = typeof answer.syncToken === "string" && answer.syncToken !== "" ? answer.syncToken : "now";
    followChanges({
        typeName, where: searches.feedCondition(search), since, signal, take,
        reset: () => announce(t("Many records have changed.")),
    });
    signal.addEventListener("abort", () => {
        clearTimeout(timer);
        clearTimeout(countTimer);
    });
    return { element, mark: (grid) => remarks.forEach((mark) => mark(grid)) };
}
