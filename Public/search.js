// The search of a type's records. It is part of the URL, so it can be bookmarked and the back button works.

import { quoted } from "./conditions.js";
import { aggregate, periods, timeZone } from "./groups.js";
import * as router from "./router.js";

const views = ["map", "groups"];

const empty = { words: "", where: "", sort: "", count: false, explain: false, view: "", by: "", period: "", as: "", every: false };

/**
 * Reads the query of a page's URL. `view` is empty for a table, or `map` or `groups`; `by` is the field that these show, and
 * `period` the one by which a time is grouped. `as` is the user whose response the table shows, or
 * with `every` all records with the rights of that user.
 */
export function fromAddress(query) {
    const view = views.includes(query.get("view")) ? query.get("view") : "";
    return {
        words: query.get("words") ?? "", where: query.get("where") ?? "", sort: query.get("sort") ?? "",
        count: query.get("count") === "true", explain: query.get("explain") === "true",
        view, by: view === "" ? "" : query.get("by") ?? "",
        period: view === "groups" && periods.includes(query.get("period")) ? query.get("period") : "",
        as: view === "" ? query.get("as") ?? "" : "", every: view === "" && query.get("every") === "true",
    };
}

/** The URL of a page of results. */
export function address(typeName, search = empty, page = 1) {
    const query = {};
    if (search.words !== "") query.words = search.words;
    if (search.where !== "") query.where = search.where;
    if (search.sort !== "") query.sort = search.sort;
    if (search.count) query.count = "true";
    if (search.explain) query.explain = "true";
    for (const key of ["view", "by", "period", "as"]) if (search[key]) query[key] = search[key];
    if (search.as && search.every) query.every = "true";
    if (page > 1) query.page = String(page);
    return router.address(["types", typeName], query);
}

/** Whether the search is a plain list. */
export function isPlain({ words, where, sort, count, explain, view }) {
    return words === "" && where === "" && sort === "" && !count && !explain && view === "";
}

/** The same view of all records. */
export function cleared({ view, by, period, as, every }) {
    return { ...empty, view, by, period, as, every };
}

/** The condition of a search, with the words as the variable `words`. */
function condition({ words, where }) {
    if (words === "") return where === "" ? undefined : where;
    const found = "SELF CONTAINS_ALL_TOKENS $words";
    return where === "" ? found : `${found} AND (${where})`;
}

function conditionPart(typeName, search) {
    const { words, explain } = search;
    return {
        recordType: typeName, where: condition(search), vars: words === "" ? undefined : { words },
        explain: explain || undefined,
    };
}

/**
 * The body of `POST /query` for one page of the search, with about how many records match. Words without a sort have the best
 * matches first. The first page of a table comes with a sync token, from which its changes are followed.
 */
export function content(typeName, search, cursor, limit) {
    const { words, sort, count, view } = search;
    return {
        syncToken: (cursor === undefined && view === "" && reader(search) === undefined) || undefined,
        ...conditionPart(typeName, search), limit, cursor,
        sort: sort !== "" ? sort : words !== "" ? "-rank()" : undefined,
        count: count || undefined, total: count ? undefined : "estimate",
    };
}

/** The user whose response is asked for; `undefined` for the caller's own. */
export function reader({ as, every }) {
    return as === "" || every ? undefined : as;
}

/** The body of `POST /query` for a page of the map: only its field. */
export function mapContent(typeName, search, cursor, limit) {
    return { ...content(typeName, search, cursor, limit), fields: [search.by] };
}

/** The body of `POST /query` for the groups of the search. Their order does not depend on the sort of the records. */
export function groupContent(typeName, search) {
    return { ...conditionPart(typeName, search), aggregate: aggregate(search, timeZone()) };
}

/** The condition of a search as one text, for the change feed; `undefined` if there is none. */
export function feedCondition(search) {
    return condition(search)?.replace("$words", () => quoted(search.words));
}

/** The key of a search; cursors are valid only for the search that returned them. The pages of the map are longer. */
export function identity(typeName, search) {
    const { words, where, sort, view } = search;
    return JSON.stringify([typeName, words, where, sort, view, reader(search)]);
}

/** Where the condition of a search begins in the text that the server got. */
export function conditionStart({ words }) {
    return words === "" ? 0 : condition({ words, where: " " }).indexOf("( )") + 1;
}

/**
 * The range of a text in which the server found something unexpected, as `[start, end]` in UTF-16 units; `null` if it does
 * not say. The server counts bytes of UTF-8 and quotes what it found. `before` is the number of bytes that stood before the
 * text.
 */
export function place(text, details, before = 0) {
    const offset = Number(details?.offset) - before;
    if (!Number.isInteger(offset) || offset < 0) return null;
    const bytes = new TextEncoder().encode(text);
    const start = new TextDecoder().decode(bytes.subarray(0, offset)).length;
    const found = typeof details.found === "string" ? details.found : "";
    const length = found !== "" && text.startsWith(found, start) ? found.length
        : text.codePointAt(start) > 0xFFFF ? 2 : 1;
    return [Math.min(start, text.length), Math.min(start + length, text.length)];
}
