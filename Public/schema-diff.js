// The differences between two schemas, in the form of `GET /schema`: what is added, changed and removed.

import { normalized } from "./fields/types.js";

const rights = ["CREATE", "READ", "WRITE"];

/** The type that a field has, or gets when the server has checked its records. */
function fieldType({ type, widening }) {
    return normalized(String(widening?.state === "building" ? widening.to : type));
}

function inOrder(words) {
    return [...words].sort((one, other) => rights.indexOf(one) - rights.indexOf(other) || (one < other ? -1 : 1)).join(", ");
}

/** The entries of an access list, sorted, as one text. */
function listText(list) {
    return Object.entries(list).map(([name, allowed]) => `${name}: ${[...allowed].sort().join(", ")}`).sort().join("; ");
}

/**
 * The parts of a type: `{kind, name, text}`, where `name` with `kind` identifies the part and `text` is its state. Kinds are `field`,
 * `marks` (the index options of a field), `index`, and those of the rights: `grant`, `reads`, `writes`, `list` and `required`.
 */
function partsOf(type) {
    const parts = new Map();
    const add = (kind, name, text) => parts.set(`${kind} ${name} ${kind === "index" ? text : ""}`, { kind, name, text });
    const fields = Object.entries(type.fields ?? {});
    for (const [name, field] of fields) add("field", name, fieldType(field));
    for (const [name, { indexes = [] }] of fields) if (indexes.length > 0) add("marks", name, [...indexes].sort().join(", "));
    for (const { fields: columns = [], unique } of type.indexes ?? []) add("index", columns.join(", "), unique === true ? "UNIQUE" : "");
    for (const [role, words] of Object.entries(type.grants ?? {})) {
        if (Array.isArray(words) && words.length > 0) add("grant", role, inOrder(words));
    }
    for (const [name, { read, write }] of fields) {
        if (Array.isArray(read)) add("reads", name, [...read].sort().join(", "));
        if (Array.isArray(write)) add("writes", name, [...write].sort().join(", "));
    }
    if (type.acl !== null && typeof type.acl === "object") add("list", "", listText(type.acl));
    if (type.aclRequired === true) add("required", "", "");
    return parts;
}

/** The column of an index with the new name of its field: `-title[cd]` becomes `-headline[cd]`. */
function renamedColumn(column, names) {
    const [, sign, name, words] = /^(-?)([^[]*)(.*)$/s.exec(column);
    return `${sign}${names.get(name) ?? name}${words}`;
}

/** The new names by the old ones: of what has an old name among its earlier names, and is not there under the old one. */
function newNames(before, after) {
    const pairs = Object.keys(after).filter((name) => own(before, name) === undefined).flatMap((name) => {
        const old = (after[name].formerly ?? []).findLast((each) => own(before, each) !== undefined && own(after, each) === undefined);
        return old === undefined ? [] : [[old, name]];
    });
    return new Map(pairs);
}

/** A type whose fields have their new names. */
function renamedFields(type, names) {
    if (names.size === 0) return type;
    return {
        ...type,
        fields: Object.fromEntries(Object.entries(type.fields ?? {}).map(([name, field]) => [names.get(name) ?? name, field])),
        indexes: (type.indexes ?? []).map((index) => ({ ...index, fields: index.fields.map((each) => renamedColumn(each, names)) })),
    };
}

const kinds = ["type", "name", "field", "marks", "index", "grant", "reads", "writes", "list", "required"];
const rightKinds = new Set(kinds.slice(5));

/** Types may have names such as `constructor`. */
function own(object, name) {
    return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Whether a difference is one of permissions. */
export function isOfRights({ kind }) {
    return rightKinds.has(kind);
}

/** Whether an existing type or field keeps this permission, if the rights are kept. */
function isKept({ kind, name }, before) {
    return kind === "reads" || kind === "writes" ? own(before.fields ?? {}, name) !== undefined : rightKinds.has(kind);
}

/**
 * The differences between the types of two schemas: `[{change, type, kind, name, before?, after?}]`, sorted by type and kind. `change` is
 * `added`, `changed` or `removed`. A type that comes or goes has a difference of the kind `type`, and one for each of its parts. With
 * `keepsRights`, those of permissions that existing types and fields keep are left out. A type or field with another name has a
 * difference of the kind `name`, and otherwise counts as the same.
 */
export function differences(earlier, after, { keepsRights = false } = {}) {
    const types = newNames(earlier, after);
    const before = Object.fromEntries(Object.entries(earlier).map(([name, type]) => [types.get(name) ?? name, type]));
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((type) => {
        const [old, now] = [own(before, type), own(after, type)];
        const found = old === undefined ? [{ change: "added", type, kind: "type", name: type }]
            : now === undefined ? [{ change: "removed", type, kind: "type", name: type }] : [];
        const fields = newNames(old?.fields ?? {}, now?.fields ?? {});
        for (const [was, name] of types) if (name === type) found.push({ change: "changed", type, kind: "name", name: "", before: was, after: name });
        for (const [was, name] of fields) found.push({ change: "changed", type, kind: "name", name, before: was, after: name });
        const [oldParts, newParts] = [partsOf(renamedFields(old ?? {}, fields)), partsOf(now ?? {})];
        for (const key of new Set([...oldParts.keys(), ...newParts.keys()])) {
            const [was, is] = [oldParts.get(key), newParts.get(key)];
            const { kind, name } = is ?? was;
            if (was?.text === is?.text) continue;
            if (keepsRights && old !== undefined && isKept({ kind, name }, old)) continue;
            const change = was === undefined ? "added" : is === undefined ? "removed" : "changed";
            found.push({ change, type, kind, name, ...(was && { before: was.text }), ...(is && { after: is.text }) });
        }
        return found.sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
    });
}

/** The numbers of the differences: `{added, changed, removed}`. */
export function counts(list) {
    const of = (wanted) => list.filter(({ change }) => change === wanted).length;
    return { added: of("added"), changed: of("changed"), removed: of("removed") };
}

/** Whether a change with these differences asks first: something goes, or permissions change. */
export function asksFirst(list) {
    return list.some((each) => each.change === "removed" || (isOfRights(each) && !list.some(({ change, kind, type }) =>
        kind === "type" && change === "added" && type === each.type)));
}

/**
 * The differences by which existing fields lose an index: those of the kind `index`, and of the kind `marks` with the options that go in
 * `lost`. An index that is replaced by one with the same columns is not lost, unless it prevented duplicates.
 */
export function lostIndexes(list) {
    const isGone = ({ type, name }, kind) => list.some((other) => other.change === "removed" && other.type === type && other.kind === kind
        && (kind === "type" || other.name === name));
    return list.filter((each) => !isGone(each, "type")).flatMap((each) => {
        const { change, type, kind, name, before = "", after = "" } = each;
        if (kind === "index" && change === "removed") {
            const isReplaced = before !== "UNIQUE" && list.some((other) => other.change === "added" && other.kind === "index"
                && other.type === type && other.name === name);
            return isReplaced ? [] : [each];
        }
        if (kind !== "marks" || isGone(each, "field")) return [];
        const lost = before.split(", ").filter((word) => word !== "" && !after.split(", ").includes(word));
        return lost.length === 0 ? [] : [{ ...each, lost }];
    });
}

/** The types of a schema after a promotion, as far as the two schemas show: `Users` stays in production. */
export function promoted(production, development) {
    const stays = own(production, "Users") !== undefined && own(development, "Users") === undefined;
    return stays ? { ...development, Users: production.Users } : development;
}
