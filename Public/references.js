// The targets of references: their type and title, and which types can refer to a record.

import * as api from "./api.js";
import { field as fieldName, quoted } from "./conditions.js";
import * as schema from "./schema.js";

/** A reference does not say the type of its target. At most so many types are asked for a name. */
const mostTypes = 40;
const together = 6; // requests at a time
/** So many records of a type are read to find one by a title that no index has. */
const mostRead = 500;
const mostFound = 8;

let known = new Map(); // record name → {recordName, recordType, title}
let loading = Promise.resolve();
let lists = new Map(); // type → a promise of its first records, in which titles are found without an index

/** Drops what is known, since others may have changed it. */
export function forget() {
    known = new Map();
    loading = Promise.resolve();
    lists = new Map();
}

/** The fields of a type that refer to records. */
function fieldsOf(typeName) {
    return [...schema.fields(typeName)].filter(([, type]) => /^REFERENCE(_LIST)?$/.test(type ?? "")).map(([name]) => name);
}

/** The field whose text is the title of a type's records: the first one with text, if none has the name of a title. */
export function titleField(fields) {
    const texts = [...fields].filter(([, type]) => type === "STRING").map(([name]) => name);
    return texts.find((name) => /^(title|name)$/i.test(name)) ?? texts[0];
}

/** The title of a record, or `null` if it has none. `fields` are those of its type. */
export function titleOf(record, fields) {
    const written = record.fields?.[titleField(fields)];
    const value = written !== null && typeof written === "object" ? written.value : written;
    return typeof value === "string" && value.trim() !== "" ? value : null;
}

function keep(record) {
    const { recordName, recordType } = record;
    const target = { recordName, recordType, title: titleOf(record, schema.fields(recordType)) };
    known.set(recordName, target);
    return target;
}

/** The names to which a record refers. */
export function namesIn(record, fields) {
    return fields.flatMap((field) => [record.fields?.[field]?.value ?? []].flat()).map((each) => each?.recordName)
        .filter((name) => typeof name === "string");
}

/**
 * The targets of all references of these records, as a `Map` from record name; `null` for a target that does not exist or that the caller
 * may not read. If they cannot be read, the `Map` lacks them.
 */
export function targetsOf(typeName, records, signal) {
    const fields = fieldsOf(typeName);
    const from = records.filter((record) => namesIn(record, fields).length > 0);
    const found = from.length === 0 ? Promise.resolve(new Map()) : load(typeName, fields, from, signal);
    loading = found.catch(() => {});
    return found;
}

async function load(typeName, fields, records, signal) {
    let expanded;
    try {
        const answer = await api.query({
            recordType: typeName, where: `recordName IN {${records.map(({ recordName }) => quoted(recordName)).join(", ")}}`,
            fields, expand: fields, limit: records.length,
        }, signal);
        expanded = answer.expanded?.records ?? [];
    } catch {
        return new Map(); // Too many targets, or a type that has just vanished: the names are enough.
    }
    const result = new Map(records.flatMap((record) => namesIn(record, fields)).map((name) => [name, null]));
    for (const record of expanded) result.set(record.recordName, keep(record));
    return result;
}

/** The types in the order in which a field's targets are likely: first that of another target, then those with a similar name. */
export function likelyTypes(field, first) {
    const names = schema.all().map(({ name }) => name);
    const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "").replace(/(ids?|refs?)$/, "").replace(/s$/, "");
    const rank = (name) => (name === first ? 0 : plain(name) === plain(field) ? 1 : plain(field).endsWith(plain(name)) ? 2 : 3);
    return names.sort((one, other) => rank(one) - rank(other));
}

/** The target with this name, `{recordName, recordType, title}`; `null` if there is none, `undefined` if that is unknown. */
export async function find(recordName, types, signal) {
    await loading;
    if (known.has(recordName)) return known.get(recordName);
    if (recordName === "" || recordName === "." || recordName === "..") return null;
    for (let at = 0; at < Math.min(types.length, mostTypes); at += at === 0 ? 1 : together) {
        const some = types.slice(at, at === 0 ? 1 : Math.min(mostTypes, at + together));
        const found = await Promise.all(some.map((type) => read(type, recordName, signal)));
        const record = found.find((each) => each !== null);
        if (record !== undefined) return keep(record);
    }
    return types.length === 0 || types.length > mostTypes ? undefined : null;
}

async function read(type, recordName, signal) {
    try {
        return await api.read(type, recordName, signal);
    } catch (error) {
        if (error instanceof api.Refusal && [403, 404].includes(error.status)) return null;
        throw error;
    }
}

/** Whether an index serves conditions on a field of a type. A query without one would add it, or be rejected. */
function hasIndex(typeName, field) {
    const type = schema.type(typeName);
    const has = (list) => (list ?? []).some((each) => ["QUERYABLE", "SORTABLE"].includes(each));
    return has(type.fields[field]?.indexes) || type.indexes.some(({ fields }) => fields?.[0]?.replace(/^-/, "") === field);
}

/** Records of a type whose name or title begins with a text, as `[{recordName, recordType, title}]`. It adds no index. */
export async function search(typeName, text, signal) {
    const fields = schema.fields(typeName);
    const title = titleField(fields);
    const wanted = title === undefined ? [] : [title];
    const ask = async (where, limit = mostFound) => {
        const { records } = await api.query({ recordType: typeName, where, fields: wanted, limit }, signal);
        return records.map(keep);
    };
    if (text === "") return ask(undefined);
    const byName = ask(`recordName BEGINSWITH ${quoted(text)}`);
    if (title === undefined) return byName;
    const plain = (each) => each.toLocaleLowerCase();
    const byTitle = hasIndex(typeName, title) ? ask(`${fieldName(title)} BEGINSWITH ${quoted(text)}`)
        : firstOf(typeName, ask).then((all) => all.filter((each) => plain(each.title ?? "").includes(plain(text))));
    const found = new Map((await Promise.all([byTitle.catch(() => []), byName])).flat().map((each) => [each.recordName, each]));
    return [...found.values()].slice(0, mostFound);
}

/** The first records of a type, read once for all keys that are typed. A failure is not kept. */
function firstOf(typeName, ask) {
    if (!lists.has(typeName)) {
        const list = ask(undefined, mostRead);
        lists.set(typeName, list);
        list.catch(() => lists.delete(typeName));
    }
    return lists.get(typeName);
}

/**
 * The fields that may refer to a record, as `[{type, field, where, isIndexed}]`. The record of a user is also that of the creator of others;
 * these have an index.
 */
export function referring(recordType, recordName) {
    return schema.all().flatMap(({ name: type }) => [
        ...(recordType !== "Users" || type === "Users" ? [] : [{
            type, field: "createdUserRecordName", isIndexed: true, where: `createdUserRecordName == ${quoted(recordName)}`,
        }]),
        ...fieldsOf(type).map((field) => ({
            type, field, isIndexed: hasIndex(type, field),
            where: `${fieldName(field)} ${schema.fields(type).get(field) === "REFERENCE" ? "==" : "CONTAINS"} ref(${quoted(recordName)})`,
        })),
    ]);
}
