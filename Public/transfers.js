// Imports and exports: jobs that read records from files and write them to files.

import { call, path } from "./api.js";
import { stringify } from "./json.js";

/** What an import would make of the first rows of an uploaded file; see `imports.js`. */
export function previewImport(body, signal) {
    return call("POST", "/imports/preview", { body: stringify(body), signal });
}

/** Starts an import, and returns its job. */
export function startImport(body) {
    return call("POST", "/imports", { body: stringify(body) });
}

/** Starts an export, and returns its job. */
export function startExport(body) {
    return call("POST", "/exports", { body: stringify(body) });
}

/** A page of the rows that an import has rejected: `{rejections: [{line, serverErrorCode, reason}], cursor?}`. */
export function rejections(id, cursor, signal) {
    const query = { limit: "50", ...(cursor === undefined ? {} : { cursor }) };
    return call("GET", path("jobs", id, "rejections"), { query, signal });
}

/** The file of an export, as a `Blob`. */
export function exportedFile(id, signal) {
    return call("GET", path("jobs", id, "file"), { signal, headers: { Accept: "*/*" }, read: (response) => response.blob() });
}
