// When keys and invitations expire: presets and days of the local calendar.

export const day = 86_400_000; // milliseconds

/** The last millisecond of a day such as `2026-03-01` in the browser's time zone, or `null` for another text. */
export function endOfDay(text) {
    const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
    if (parts === null) return null;
    const [year, month, date] = parts.slice(1).map(Number);
    const moment = new Date(2000, 0, 1, 23, 59, 59, 999);
    moment.setFullYear(year, month - 1, date);
    return moment.getMonth() === month - 1 && moment.getDate() === date ? moment.getTime() : null;
}

/** The local day of a moment, as a date input requires. */
export function dayText(milliseconds) {
    const moment = new Date(milliseconds);
    const two = (number) => String(number).padStart(2, "0");
    return `${String(moment.getFullYear()).padStart(4, "0")}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** The text for `expiresIn` of a request, for a moment in the future. */
export function secondsUntil(milliseconds, now) {
    return `${Math.max(1, Math.ceil((milliseconds - now) / 1000))}s`;
}
