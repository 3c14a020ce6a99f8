import assert from "node:assert/strict";
import test from "node:test";

import { FeedError } from "../../Public/live.js";
import { liveQuery } from "../../Public/live-query.js";
import { caughtUp, change, record, rejected, ScriptedServer, stream } from "./scripted.js";

const json = (content) => () => Response.json(content);
const post = (recordName, good) => record(recordName, { good: { value: good } });
const changed = (recordName, good, token) => change(recordName, token, { good: { value: good } });
const leave = (recordName, token) => `event: leave\ndata: {"recordName":"${recordName}","recordType":"Post"}\nid: ${token}\n\n`;

/** The responses to a load: the token, the pages of the query, and the names that have changed since. */
function load(pages, changes = [], hasMore = false) {
    const last = pages.length - (hasMore ? 0 : 1);
    return [
        json({ changes: [], token: "now", moreComing: false }),
        ...pages.map((records, index) => json({ records, ...(index < last ? { cursor: `c${index}` } : {}) })),
        json({ changes: changes.map((recordName) => ({ recordName })), token: "then", moreComing: false }),
    ];
}

/** The names in the first lists of a live query. */
async function lists(server, count, options = {}) {
    const found = [];
    const query = { url: "http://server", recordType: "Post", sort: "-good", ...options };
    for await (const records of liveQuery(query, server.system)) {
        found.push(records.map(({ recordName }) => recordName).join(" "));
        if (found.length === count) return found;
    }
    return found;
}

test("the stream starts where the query cannot have missed a change", async () => {
    const server = new ScriptedServer(...load([[post("a", 2)]]), stream([changed("b", 1, "t1")]), stream([caughtUp("t2")]));
    assert.deepEqual(await lists(server, 2, { where: "good > %d", args: [0], fields: ["title"], limit: 7 }), ["a", "a b"]);
    const [now, query, names, feed] = server.requests.map(({ address }) => Object.fromEntries(address.searchParams));
    assert.deepEqual(now, { type: "Post", since: "now", limit: "1" });
    assert.deepEqual(query, {});
    assert.deepEqual(names, { type: "Post", since: "now", fields: "" });
    assert.deepEqual(feed, { type: "Post", fields: "title,good", where: "good > %d", arg: "0", since: "now" });
    assert.deepEqual(JSON.parse(server.requests[1].body), {
        recordType: "Post", where: "good > %d", args: [0], sort: "-good", fields: ["title", "good"], limit: 17 });
});

test("a record that the stream does not confirm leaves when it has caught up", async () => {
    const pages = [[post("a", 3), post("b", 2), post("c", 1)]];
    const server = new ScriptedServer(...load(pages, ["a", "b", "d"]), stream([changed("b", 2, "t1"), caughtUp("t2")]));
    assert.deepEqual(await lists(server, 2), ["a b c", "b c"]);
});

test("records are inserted, updated, moved and removed, each with a list", async () => {
    const server = new ScriptedServer(...load([[post("a", 5), post("b", 3)]]), stream([
        caughtUp("t0"), changed("c", 4, "t1"), changed("b", 6, "t2"), changed("b", 6, "t3"), leave("a", "t4"), leave("z", "t5"),
        'event: change\ndata: {"recordName":"c","recordType":"Post","deleted":true}\nid: t6\n\n',
    ]));
    assert.deepEqual(await lists(server, 6), ["a b", "a c b", "b a c", "b a c", "b c", "b"]);
});

test("a list stays within its limit, and is loaded again when too few records are left", async () => {
    const numbered = Array.from({ length: 12 }, (_, index) => post(`r${index}`, 50 - index));
    const others = numbered.slice(2).map(({ recordName }) => leave(recordName, "t9"));
    const server = new ScriptedServer(
        ...load([numbered.slice(0, 10), numbered.slice(10)], [], true), stream([
            caughtUp("t0"), changed("top", 60, "t1"), changed("behind", 1, "t2"), changed("r0", 2, "t3"), ...others,
            leave("r1", "t10"),
        ]),
        ...load([[post("top", 60), post("behind", 1)]]), stream([]));
    assert.deepEqual(await lists(server, 4, { limit: 2 }), ["r0 r1", "top r0", "top r1", "top behind"]);
    const queries = server.requests.map(({ body }) => body).filter((body) => body !== undefined);
    assert.deepEqual(queries.map((body) => JSON.parse(body).limit), [12, 2, 12]);
});

test("if the order of two records is unknown, the query is sent again", async () => {
    const server = new ScriptedServer(
        ...load([[post("a", 5)]]), stream([caughtUp("t0"), changed("b", 5, "t1")]), ...load([[post("b", 5), post("a", 5)]]));
    assert.deepEqual(await lists(server, 2), ["a", "b a"]);
});

test("a list that has been disconnected is delivered again when it has caught up", async () => {
    const server = new ScriptedServer(
        ...load([[post("a", 5)]]), stream([caughtUp("t0")]),
        stream([changed("b", 4, "t1"), changed("c", 3, "t2"), changed("d", 2, "t3"), caughtUp("t3")]));
    assert.deepEqual(await lists(server, 2), ["a", "a b c d"]);
});

test("a reset loads the result again", async () => {
    const server = new ScriptedServer(
        ...load([[post("a", 5)]]), stream(['event: reset\ndata: {"reason":"why"}\nid:\n\n', changed("a", 5, "t1")]),
        ...load([[post("b", 5)]]));
    assert.deepEqual(await lists(server, 2), ["a", "b"]);
});

test("temporary errors and expired tokens are tried again with growing delays, others are thrown", async () => {
    const [token, query, names] = load([[post("a", 5)]]);
    const broken = () => { throw new TypeError("Failed to fetch"); };
    const server = new ScriptedServer(
        broken, token, rejected(503, "TRY_AGAIN_LATER", {}, { "Retry-After": "3" }),
        token, query, rejected(410, "BAD_REQUEST", { cause: "TOKEN_EXPIRED" }), token, query, names);
    assert.deepEqual(await lists(server, 1), ["a"]);
    assert.deepEqual(server.delays, [500, 4000, 2000]);
    const unindexed = new ScriptedServer(token, rejected(400, "BAD_REQUEST", { cause: "NOT_INDEXED" }));
    await assert.rejects(lists(unindexed, 1), (error) => error instanceof FeedError && error.details.cause === "NOT_INDEXED");
});

test("the signal ends a live query without an error", async () => {
    const app = new AbortController();
    const server = new ScriptedServer(() => { app.abort(); throw app.signal.reason; });
    assert.deepEqual(await lists(server, 1, { signal: app.signal }), []);
});
