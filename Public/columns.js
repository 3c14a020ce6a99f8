// The columns of a type's table: which ones, in which order and how wide, kept on this device.

const stem = "fogbase.columns.";

/** The columns of each record that are no fields, with their types. */
export const systemColumns = new Map([
    ["modifiedTimestamp", "TIMESTAMP"], ["createdTimestamp", "TIMESTAMP"], ["createdUserRecordName", "USER"],
    ["modifiedUserRecordName", "USER"],
]);
/** Hidden unless chosen. The first one is shown at first if the table has room for it. */
const hiddenAtFirst = ["createdUserRecordName", "createdTimestamp", "modifiedUserRecordName"];

/** The settings of a type: `{order: [name], hidden: [name], widths: {name: pixels}}`, and `isFirst` if none were chosen. */
export function settings(typeName) {
    const plain = { order: [], hidden: hiddenAtFirst, widths: {} };
    try {
        if (localStorage.getItem(stem + typeName) === null) return { ...plain, isFirst: true };
        return { ...plain, ...JSON.parse(localStorage.getItem(stem + typeName)) };
    } catch {
        return plain;
    }
}

/** The settings with as many columns as have room. `isRoomFor(settings)` returns whether a table with these columns fits. */
export function fitted(settings, isRoomFor) {
    if (settings.isFirst !== true) return settings;
    const more = { ...settings, hidden: hiddenAtFirst.slice(1) };
    return isRoomFor(more) ? more : { ...settings, hidden: hiddenAtFirst };
}

export function keep(typeName, { order, hidden, widths }) {
    localStorage.setItem(stem + typeName, JSON.stringify({ order, hidden, widths }));
}

export function reset(typeName) {
    localStorage.removeItem(stem + typeName);
}

/** All columns in the chosen order, as `[{name, type, isHidden}]`. `fields` is a `Map` from name to type; new fields come last. */
export function arranged(fields, { order, hidden }) {
    const all = new Map([...fields, ...systemColumns]);
    const names = [...order.filter((name) => all.has(name)), ...[...all.keys()].filter((name) => !order.includes(name))];
    return names.map((name) => ({ name, type: all.get(name), isHidden: hidden.includes(name) }));
}

/** The width in pixels for these texts: about that of the longest, within limits. Letters of Asian scripts are twice as wide. */
export function width(title, texts) {
    const length = (text) => [...text].reduce((sum, sign) => sum + (sign.codePointAt(0) > 0x2E7F ? 2 : 1), 0);
    const longest = Math.max(0, ...texts.map(length));
    return Math.round(Math.min(320, Math.max(64, longest * 7 + 26, length(title) * 7 + 58)));
}

/** A long name with its middle left out: both ends tell names apart. */
export function shortName(name) {
    const signs = [...name];
    return signs.length <= 20 ? name : `${signs.slice(0, 8).join("")}…${signs.slice(-8).join("")}`;
}
