// A new record with the fields of another one.

import * as api from "../api.js";
import { understand } from "../fields/kinds.js";
import { t } from "../words.js";

/** The files of a field, in their order; an empty list for a field without files. */
function filesOf(written) {
    const { type, value } = understand(written);
    if (!/^ASSET(_LIST)?$/.test(type ?? "")) return [];
    return [value].flat();
}

/**
 * The fields of a copy of a record, `{fields, files}`. A file belongs to its record, so the copy uploads it again: `files` has those fields
 * as a `Map` from name to the files.
 */
export async function copyOf(record, signal) {
    const fields = Object.create(null);
    const files = new Map();
    for (const [name, written] of Object.entries(record.fields ?? {})) {
        const found = filesOf(written);
        if (found.length === 0) {
            fields[name] = written;
            continue;
        }
        files.set(name, await Promise.all(found.map(async ({ downloadURL, filename, contentType }) => {
            const content = await api.file(downloadURL, signal);
            return new File([content], filename ?? t("file"), { type: contentType ?? content.type });
        })));
    }
    return { fields, files };
}
