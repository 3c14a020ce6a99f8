// The open record learns what others write.

import * as api from "../api.js";
import { quoted } from "../conditions.js";
import { followChanges } from "../following.js";

/**
 * Follows one record until `signal` is aborted. `isKnown(tag)` returns whether the page has this version or is about to get it; `changed(record)`
 * gets each other one, and `gone()` is called when the record was deleted. The result's `read()` looks at the record again.
 */
export function recordLive({ typeName, recordName, signal, isKnown, changed, gone }) {
    let isFirst = true;

    async function read() {
        try {
            const record = await api.read(typeName, recordName, signal);
            if (!isKnown(record.recordChangeTag)) changed(record);
        } catch (error) {
            if (!signal.aborted && error instanceof api.Refusal && error.status === 404) gone();
        }
    }
    followChanges({
        typeName, where: `recordName == ${quoted(recordName)}`, signal, reset: read,
        take({ kind, record }) {
            // Between the reading of the record and the start of the stream somebody may have written it.
            if (kind === "current" && isFirst) {
                isFirst = false;
                read();
            } else if (kind === "gone") gone();
            else if (kind === "change" && !isKnown(record.recordChangeTag)) read();
        },
    });
    return { read };
}
