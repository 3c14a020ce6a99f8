// The conditions of the filter builder: their text in the server's predicate syntax, and back.

import { field, quoted, time } from "./conditions.js";
import { t } from "./words.js";

const number = "-?\\d+(?:\\.\\d+)?(?:e[-+]?\\d+)?";
const string = "'((?:[^'\\\\]|\\\\.)*)'";

/** What a text in quotes says. */
function unquoted(text) {
    const signs = { n: "\n", r: "\r", t: "\t" };
    return text.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, code, sign) => (code === undefined ? signs[sign] ?? sign
        : String.fromCharCode(Number.parseInt(code, 16))));
}

/** `2026-03-01T14:05:09` in the user's time zone, as a `datetime-local` input requires. */
function localInput(date) {
    const two = (value) => String(value).padStart(2, "0");
    return `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
        + `T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The kinds of values: how one is written, `null` while it is incomplete, and the pattern that reads it. */
const values = {
    none: { count: 0, write: () => "", pattern: "", read: () => [] },
    text: { count: 1, write: ([text]) => some(text, quoted), pattern: string, read: ([text]) => [unquoted(text)] },
    exactText: { count: 1, write: ([text]) => quoted(text), pattern: string, read: ([text]) => [unquoted(text)] },
    number: { count: 1, write: ([text]) => numeric(text), pattern: `(${number})`, read: (found) => found },
    pair: {
        count: 2, pattern: `\\{(${number}), (${number})\\}`, read: (found) => found,
        write: (texts) => (texts.some((text) => numeric(text) === null) ? null : `{${texts.map(numeric).join(", ")}}`),
    },
    days: {
        count: 1, write: ([text]) => (/^\d{1,6}$/.test(text) ? `now() - ${text} days` : null),
        pattern: "now\\(\\) - (\\d+) days", read: (found) => found,
    },
    moment: {
        count: 1, pattern: "date\\('([^']*)'\\)", read: ([text]) => [localInput(new Date(text))],
        write: ([text]) => (Number.isNaN(Date.parse(text)) ? null : time(Date.parse(text))),
    },
    reference: {
        count: 1, write: ([text]) => some(text, (name) => `ref(${quoted(name)})`),
        pattern: `ref\\(${string}\\)`, read: ([text]) => [unquoted(text)],
    },
    user: { count: 1, write: ([text]) => some(text, quoted), pattern: string, read: ([text]) => [unquoted(text)] },
    member: {
        count: 1, write: ([text]) => some(text, (member) => `{${quoted(member)}}`),
        pattern: `\\{${string}\\}`, read: ([text]) => [unquoted(text)],
    },
};

function some(text, write) {
    return text === "" ? null : write(text);
}

function numeric(text) {
    const written = text.trim().replace(/^\u2212/, "-");
    return new RegExp(`^${number}$`, "i").test(written) ? written : null;
}

/** `{f}` and `{v}` in `form` are the field and the value. */
const operator = (key, title, value, form) => ({ key, title, value, form });
const absence = [
    operator("set", t("has a value"), "none", "{f} != NULL"), operator("unset", t("has no value"), "none", "{f} == NULL"),
];
const sets = {
    text: [
        // First an operator without an empty value: a new line is no condition yet.
        operator("contains", t("contains"), "text", "{f} CONTAINS[cd] {v}"),
        operator("is", t("is"), "exactText", "{f} == {v}"), operator("not", t("is not"), "exactText", "{f} != {v}"),
        operator("begins", t("begins with"), "text", "{f} BEGINSWITH {v}"),
        operator("ends", t("ends with"), "text", "{f} ENDSWITH {v}"),
        ...absence,
    ],
    name: [operator("is", t("is"), "text", "{f} == {v}"), operator("begins", t("begins with"), "text", "{f} BEGINSWITH {v}")],
    number: [
        operator("is", "=", "number", "{f} == {v}"), operator("not", "≠", "number", "{f} != {v}"),
        operator("more", ">", "number", "{f} > {v}"), operator("least", "≥", "number", "{f} >= {v}"),
        operator("less", "<", "number", "{f} < {v}"), operator("most", "≤", "number", "{f} <= {v}"),
        operator("between", t("between"), "pair", "{f} BETWEEN {v}"), ...absence,
    ],
    time: [
        operator("last", t("in the last … days"), "days", "{f} >= {v}"), operator("since", t("since"), "moment", "{f} >= {v}"),
        operator("before", t("before"), "moment", "{f} < {v}"), ...absence,
    ],
    reference: [
        operator("is", t("refers to"), "reference", "{f} == {v}"),
        operator("not", t("does not refer to"), "reference", "{f} != {v}"), ...absence,
    ],
    user: [operator("is", t("is"), "user", "{f} == {v}"), operator("not", t("is not"), "user", "{f} != {v}")],
    texts: [
        operator("has", t("has the member"), "text", "{f} CONTAINS {v}"),
        operator("lacks", t("lacks the member"), "member", "NONE {f} IN {v}"), ...absence,
    ],
    numbers: [operator("has", t("has the member"), "number", "{f} CONTAINS {v}"), ...absence],
    other: absence,
};
const families = {
    STRING: "text", NAME: "name", INT64: "number", DOUBLE: "number", TIMESTAMP: "time", REFERENCE: "reference", USER: "user",
    STRING_LIST: "texts", INT64_LIST: "numbers", DOUBLE_LIST: "numbers",
};

/** The system fields that conditions can name, with their types. */
export const systemFields = new Map([
    ["recordName", "NAME"], ["createdTimestamp", "TIMESTAMP"], ["modifiedTimestamp", "TIMESTAMP"],
    ["createdUserRecordName", "USER"], ["modifiedUserRecordName", "USER"],
]);

/** The fields of a type and the system's, as a `Map` from name to type. */
export function filterable(fields) {
    return new Map([...fields, ...systemFields]);
}

/** The operators for a type: `[{key, title, value}]`, where `value` is a kind of value. */
export function operators(type) {
    return sets[families[type] ?? "other"];
}

/** The number of values that an operator takes. */
export function valueCount({ value }) {
    return values[value].count;
}

/** The text of a row `{field, operator, values}`, `null` while it is incomplete. `types` is the result of `filterable`. */
export function clause(row, types) {
    const found = operators(types.get(row.field)).find(({ key }) => key === row.operator);
    if (found === undefined) return null;
    const value = values[found.value].write(row.values);
    return value === null ? null : found.form.replace("{f}", () => field(row.field)).replace("{v}", () => value);
}

/** The condition that all complete rows are true; an empty text if there is none. */
export function condition(rows, types) {
    return rows.map((row) => clause(row, types)).filter((text) => text !== null).join(" AND ");
}

/** The parts of a text between the `AND`s that are in no quotes, braces or parentheses. */
function conjuncts(text) {
    const parts = [];
    let [start, depth, isQuoted] = [0, 0, false];
    for (let at = 0; at < text.length; at += 1) {
        const sign = text[at];
        if (isQuoted) {
            if (sign === "\\") at += 1;
            else if (sign === "'") isQuoted = false;
        } else if (sign === "'") {
            isQuoted = true;
        } else if ("({".includes(sign)) {
            depth += 1;
        } else if (")}".includes(sign)) {
            depth -= 1;
        } else if (depth === 0 && text.startsWith(" AND ", at)) {
            parts.push(text.slice(start, at));
            start = at + 5;
        }
    }
    return [...parts, text.slice(start)];
}

/** The pattern of an operator, with the field as its first group. */
function pattern({ form, value }) {
    const escaped = form.replace(/[[\]]/g, "\\$&");
    const name = "#?([\\p{L}_][\\p{L}\\p{M}\\p{N}_]*)";
    return new RegExp(`^${escaped.replace("{f}", name).replace("{v}", () => values[value].pattern)}$`, "u");
}

function rowOf(text, types) {
    for (const [name, type] of types) {
        for (const each of operators(type)) {
            const found = pattern(each).exec(text);
            if (found?.[1] === name) return { field: name, operator: each.key, values: values[each.value].read(found.slice(2)) };
        }
    }
    return null;
}

/** The rows for a text that the builder wrote; `null` for other texts. */
export function rows(text, types) {
    if (text === "") return [];
    const found = conjuncts(text).map((part) => rowOf(part, types));
    return found.includes(null) || condition(found, types) !== text ? null : found;
}
