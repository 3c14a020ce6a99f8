// What the administrator has written in this session. The server names all administrators alike in records, so only the console that
// has written a version can tell whose it is.

import * as session from "./session.js";

const key = "fogbase.writes";
const mostWrites = 200;
const administrator = "_administrator";

function kept() {
    try {
        return JSON.parse(sessionStorage.getItem(key) ?? "[]");
    } catch {
        return [];
    }
}

const mark = (recordName, timestamp) => `${recordName} ${timestamp}`;

/** Keeps that the signed-in administrator has written this version of a record. Without a name of the administrator, it keeps nothing. */
export function keep({ recordName, modified }) {
    if (modified?.userRecordName !== administrator || modified.timestamp === undefined || !session.isByName()) return;
    const writes = [...kept(), [mark(recordName, modified.timestamp), session.current().name]];
    sessionStorage.setItem(key, JSON.stringify(writes.slice(-mostWrites)));
}

/** The name of the administrator who has written this; `null` if that is not known. `part` is `created` or `modified` of a record. */
export function writer(recordName, part) {
    if (part?.userRecordName !== administrator) return null;
    return kept().findLast(([each]) => each === mark(recordName, part.timestamp))?.[1] ?? null;
}
