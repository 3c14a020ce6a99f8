// The times of a schedule, by the server's rules of cron: a preview of its next runs. The server decides when they start.

const shortForms = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
};
const kinds = [
    { first: 0, last: 59, words: [] }, { first: 0, last: 23, words: [] }, { first: 1, last: 31, words: [] },
    { first: 1, last: 12, words: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"] },
    { first: 0, last: 7, words: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];
const daySeconds = 86_400;
/** Each combination of date and weekday occurs within 40 years. */
const mostDays = 41 * 366;

function value(text, { first, last, words }) {
    const word = words.indexOf(text.toLowerCase());
    if (word >= 0) return word + first;
    const number = /^\d{1,4}$/.test(text) ? Number(text) : -1;
    return number >= first && number <= last ? number : null;
}

/** The values of a field as a set, or `null`. */
function field(text, kind) {
    const found = new Set();
    for (const item of text.split(",")) {
        const [, range, step] = /^([^/]*)(?:\/(\d{1,4}))?$/.exec(item) ?? [];
        if (range === undefined || step !== undefined && Number(step) === 0) return null;
        const isWeekday = kind.last === 7;
        let [from, to] = [kind.first, isWeekday ? 6 : kind.last];
        if (range !== "*") {
            const [start, end] = range.split(/-(.*)/s);
            from = value(start, kind);
            to = end === undefined ? step === undefined ? from : kind.last : value(end, kind);
        }
        if (from === null || to === null || from > to) return null;
        for (let each = from; each <= to; each += Number(step ?? 1)) found.add(each);
    }
    if (kind.last === 7 && found.has(7)) found.add(0);
    return found;
}

/** The expression as sets of minutes, hours, days, months and weekdays; `null` if it is none. */
export function parse(text) {
    const words = text.trim().split(/\s+/);
    const fields = words[0].startsWith("@") && words.length === 1 ? shortForms[words[0].toLowerCase()]?.split(" ") : words;
    if (fields?.length !== 5 || text.length > 256) return null;
    const [minutes, hours, days, months, weekdays] = fields.map((each, at) => field(each, kinds[at]));
    if ([minutes, hours, days, months, weekdays].includes(null)) return null;
    return {
        minutes, hours, days, months, weekdays, isEveryHour: fields[1].startsWith("*"),
        isEveryDay: fields[2].startsWith("*"), isEveryWeekday: fields[4].startsWith("*"),
    };
}

function matches(cron, day) {
    const date = new Date(day * daySeconds * 1000);
    if (!cron.months.has(date.getUTCMonth() + 1)) return false;
    const [isDay, isWeekday] = [cron.days.has(date.getUTCDate()), cron.weekdays.has(date.getUTCDay())];
    return cron.isEveryDay || cron.isEveryWeekday ? isDay && isWeekday : isDay || isWeekday;
}

/** Whether the browser knows a time zone. */
export function isZone(name) {
    try {
        return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
    } catch {
        return false;
    }
}

/** A function that returns the seconds by which a zone is ahead of UTC at a time. */
function offsets(zone) {
    const reader = new Intl.DateTimeFormat("en", {
        timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric",
        second: "numeric",
    });
    return (seconds) => {
        const parts = Object.fromEntries(reader.formatToParts(new Date(seconds * 1000)).map(({ type, value: part }) => [type, Number(part)]));
        const local = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
        return local / 1000 - seconds;
    };
}

/** The times in UTC at which a local day has runs, in their order. A day has at most one change of the clock. */
function runsOf(cron, day, offset) {
    let [low, high] = [(day - 1) * daySeconds, (day + 2) * daySeconds];
    const [before, after] = [offset(low), offset(high)];
    while (before !== after && high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (offset(middle) === before) low = middle;
        else high = middle;
    }
    const runs = new Set();
    for (const hour of cron.hours) {
        for (const minute of cron.minutes) {
            const local = day * daySeconds + hour * 3600 + minute * 60;
            const [first, second] = [local - before, local - after];
            const [isFirst, isSecond] = [before === after || first < high, before !== after && second >= high];
            if (isFirst) runs.add(first);
            if (isSecond && (cron.isEveryHour || !isFirst)) runs.add(second);
            // A time that the clock skips runs at the change, except at regular intervals.
            if (!isFirst && !isSecond && !cron.isEveryHour) runs.add(high);
        }
    }
    return [...runs].sort((one, other) => one - other);
}

/** The next `count` runs after a moment, in milliseconds since 1970; fewer if there are no more. */
export function next(cron, zone, moment, count) {
    const offset = offsets(zone);
    const after = Math.floor(moment / 1000);
    const first = Math.floor((after + offset(after)) / daySeconds) - 1;
    const found = [];
    for (let day = first; day < first + mostDays && found.length < count; day += 1) {
        if (!matches(cron, day)) continue;
        for (const run of runsOf(cron, day, offset)) {
            if (run > after && run > (found.at(-1) ?? 0) && found.length < count) found.push(run);
        }
    }
    return found.map((run) => run * 1000);
}
