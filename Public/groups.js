// Groups of records: the request for their counts, their titles, and the condition that finds the records of one group.

import * as conditions from "./conditions.js";
import { locale as ownLocale, t } from "./words.js";

/** The periods by which times can be grouped. */
export const periods = ["day", "week", "month", "year"];

const keyTypes = new Set(["STRING", "INT64", "DOUBLE", "TIMESTAMP", "REFERENCE"]);
const systemFields = [
    ["createdTimestamp", "TIMESTAMP"], ["modifiedTimestamp", "TIMESTAMP"],
    ["createdUserRecordName", "USER"], ["modifiedUserRecordName", "USER"],
];

/** The maximum number of groups that are shown. */
export const mostGroups = 200;

/** The fields by which records can be grouped, as a `Map` from name to type. `fields` are those of the record type. */
export function groupable(fields) {
    return new Map([...[...fields].filter(([, type]) => keyTypes.has(type)), ...systemFields]);
}

/** The term of a group's key: the field, or a period of it. */
export function term({ by, period }) {
    return period === "" ? by : `${period}(${by})`;
}

/** The `aggregate` of a query. Periods are in order of time, other groups by their number of records. */
export function aggregate(grouping, timeZone) {
    return {
        groupBy: [term(grouping)], values: ["count"], limit: mostGroups,
        sort: grouping.period === "" ? "-count" : undefined, timeZone: grouping.period === "" ? undefined : timeZone,
    };
}

/** The user's time zone, in which periods begin. */
export function timeZone() {
    return Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";
}

/** The start of the period after the one that starts at `start`, in the user's time zone; both in milliseconds. */
export function nextStart(start, period) {
    const date = new Date(start);
    const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
    const next = new Date(0);
    next.setHours(0, 0, 0, 0);
    // Unlike the constructor of `Date`, this does not take the years 0 to 99 for those after 1900.
    switch (period) {
    case "day": next.setFullYear(year, month, day + 1); break;
    case "week": next.setFullYear(year, month, day + 7); break;
    case "month": next.setFullYear(year, month + 1, 1); break;
    case "year": next.setFullYear(year + 1, 0, 1); break;
    default: throw new RangeError(period);
    }
    next.setHours(0, 0, 0, 0);
    return next.getTime();
}

const styles = {
    day: { dateStyle: "full" }, week: { dateStyle: "medium" }, month: { month: "long", year: "numeric" }, year: { year: "numeric" },
};

/** The title of a period for people, in the user's time zone. */
export function periodTitle(start, period, locale = ownLocale) {
    const text = new Intl.DateTimeFormat(locale, styles[period]).format(new Date(start));
    return period === "week" ? t("Week from {date}", { date: text }) : text;
}

/** The condition that finds the records of a group. `key` is its value as text; `null` for records without a value. */
export function condition({ by, period }, type, key) {
    const name = conditions.field(by);
    if (key === null) return `${name} == NULL`;
    if (period !== "") {
        const start = Number(key);
        return `${name} >= ${conditions.time(start)} AND ${name} < ${conditions.time(nextStart(start, period))}`;
    }
    switch (type) {
    case "INT64": case "DOUBLE": return `${name} == ${key}`;
    case "TIMESTAMP": return `${name} == ${conditions.time(Number(key))}`;
    case "REFERENCE": return `${name} == ref(${conditions.quoted(key)})`;
    default: return `${name} == ${conditions.quoted(key)}`;
    }
}
