// Exports of what a list shows.

import * as columns from "./columns.js";
import { feedCondition } from "./search.js";

/** The fields among the columns that a list shows, in their order. */
export function shownFields(fields, settings) {
    return columns.arranged(fields, settings).filter(({ name, isHidden }) => !isHidden && fields.has(name)).map(({ name }) => name);
}

/**
 * The body of `POST /exports` for a search. `format` is that of the server, `fields` are those to write or `null` for all, and a table has a
 * `separator` and for Excel a byte order mark.
 */
export function exportBody(typeName, search, { format, separator, isForExcel, fields }) {
    const isTable = format === "table";
    return {
        format, recordType: typeName, where: feedCondition(search),
        // As in the list, words without a sort have the best matches first.
        sort: search.sort !== "" ? search.sort : search.words !== "" ? "-rank()" : undefined,
        fields: fields ?? undefined, table: isTable ? { separator } : undefined, byteOrderMark: (isTable && isForExcel) || undefined,
    };
}

/** The name of the file that an export has written. */
export function fileName({ recordType, format, table }) {
    const ending = format === "jsonLines" ? "jsonl" : table?.separator === "\t" ? "tsv" : "csv";
    return `${recordType}.${ending}`;
}
