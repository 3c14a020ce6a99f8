// Wall-clock times in a time zone, and the moments that they stand for. Times are milliseconds since 1970 or texts of
// `datetime-local` inputs.

import { date, inputText, milliseconds } from "./dates.js";

const key = "fogbase.time-zone";
const day = 86_400_000; // milliseconds
const formats = new Map();

/** The user's own time zone. */
export function ownZone() {
    return Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";
}

/** The zone in which this device edits times: the user's own unless another one was chosen. */
export function chosenZone() {
    try {
        const kept = globalThis.localStorage?.getItem(key) ?? "";
        return isZone(kept) ? kept : ownZone();
    } catch {
        return ownZone();
    }
}

export function chooseZone(zone) {
    if (zone === ownZone()) localStorage.removeItem(key);
    else localStorage.setItem(key, zone);
}

/** Whether this browser knows a time zone by this name. */
export function isZone(name) {
    if (name === "") return false;
    try {
        format(name);
        return true;
    } catch {
        return false;
    }
}

/** The names of all time zones that this browser knows. */
export function zoneNames() {
    return ["UTC", ...(Intl.supportedValuesOf?.("timeZone") ?? []).filter((name) => name !== "UTC")];
}

function format(zone) {
    if (!formats.has(zone)) {
        formats.set(zone, new Intl.DateTimeFormat("en-US", {
            timeZone: zone, hourCycle: "h23", calendar: "gregory", era: "short", year: "numeric", month: "numeric", day: "numeric",
            hour: "numeric", minute: "numeric", second: "numeric",
        }));
    }
    return formats.get(zone);
}

/** What a clock in the zone shows at a moment, as the milliseconds at which a clock in UTC shows the same. */
function wall(moment, zone) {
    if (zone === "UTC") return moment;
    const parts = Object.fromEntries(format(zone).formatToParts(moment).map(({ type, value }) => [type, value]));
    const year = parts.era.startsWith("B") ? 1 - Number(parts.year) : Number(parts.year);
    const result = new Date(0);
    result.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
    result.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
    return result.getTime() + (((moment % 1000) + 1000) % 1000);
}

/** The text of a `datetime-local` input for a moment in a zone; `null` if the input cannot show it. */
export function wallText(moment, zone) {
    const shown = date(moment) === null ? null : date(wall(Number(moment), zone));
    return shown === null ? null : inputText(shown);
}

/**
 * The moments at which a clock in the zone shows this text, earliest first: usually one, two in the hour that is repeated when clocks
 * go back, and none in the one that is left out.
 */
export function moments(text, zone) {
    const wanted = milliseconds(text);
    if (wanted === null) return [];
    const offsets = new Set([wanted - day, wanted, wanted + day].map((near) => wall(near, zone) - near));
    return [...offsets].map((offset) => wanted - offset).filter((moment) => wall(moment, zone) === wanted).sort((one, other) => one - other);
}

/** The difference of a zone from UTC at a moment: `UTC+09:00`. */
export function offsetText(moment, zone) {
    const minutes = Math.round((wall(moment, zone) - moment) / 60_000);
    const two = (value) => String(value).padStart(2, "0");
    const size = Math.abs(minutes);
    return `UTC${minutes < 0 ? "\u2212" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
