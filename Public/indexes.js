// The indexes in the schema document: the options of fields, and changes of one type within the whole document.

import * as api from "./api.js";
import { normalized } from "./fields/types.js";
import { parse } from "./json.js";
import { t } from "./words.js";

const unmarked = new Set(["BYTES", "ASSET"]);

/** The index options that a field of this type can have. */
export function marks(typeName) {
    const type = normalized(String(typeName));
    if (unmarked.has(type.replace(/_LIST$/, ""))) return [];
    const isSortable = !type.endsWith("_LIST") && type !== "REFERENCE" && type !== "LOCATION";
    const isText = type === "STRING" || type === "STRING_LIST";
    return ["QUERYABLE", ...isSortable ? ["SORTABLE"] : [], ...isText ? ["SEARCHABLE"] : []];
}

/** `-timestamp` is a column in descending order, and `title[cd,contains]` one with the parts of texts. */
export const column = /^-?\p{XID_Start}\p{XID_Continue}*(\[[a-z,]+\])?$/u;

export function columns(text) {
    return text.split(/,(?![^[]*\])/u).map((part) => part.trim()).filter((part) => part !== "");
}

export function title(index) {
    return (index.fields ?? []).join(", ");
}

export function isSame(one, other) {
    return title(one) === title(other) && (one.unique === true) === (other.unique === true);
}

/** The columns of the index that a rejected query lacks, or `null`. The server's sentence contains them. */
export function missing({ details, message }) {
    if (details?.cause !== "NOT_INDEXED") return null;
    const text = /"fields":(\[.*?"\])/.exec(message)?.[1];
    const found = text === undefined ? null : parse(text);
    return found ?? (typeof details.field === "string" ? [details.field] : null);
}

/**
 * The type's index with these columns as `{state?, built?, reason?}`, or `undefined`. Options of a field make an index on it alone, for
 * both directions.
 */
export function find(type, fields) {
    const found = type.indexes.find((each) => each.unique !== true && title(each) === title({ fields }));
    if (found !== undefined || fields.length !== 1) return found;
    const field = type.fields[fields[0].replace(/^-/, "")];
    return (field?.indexes ?? []).some((mark) => mark !== "SEARCHABLE") ? field : undefined;
}

/** The fields of a type with index options, as `[name, field]`. Each counts as an index. */
export function ofFields(type) {
    return Object.entries(type.fields).filter(([, field]) => (field.indexes ?? []).length > 0);
}

/**
 * The index that the server's advice names for a costly query, if the type has it, ready or not; otherwise `undefined`. A query that was
 * rejected for its sort needs an index of its own, which a field with QUERYABLE alone does not give.
 */
export function helping({ index: fields, refused }, type) {
    const found = type === undefined || !Array.isArray(fields) ? undefined : find(type, fields);
    const isEnough = found === undefined || Number(refused) === 0 || found.state !== undefined || type.indexes.includes(found);
    return isEnough ? found : undefined;
}

/** The number of indexes of a type: those of its fields' options, and its own. */
export function count(type) {
    return ofFields(type).length + type.indexes.length;
}

/** The indexes of these types that are not ready: `[{type, title, index}]`. */
export function unready(types) {
    const isUnready = ({ state }) => state !== undefined && state !== "ready";
    return types.flatMap((type) => [
        ...Object.entries(type.fields).filter(([, field]) => isUnready(field)).map(([name, index]) => ({ type: type.name, title: name, index })),
        ...type.indexes.filter(isUnready).map((index) => ({ type: type.name, title: title(index), index })),
    ]);
}

/** The index options of a field that make the index with this title; an empty list if they do not. */
function marksOf(type, text) {
    const [, name, isOfWords] = /^-?(.+?)(\[words\])?$/.exec(text) ?? [];
    const wanted = isOfWords === undefined ? ["QUERYABLE", "SORTABLE"] : ["SEARCHABLE"];
    return { name, marks: (type.fields[name]?.indexes ?? []).filter((mark) => wanted.includes(mark)) };
}

/**
 * The indexes that no query has used: `[{type, title, entries, bytes, field?, marks?}]`, the largest first. `report` are the types of
 * `GET /storage`. Those with options of a field have `field` and `marks`. Left out are those that prevent duplicates or are not ready,
 * and those that the server has for itself.
 */
export function unused(types, report) {
    const found = report.flatMap(({ name, indexes: listed }) => {
        const type = types.find((each) => each.name === name);
        if (type === undefined) return [];
        return listed.filter(({ uses }) => Number(uses) === 0).flatMap(({ fields, entries, bytes }) => {
            const text = title({ fields });
            const own = type.indexes.filter((each) => title(each) === text);
            const { name: field, marks: options } = marksOf(type, text);
            const isReady = [...own, ...(type.fields[field] === undefined ? [] : [type.fields[field]])]
                .every(({ state }) => state === undefined || state === "ready");
            if (own.some(({ unique }) => unique === true) || !isReady || (own.length === 0 && options.length === 0)) return [];
            return [{ type: name, title: text, entries, bytes, ...(own.length === 0 && { field, marks: options }) }];
        });
    });
    return found.sort((one, other) => Number(other.bytes ?? 0) - Number(one.bytes ?? 0));
}

/** Removes an index that `unused` has found from the entry of its type in the schema. */
export function remove(entry, { title: text, field, marks: options }) {
    if (field === undefined) entry.indexes = entry.indexes.filter((each) => title(each) !== text || each.unique === true);
    else entry.fields[field].indexes = entry.fields[field].indexes.filter((mark) => !options.includes(mark));
}

/** The progress of an index, for people; an empty string if it is ready. */
export function stateText({ state, built, reason }) {
    switch (state) {
    case undefined: case "ready": return "";
    case "building": return built === undefined ? t("building") : t("building, {count} records so far", { count: Number(built) });
    case "failed": return reason === undefined ? t("failed")
        : t("failed: {reason}", { reason: reason.replace(/add the index again/, t("press “Try again”")) });
    default: return String(state);
    }
}

export function isBuilding(type) {
    return [...Object.values(type.fields), ...type.indexes].some(({ state }) => state === "building");
}

/**
 * What takes back the indexes that came between two states of a type, as a function of the schema's entry of the type; `null` if none
 * came.
 */
export function undoing(before, after) {
    const added = after.indexes.filter((index) => !before.indexes.some((each) => isSame(each, index)));
    const fields = Object.entries(after.fields).flatMap(([name, { indexes = [] }]) => {
        const former = before.fields[name]?.indexes ?? [];
        return indexes.some((word) => !former.includes(word)) ? [[name, indexes.filter((word) => former.includes(word))]] : [];
    });
    if (added.length === 0 && fields.length === 0) return null;
    return (entry) => {
        entry.indexes = entry.indexes.filter((each) => !added.some((index) => isSame(each, index)));
        for (const [name, words] of fields) if (entry.fields[name] !== undefined) entry.fields[name].indexes = words;
    };
}

/** Reads the current schema, lets `edit` change the entry of this type, and puts the whole document. */
export async function change(typeName, edit) {
    const document = await api.schemaDocument();
    const type = document.types[typeName];
    if (type === undefined) throw new Error(t("The type {type} does not exist.", { type: typeName }));
    type.fields ??= {};
    type.indexes ??= [];
    edit(type);
    await api.putSchema(document);
}
