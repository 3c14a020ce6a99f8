// An import before it begins: what the user has chosen, the requests for it, and what a preview says about each row.
//
// A draft is `{file, name, size, lines, format, recordType, encoding, table, columns, timeZone, existing, maxRejected}`. `file` is the
// value of the upload, `lines` are the numbers of the lines at the beginning of a file that are not blank, `format` is that of the
// server. `encoding` (or `null`), `table` and `columns` are only what the user has set; the rest is the server's guess.

import { typeNames } from "./fields/kinds.js";
import { normalized } from "./fields/types.js";
import { t } from "./words.js";

/** What a column can become instead of a field. */
export const systemValues = [
    "recordName", "createdTimestamp", "createdUserRecordName", "modifiedTimestamp", "modifiedUserRecordName", "parent", "zoneName",
];
/** The types that a column can have: a cell has no file. */
export const columnTypes = typeNames.filter((each) => !each.startsWith("ASSET"));
export const encodings = [
    "utf-8", "utf-16le", "utf-16be", "windows-1252", "iso-8859-1", "iso-8859-15", "macintosh", "shift_jis", "euc-jp", "gb18030", "big5",
    "euc-kr", "windows-1251",
];
/** So much of a file's beginning is read here, in bytes. */
export const sampleBytes = 1 << 20;

/** The beginning of a file as text, without a byte order mark. */
function sampleText(bytes) {
    return new TextDecoder("utf-8").decode(bytes);
}

/** The format that a file has by its name or its first sign. */
export function guessedFormat(name, bytes) {
    if (/\.(jsonl|ndjson)$/i.test(name)) return "jsonLines";
    if (/\.(csv|tsv|tab|txt)$/i.test(name)) return "table";
    return /^\s*\{/.test(sampleText(bytes.subarray(0, 1024))) ? "jsonLines" : "table";
}

/** Whether the bytes are those of a workbook of Excel or Numbers, or of another archive. */
export function isArchive(bytes) {
    const begins = (...signs) => signs.every((sign, at) => bytes[at] === sign);
    return begins(0x50, 0x4B, 0x03, 0x04) || begins(0xD0, 0xCF, 0x11, 0xE0) || begins(0x1F, 0x8B);
}

/** The numbers of the lines that are not blank, from 1. */
export function lineNumbers(bytes) {
    return sampleText(bytes).split("\n").flatMap((line, at) => (line.trim() === "" ? [] : [at + 1]));
}

/** A draft for an uploaded file, of whose beginning `bytes` are known. */
export function makeDraft({ file, name, size, bytes, recordType }) {
    const format = guessedFormat(name, bytes);
    return {
        file, name, size, format, recordType, lines: format === "jsonLines" ? lineNumbers(bytes) : [], encoding: null, table: {}, columns: {}, timeZone: "",
        existing: "reject", maxRejected: "",
    };
}

// The mapping

/** The options that a column of a type can have. */
export function optionKeys({ type, as }) {
    if (as !== undefined) return as.endsWith("Timestamp") ? ["date", "timeZone"] : [];
    if (type === undefined) return [];
    const isList = type.endsWith("_LIST");
    const keys = {
        INT64: ["decimal", "thousands", "true", "false"], DOUBLE: ["decimal", "thousands"], TIMESTAMP: ["date", "timeZone"],
        REFERENCE: ["action"], LOCATION: isList ? ["decimal"] : ["decimal", "longitude"],
    }[type.replace(/_LIST$/, "")] ?? [];
    return isList ? [...keys, "separator"] : keys;
}

/** What becomes of the column, with those of its options that still have a meaning. */
function changed(entry, target) {
    const kept = optionKeys(target).filter((key) => entry[key] !== undefined).map((key) => [key, entry[key]]);
    return { column: entry.column, ...target, ...Object.fromEntries(kept) };
}

/** A field name for a column: its title without the signs that a name cannot have. */
export function fieldName(title) {
    const words = title.normalize("NFC").split(/[^\p{XID_Continue}]+/u).filter((word) => word !== "");
    const name = words.map((word, at) => (at === 0 ? word : word[0].toUpperCase() + word.slice(1))).join("");
    return /^\p{XID_Start}/u.test(name) && !systemValues.includes(name) ? name : `field${name[0]?.toUpperCase() ?? ""}${name.slice(1)}`;
}

/** What a column is now: `field`, `skip`, or a system value. */
export function targetOf({ field, as }) {
    return as ?? (field === undefined ? "skip" : "field");
}

/** Makes the column a field, a system value, or nothing. `known` are the type's fields, a `Map` from name to type. */
export function turned(entry, target, known) {
    if (target === "skip") return changed(entry, { skip: true });
    if (target !== "field") return changed(entry, { as: target });
    const field = known.has(entry.column) ? entry.column : fieldName(entry.column);
    return changed(entry, { field, type: known.get(field) ?? "STRING" });
}

/** Gives the column another field, which has its own type if the schema has it. */
export function renamed(entry, field, known) {
    return changed(entry, { field, type: known.get(field) ?? entry.type });
}

export function retyped(entry, type) {
    return changed(entry, { field: entry.field, type });
}

/** Sets the options of a column. Those without a value are left out. */
export function withOptions({ column, field, type, as }, options) {
    const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== "" && value.length !== 0);
    const target = as === undefined ? { field, type } : { as };
    return { column, ...target, ...Object.fromEntries(given) };
}

