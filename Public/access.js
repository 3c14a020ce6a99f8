// What a user may do with records, by the server's own decision.

import * as api from "./api.js";
import { stringify } from "./json.js";
import * as scope from "./scope.js";

const together = 4; // requests at a time

/** Explains a decision: `{isAllowed, reason}`. */
export async function explain(caller, action, question, signal) {
    const { decision, because } = await api.explainAccess({ caller, action, ...question }, signal);
    return { isAllowed: decision === "ALLOWED", reason: (because ?? []).map(({ reason }) => reason).join(" ") };
}

/** Calls `work` for each of these, a few at a time. Returns the results in order. */
async function each(list, work) {
    const results = [];
    let next = 0;
    await Promise.all(Array.from({ length: Math.min(together, list.length) }, async () => {
        while (next < list.length) {
            const at = next;
            next += 1;
            results[at] = await work(list[at]);
        }
    }));
    return results;
}

/** In the public database, rights depend on a record's creator and access list alone. Elsewhere they depend on its shares. */
function ruling(record) {
    return scope.current().database === undefined || scope.current().database === "public"
        ? stringify([record.created?.userRecordName ?? null, record.acl ?? null]) : record.recordName;
}

/** What a user may do with these records of a type: a `Map` from record name to `{read, write}`, each `{isAllowed, reason}`. */
export async function rightsOf(caller, recordType, records, signal) {
    const samples = new Map(records.map((record) => [ruling(record), record.recordName]));
    const questions = [...samples].flatMap(([key, recordName]) => ["read", "write"].map((action) => ({ key, action, recordName })));
    const decisions = await each(questions, ({ action, recordName }) => explain(caller, action, { recordType, recordName }, signal));
    const found = new Map();
    questions.forEach(({ key, action }, at) => found.set(key, { ...found.get(key), [action]: decisions[at] }));
    return new Map(records.map((record) => [record.recordName, found.get(ruling(record))]));
}

/** The fields that have roles of their own in the schema and that the user may not read, as a `Map` from name to reason. */
export async function hiddenFields(caller, type, recordName, signal) {
    const fields = Object.entries(type.fields).filter(([, { read }]) => read !== undefined).map(([name]) => name);
    const decisions = await each(fields, (field) => explain(caller, "read", {
        recordType: type.name, field, ...(recordName === undefined ? {} : { recordName }),
    }, signal));
    return new Map(fields.flatMap((field, at) => (decisions[at].isAllowed ? [] : [[field, decisions[at].reason]])));
}
