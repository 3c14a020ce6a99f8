// The places of records, and how many of how many the map shows.

import { understand } from "../fields/kinds.js";
import { number, t, tn } from "../words.js";

/** The places in a field of these records, as `{recordName, place: {latitude, longitude}}`; a list has several. */
export function placesOf(records, field, type) {
    return records.flatMap(({ recordName, fields }) => {
        const written = fields?.[field];
        if (written === undefined || written === null) return [];
        const { value } = understand(written, type);
        return (Array.isArray(value) ? value : [value])
            .map((each) => ({ latitude: Number(each?.latitude), longitude: Number(each?.longitude) }))
            .filter(({ latitude, longitude }) => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)
            .map((place) => ({ recordName, place }));
    });
}

/** A number of matches as the server knows it: `5`, `about 1,200` or `at least 1,000`; `null` if it is unknown. */
export function countText({ count, total }) {
    if (count !== undefined) return number(count);
    if (total === undefined) return null;
    const value = number(total.value);
    if (total.relation === "exact") return value;
    return total.relation === "atLeast" ? t("at least {count}", { count: value }) : t("about {count}", { count: value });
}

/** A sentence about what a page of the map shows. */
export function pageText(answer, places, field) {
    const records = answer.records.length;
    const all = countText(answer);
    const missing = records - new Set(places.map(({ recordName }) => recordName)).size;
    const from = all === null ? tn("{count} record", "{count} records", records)
        : t("{shown} of {all} records", { shown: records, all });
    return tn("{count} place from {records}.", "{count} places from {records}.", places.length, { records: from })
        + (missing === 0 ? "" : " " + tn("{count} of these has no value in {field}.", "{count} of these have no value in {field}.",
            missing, { field }));
}
