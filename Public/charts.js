// The arithmetic of charts: scales, times on the axis, lines with gaps, and a summary for tables.

const steps = [1, 2, 2.5, 5, 10];

/** The top of a scale from 0: a round number that is at least `value`. `unit` is 1024 for bytes. */
export function top(value, unit = 10) {
    if (!(value > 0) || (unit === 1024 && value < 1024)) return unit === 1024 ? 1024 : 1;
    const base = unit === 10 ? 1 : 1024 ** Math.max(0, Math.floor(Math.log2(value) / 10));
    const power = 10 ** Math.floor(Math.log10(value / base));
    return base * power * steps.find((step) => step * power * base >= value * (1 - 1e-9));
}

const minute = 60_000; // milliseconds
const distances = [5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * minute);

/** Round local times within a span, at most `most` of them, in milliseconds. */
export function times(from, to, most) {
    const step = distances.find((each) => (to - from) / each <= most) ?? distances.at(-1);
    const offset = new Date(to).getTimezoneOffset() * minute;
    const found = [];
    for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step) found.push(at);
    return found;
}

/** The `d` of a path through the points, with a gap where a value is null or where points are missing. */
export function line(timestamps, values, interval, x, y) {
    let text = "";
    let last = null;
    timestamps.forEach((time, at) => {
        if (values[at] === null || values[at] === undefined) {
            last = null;
            return;
        }
        const isNew = last === null || time - last > interval * 2.5;
        text += `${isNew ? "M" : "L"}${x(time).toFixed(1)} ${y(values[at]).toFixed(1)}`;
        // A lone point is a short line, so that it is visible.
        const next = values[at + 1];
        if (isNew && (next === null || next === undefined)) text += "h1";
        last = time;
    });
    return text;
}

/** The position of the timestamp next to `time`; -1 without any. */
export function nearest(timestamps, time) {
    let [best, distance] = [-1, Infinity];
    timestamps.forEach((each, at) => {
        if (Math.abs(each - time) < distance) [best, distance] = [at, Math.abs(each - time)];
    });
    return best;
}

/** The largest value of all these series; 0 without any. */
export function largest(lists) {
    return Math.max(0, ...lists.flat().filter((each) => each !== null && each !== undefined));
}

/**
 * The values of each `span` milliseconds for a table: `[{time, values}]`, the oldest first, with the largest value of each series in
 * that time; `null` without one.
 */
export function summary(timestamps, lists, span) {
    const rows = new Map();
    timestamps.forEach((time, at) => {
        const start = Math.floor(time / span) * span;
        if (!rows.has(start)) rows.set(start, lists.map(() => null));
        const row = rows.get(start);
        lists.forEach((values, index) => {
            const value = values[at] ?? null;
            if (value !== null) row[index] = Math.max(row[index] ?? value, value);
        });
    });
    return [...rows].map(([time, values]) => ({ time, values }));
}