/** The server's mapping with what the user has changed in it; `null` if nothing of that concerns it. */
export function merged(mapping, { columns, timeZone }) {
    const isEdited = ({ column }) => Object.hasOwn(columns, column);
    if (!mapping.columns.some(isEdited) && timeZone === "") return null;
    return {
        ...mapping, ...(timeZone === "" ? {} : { timeZone }),
        columns: mapping.columns.map((each) => (isEdited(each) ? columns[each.column] : normalizedEntry(each))),
    };
}

function normalizedEntry(entry) {
    return entry.type === undefined ? entry : { ...entry, type: normalized(String(entry.type)) };
}

/** The entry of a column in a mapping. A column without one is left out. */
export function entryOf(entry, column) {
    return entry === undefined ? { column, skip: true } : normalizedEntry(entry);
}

// Requests

/** The body of `POST /imports/preview`. Without a mapping, the server guesses one, and the format if the user has set nothing of it. */
export function previewBody(draft, guess, mapping = null) {
    const { file, format, recordType, encoding, table } = draft;
    const isTable = format === "table";
    const known = guess?.table ?? {};
    return {
        file, format, recordType: recordType === "" ? undefined : recordType,
        encoding: isTable ? encoding ?? undefined : undefined,
        table: isTable && Object.keys(table).length > 0 ? { ...known, ...table } : undefined,
        mapping: mapping ?? undefined,
    };
}

/** What the guess depends on. */
function guessKey({ format, recordType, encoding, table }) {
    return JSON.stringify([format, recordType, encoding, Object.entries(table).sort()]);
}

/**
 * Asks for the preview of a draft: of its guess, then with the user's changes. `last` is the result before; a guess that does not depend
 * on what has changed is not asked for again. Returns `{key, guess, answer}`.
 */
export async function preview(draft, last, ask) {
    const key = guessKey(draft);
    const guess = last?.key === key ? last.guess : await ask(previewBody(draft, last?.guess));
    const mapping = draft.format === "table" ? merged(guess.mapping, draft) : null;
    return { key, guess, answer: mapping === null ? guess : await ask(previewBody(draft, last?.guess ?? guess, mapping)) };
}

/** The body of `POST /imports`, by the newest preview. */
export function importBody(draft, answer, isDryRun) {
    const { file, format, recordType, existing, maxRejected } = draft;
    return {
        file, format, ...(format === "table" ? { encoding: answer.encoding, table: answer.table, mapping: answer.mapping }
            : { recordType: recordType === "" ? undefined : recordType }),
        existing, dryRun: isDryRun || undefined, maxRejected: maxRejected === "" ? undefined : Number(maxRejected),
    };
}

/**
 * Does `work()` for the newest call only: `done(result)` and `failed(error)` of an earlier call are left out if a later one has begun.
 * Returns a function that begins it. Its promise is resolved when the newest call has ended.
 */
export function newest(work, { done, failed }) {
    let [turn, last] = [0, Promise.resolve()];
    return () => {
        turn += 1;
        const mine = turn;
        const isNewest = () => mine === turn;
        const own = (async () => {
            try {
                const result = await work();
                if (isNewest()) done(result);
            } catch (error) {
                if (isNewest()) failed(error);
            }
            if (!isNewest()) await last;
        })();
        last = own;
        return own;
    };
}

// The rows of a preview

const numberOf = (value) => (value === undefined ? undefined : Number(value));

/** Whether a row's cell can be the one that a problem quotes. The server quotes the beginnings of both. */
function isQuoted(cell, value) {
    const [text, quoted] = [cell ?? "", String(value ?? "")];
    return quoted.endsWith("…") ? text.startsWith(quoted.slice(0, -1)) : text === quoted;
}

/** The lines on which rows begin, as far as their cells show it: the server sends only the beginning of long cells. */
function firstLines({ table, columns, rows, problems }) {
    const breaks = (cells) => cells.reduce((sum, cell) => sum + ((cell ?? "").match(/\r\n|\n|\r/g) ?? []).length, 0);
    const without = new Set(problems.filter(({ column }) => column === undefined).map(({ line }) => numberOf(line)));
    let line = 1 + (table.separatorLine === true ? 1 : 0) + (table.header === false ? 0 : 1 + breaks(columns));
    return rows.map((cells) => {
        while (without.has(line)) line += 1;
        const first = line;
        line += 1 + breaks(cells);
        return first;
    });
}

