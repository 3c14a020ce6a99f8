// The search of a type's records. It is part of the URL, so it can be bookmarked and the back button works.

import * as router from "./router.js";

const empty = { where: "", sort: "", count: false, explain: false };

/** Reads the query of a page's URL. */
export function fromAddress(query) {
    return {
        where: query.get("where") ?? "", sort: query.get("sort") ?? "",
        count: query.get("count") === "true", explain: query.get("explain") === "true",
    };
}

/** The URL of a page of results. */
export function address(typeName, search = empty, page = 1) {
    const query = {};
    if (search.where !== "") query.where = search.where;
    if (search.sort !== "") query.sort = search.sort;
    if (search.count) query.count = "true";
    if (search.explain) query.explain = "true";
    if (page > 1) query.page = String(page);
    return router.address(["types", typeName], query);
}

/** Whether the search is a plain list. */
export function isPlain({ where, sort, count, explain }) {
    return where === "" && sort === "" && !count && !explain;
}

/** The body of `POST /query` for one page of the search. */
export function content(typeName, { where, sort, count, explain }, cursor, limit) {
    return {
        recordType: typeName, limit, cursor,
        where: where === "" ? undefined : where, sort: sort === "" ? undefined : sort,
        count: count || undefined, explain: explain || undefined,
    };
}

/** The key of a search; cursors are valid only for the search that returned them. */
export function identity(typeName, { where, sort }) {
    return JSON.stringify([typeName, where, sort]);
}

/**
 * The range of a text in which the server found something unexpected, as `[start, end]` in UTF-16 units; `null` if it does
 * not say. The server counts bytes of UTF-8 and quotes what it found.
 */
export function place(text, details) {
    const offset = Number(details?.offset);
    if (!Number.isInteger(offset) || offset < 0) return null;
    const bytes = new TextEncoder().encode(text);
    const start = new TextDecoder().decode(bytes.subarray(0, offset)).length;
    const found = typeof details.found === "string" ? details.found : "";
    const length = found !== "" && text.startsWith(found, start) ? found.length
        : text.codePointAt(start) > 0xFFFF ? 2 : 1;
    return [Math.min(start, text.length), Math.min(start + length, text.length)];
}
