// What the indexes of a type take, and how many queries have used them: beside their names, once the server has told it.

import * as indexes from "../indexes.js";
import * as observation from "../observation.js";
import * as session from "../session.js";
import { sizeText } from "../sizes.js";
import { t, tn } from "../words.js";

const lifetime = 10_000; // milliseconds
let report = null;
let askedAt = 0;

/** The response of `GET /storage`, which all types of a page share for a moment. */
function storage() {
    if (report === null || Date.now() - askedAt > lifetime) {
        askedAt = Date.now();
        report = observation.storage();
        report.catch(() => { report = null; });
    }
    return report;
}

function text({ entries, bytes, uses }) {
    const size = entries === null ? "" : t("about {size} in {entries}", {
        size: sizeText(Number(bytes)), entries: tn("{count} entry", "{count} entries", Number(entries)),
    });
    const used = Number(uses) === 0 ? t("not used since the start") : tn("used by {count} query", "used by {count} queries", Number(uses));
    return [size, used].filter((part) => part !== "").join(", ");
}

/** Writes sizes and uses into the elements with the titles of the type's indexes. The list does without them if they cannot be read. */
export async function showSizes(elements, typeName) {
    if (!session.covers("readMetrics")) return;
    let found;
    try {
        found = (await storage()).types.find(({ name }) => name === typeName);
    } catch {
        return;
    }
    for (const index of found?.indexes ?? []) {
        const element = elements.get(indexes.title(index));
        if (element !== undefined) element.textContent = text(index);
    }
}