/** The rows of a table: `{cells, record}`, or `{cells, problem}` for one that the import would reject. */
function tableRows(answer) {
    const { columns, rows, records, problems } = answer;
    const lines = firstLines(answer);
    const ofCells = problems.filter(({ line, column }) => line !== undefined && column !== undefined).slice(0, rows.length - records.length);
    const rejected = new Map();
    let [from, shift] = [0, 0];
    for (const problem of ofCells) {
        const column = columns.indexOf(problem.column);
        const places = rows.map((_, at) => at).filter((at) => at >= from && isQuoted(rows[at][column], problem.value));
        const place = places.find((at) => lines[at] + shift === numberOf(problem.line)) ?? places[0];
        if (place === undefined) break;
        rejected.set(place, problem);
        [from, shift] = [place + 1, numberOf(problem.line) - lines[place]];
    }
    let next = 0;
    return rows.map((cells, at) => {
        if (rejected.has(at)) return { cells, problem: rejected.get(at) };
        next += 1;
        return { cells, record: records[next - 1] };
    });
}

/** The lines of JSON in the order of the file, as far as `lines` tells it. */
function jsonRows({ records, problems }, lines) {
    const wrong = new Map(problems.map((problem) => [numberOf(problem.line), problem]));
    const rows = [];
    let next = 0;
    for (const line of lines) {
        if (wrong.has(line)) {
            rows.push({ problem: wrong.get(line) });
            wrong.delete(line);
        } else if (next < records.length) {
            rows.push({ record: records[next] });
            next += 1;
        }
        if (next === records.length && wrong.size === 0) break;
    }
    return [...rows, ...records.slice(next).map((record) => ({ record })), ...[...wrong.values()].map((problem) => ({ problem }))];
}

/**
 * What a preview shows: the `rows`, `ofColumns` with sentences by column, and `others`, the problems of further rows and of the file.
 * What was doubtful in the guess stays so until the user changes the column.
 */
export function readPreview(draft, { guess, answer }) {
    const rows = draft.format === "table" ? tableRows(answer) : jsonRows(answer, draft.lines);
    const placed = new Set(rows.map(({ problem }) => problem));
    const isOfColumn = ({ line, column }) => line === undefined && column !== undefined;
    const ofColumns = new Map();
    for (const { column, reason } of guess.problems.filter(isOfColumn)) {
        if (!Object.hasOwn(draft.columns, column)) ofColumns.set(column, reason);
    }
    return { rows, ofColumns, others: answer.problems.filter((problem) => !placed.has(problem) && !isOfColumn(problem)) };
}

/** What is wrong, with its line if the server's sentence does not name it. */
export function sentence({ reason, line }) {
    return line === undefined || reason.includes(`line ${line}`) ? reason : t("Line {line}: {sentence}", { line: Number(line), sentence: reason });
}

/** The columns of the records in a preview: `[{name, type, column?}]`, where `column` is that of the file. */
export function previewColumns(draft, { mapping, records }) {
    if (draft.format === "table") {
        const used = mapping.columns.map(normalizedEntry).filter(({ skip }) => skip !== true);
        const named = ({ as }) => as === "recordName";
        return [...used.filter(named), ...used.filter((each) => !named(each))]
            .map(({ column, field, type, as }) => ({ name: field ?? as, type, column, isSystem: as !== undefined }));
    }
    const names = new Set(records.flatMap((record) => Object.keys(record.fields ?? {})));
    const system = systemValues.slice(0, 3).filter((name) => records.some((record) => systemText(record, name) !== undefined));
    const types = new Set(records.map(({ recordType }) => recordType ?? draft.recordType));
    return [...system, ...(types.size > 1 ? ["recordType"] : [])].map((name) => ({ name, isSystem: true }))
        .concat([...names].map((name) => ({ name, isSystem: false })));
}

/** A system value of a record that does not exist yet. */
export function systemText(record, name) {
    switch (name) {
    case "recordName": case "recordType": return record[name];
    case "createdTimestamp": return record.created?.timestamp;
    case "createdUserRecordName": return record.created?.userRecordName;
    case "modifiedTimestamp": return record.modified?.timestamp;
    case "modifiedUserRecordName": return record.modified?.userRecordName;
    case "parent": return record.parent?.recordName;
    default: return record.zoneID?.zoneName;
    }
}

// The draft of the last dry run

let kept = null;

/** Keeps the draft of a dry run, so that the import can follow without another upload. */
export function keep(job, draft, last) {
    kept = { job, draft, last };
}

/** The draft of the dry run with this job, `{draft, last}`; `null` if the page was loaded again since. */
export function keptFor(job) {
    return kept?.job === job ? kept : null;
}
