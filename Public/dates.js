// Times: the server's whole milliseconds since 1970, and their form for people.

import { locale } from "./words.js";

const reading = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

/** The `Date` for a number of milliseconds, or `null` outside the years 1 to 9999, the range of date inputs. */
export function date(milliseconds) {
    const result = new Date(Number(milliseconds));
    const year = result.getUTCFullYear();
    return year >= 1 && year <= 9999 ? result : null;
}

/** Date and time in the user's time zone and language, or the bare number if it is not a date. */
export function localText(milliseconds) {
    const result = date(milliseconds);
    return result === null ? String(milliseconds) : reading.format(result);
}

/** `2026-03-01T14:05:09.250`, in UTC, as a `datetime-local` input requires. */
export function inputText(moment) {
    return moment.toISOString().slice(0, -1);
}

/** The milliseconds for the text of a `datetime-local` input read as UTC, or `null`. */
export function milliseconds(text) {
    const result = Date.parse(text + "Z");
    return Number.isNaN(result) ? null : result;
}
