// The wait for an index that is being built, with its progress.

import * as api from "../api.js";
import { make } from "../dom.js";
import * as indexes from "../indexes.js";
import { t, tn } from "../words.js";
import { waitingTime } from "./problem.js";

const pause = 300; // milliseconds between two looks at the progress

function wait(milliseconds) {
    return new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}

/** Asks how far the indexes of a type are until one of them is done. `built(count)` gets the records that are in it so far. */
async function poll(typeName, signal, built) {
    for (let most = Infinity; ;) {
        await wait(pause);
        signal.throwIfAborted();
        const found = indexes.unready([await api.schemaType(typeName, signal)]).filter(({ index }) => index.state === "building");
        if (found.length === 0 || found.length < most && most !== Infinity) return;
        most = found.length;
        built(Math.min(...found.map(({ index }) => Number(index.built ?? 0))));
    }
}

/** Shows in `box` the progress of the index build that the error reports, and resolves when a new attempt makes sense. */
export async function followBuild(box, error, { signal }) {
    const typeName = error.details.recordType;
    const bar = make("progress", { max: "1", "aria-label": t("Progress of the index") });
    const work = make("p", { class: "note" }, t("This goes on as soon as the index is built."));
    let total = 0;
    box.append(bar, work);
    // How many records there are is only for the bar.
    api.total(typeName, signal).then((found) => { total = Number(found?.value ?? 0); }, () => {});
    try {
        await poll(typeName, signal, (built) => {
            if (total > 0) bar.value = Math.min(1, built / total);
            work.textContent = total > 0 ? t("{done} of {total}", { done: built, total: Math.max(total, built) })
                : tn("{count} record so far", "{count} records so far", built);
        });
    } catch {
        signal.throwIfAborted();
        await wait(waitingTime(error) * 1_000); // The caller may not read the schema: the server's own time counts.
    }
}
