// The places of records, and how many of how many the map shows.

import { understand } from "../fields/kinds.js";

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

const relations = { exact: "", estimate: "about ", atLeast: "at least " };

/** The number of all matches, as in `of about 1,200`; an empty string if it is unknown. */
function ofAll({ count, total }, number) {
    if (count !== undefined) return ` of ${number(count)}`;
    return total === undefined ? "" : ` of ${relations[total.relation] ?? "about "}${number(total.value)}`;
}

/** A sentence about what a page of the map shows. */
export function pageText(answer, places, field) {
    const number = (value) => Number(value).toLocaleString();
    const records = answer.records.length;
    const missing = records - new Set(places.map(({ recordName }) => recordName)).size;
    const noun = records === 1 && ofAll(answer, number) === "" ? "record" : "records";
    return `${number(places.length)} ${places.length === 1 ? "place" : "places"} from `
        + `${number(records)}${ofAll(answer, number)} ${noun}.`
        + (missing === 0 ? "" : ` ${number(missing)} of these ${missing === 1 ? "has" : "have"} no value in ${field}.`);
}
