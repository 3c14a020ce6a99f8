// The result of a query, kept current by the change feed. This module needs only `live.js` beside it.
//
//     import { liveQuery } from "./live-query.js";
//
//     for await (const records of liveQuery({ recordType: "Post", sort: "-createdTimestamp", limit: 20 })) show(records);

import { delayAfter, FeedError, follow, makeRequest, pause, rejection, surroundings } from "./live.js";

const spare = 10; // records after the shown ones: so many can leave before the query is sent again
const largestPage = 1_000; // records
const patience = 30_000; // milliseconds

/**
 * Yields the result of a query as an array of records: now, and again after each change to it. Records that have not changed
 * are the same objects as before.
 *
 * A changed record is put where the server would sort it, so most changes need no new query. Records that are equal in all
 * sort fields are in the order of their creation. If the order of two records is unknown, the query is sent again.
 *
 * Throws `FeedError` if the server rejects the query or the feed, and a new attempt would not help.
 *
 * @param {object} options Those of `follow` without `types` and `since`, and:
 * @param {string} options.recordType The type of the records.
 * @param {string|string[]} [options.sort] The sort fields, as in a query: `"-likes,title"`. The system fields have the names
 *   `recordName`, `createdTimestamp` and `modifiedTimestamp`.
 * @param {number} [options.limit] The maximum number of records; by default 100.
 */
export async function* liveQuery(options, system = surroundings) {
    const { recordType, where, args, sort, limit = 100, signal } = options;
    const terms = sortTerms(sort);
    const fields = options.fields && [...new Set([...options.fields, ...terms.filter(isField).map(({ name }) => name)])];
    const query = { recordType, where, args, sort, fields };
    let shown = null;
    let failures = 0;
    while (!signal?.aborted) {
        const list = new List(limit, terms);
        let token, unconfirmed;
        try {
            ({ token } = await call(options, system, "/changes", [["type", recordType], ["since", "now"], ["limit", 1]]));
            await list.load(query, (body) => call(options, system, "/query", [], body));
            unconfirmed = await changedNames(recordType, token, (parameters) => call(options, system, "/changes", parameters));
            failures = 0;
        } catch (error) {
            if (signal?.aborted) return;
            if (error instanceof FeedError && !error.isTemporary && !error.isOfSyncToken) throw error;
            await pause(delayAfter(failures, (error.retryAfter ?? 0) * 1_000, system), signal, system);
            failures += 1;
            continue;
        }
        const show = () => {
            const records = list.records.slice(0, limit);
            const isNew = records.length !== shown?.length || records.some((one, index) => one !== shown[index]);
            shown = records;
            return isNew;
        };
        if (show()) yield shown;
        let isCurrent = false;
        for await (const event of follow({ ...options, types: [recordType], fields, since: token }, system)) {
            if (event.type === "reset") break;
            if (event.type === "disconnected") isCurrent = false;
            if (event.record !== undefined) unconfirmed.delete(event.record.recordName);
            if (event.type === "leave" || event.record?.deleted) list.remove(event.record.recordName);
            else if (event.type === "change" && !list.put(event.record)) break;
            if (event.type === "caughtup") {
                isCurrent = true;
                for (const name of unconfirmed) list.remove(name);
                unconfirmed.clear();
            }
            if (list.isShort) break;
            if (isCurrent && show()) yield shown;
        }
    }
}

/** The first records of a result. */
class List {
    records = [];
    #hasMore = false;
    #limit;
    #terms;

    constructor(limit, terms) {
        this.#limit = limit;
        this.#terms = terms;
    }

    /** Whether there are more records of the result than these, and these are not enough. */
    get isShort() {
        return this.#hasMore && this.records.length < this.#limit;
    }

    async load(query, send) {
        const count = this.#limit + spare;
        let cursor;
        do {
            const page = await send({ ...query, limit: Math.min(count - this.records.length, largestPage), cursor });
            this.records.push(...page.records);
            cursor = page.cursor;
        } while (cursor !== undefined && this.records.length < count);
        this.#hasMore = cursor !== undefined;
    }

    remove(name) {
        this.records = this.records.filter((one) => one.recordName !== name);
    }

    /** Inserts, updates or moves a record. Returns whether its place is known. */
    put(record) {
        const before = this.records.findIndex((one) => one.recordName === record.recordName);
        if (before >= 0 && compare(record, this.records[before], this.#terms) === 0) {
            this.records[before] = record;
            return true;
        }
        this.remove(record.recordName);
        const orders = this.records.map((one) => compare(record, one, this.#terms));
        if (orders.includes(0)) return false;
        const place = orders.findIndex((order) => order < 0);
        if (place >= 0) this.records.splice(place, 0, record);
        else if (!this.#hasMore) this.records.push(record);
        if (this.records.length > this.#limit + spare) {
            this.records.pop();
            this.#hasMore = true;
        }
        return true;
    }
}

/**
 * The names of the records that have changed since a token. The query may have had one of them in a state between the token
 * and now. If the stream then does not mention it, it no longer belongs to the result.
 */
async function changedNames(type, token, send) {
    const names = new Set();
    let page = { token };
    do {
        page = await send([["type", type], ["since", page.token], ["fields", ""]]);
        for (const { recordName } of page.changes) names.add(recordName);
    } while (page.moreComing);
    return names;
}

/** Sends one request, and returns the JSON of the response. */
async function call(options, system, path, parameters, body) {
    const { address, headers } = await makeRequest(options, path, parameters);
    headers.set("Accept", "application/json");
    if (body !== undefined) headers.set("Content-Type", "application/json");
    const signals = [AbortSignal.timeout(patience), ...(options.signal ? [options.signal] : [])];
    const response = await system.fetch(address, {
        method: body === undefined ? "GET" : "POST", headers, body: JSON.stringify(body), cache: "no-store",
        signal: AbortSignal.any(signals),
    });
    if (!response.ok) throw await rejection(response);
    return response.json();
}

// The order of records

function sortTerms(sort = []) {
    const texts = Array.isArray(sort) ? sort : sort.split(",");
    return texts.map((text) => ({ name: text.replace(/^-/, ""), sign: text.startsWith("-") ? -1 : 1 }));
}

const systemFields = {
    recordName: (record) => record.recordName,
    createdTimestamp: (record) => record.created?.timestamp,
    modifiedTimestamp: (record) => record.modified?.timestamp,
};

function isField({ name }) {
    return !Object.hasOwn(systemFields, name);
}

/** Negative if one record sorts before the other, positive if after it, 0 if their order is unknown. */
function compare(one, other, terms) {
    for (const { name, sign } of terms) {
        const value = Object.hasOwn(systemFields, name) ? systemFields[name] : (record) => record.fields?.[name]?.value;
        const order = compareValues(value(one), value(other));
        if (order !== 0) return sign * order;
    }
    const isLatestFirst = terms.some(({ name, sign }) => name === "createdTimestamp" && sign < 0);
    return (isLatestFirst ? -1 : 1) * (systemFields.createdTimestamp(one) - systemFields.createdTimestamp(other));
}

/** Absent values come first. */
function compareValues(one, other) {
    if (one === undefined || other === undefined) return (one !== undefined) - (other !== undefined);
    if (typeof one !== "string" || typeof other !== "string") return one - other;
    // The server compares the bytes of UTF-8. Their order is that of code points, and not that of UTF-16.
    let index = 0;
    while (index < one.length && one[index] === other[index]) index += 1;
    return (one.codePointAt(index) ?? -1) - (other.codePointAt(index) ?? -1);
}
