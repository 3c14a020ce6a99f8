import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test, { after, before } from "node:test";
import { isDeepStrictEqual } from "node:util";

import { FeedError, follow } from "../../Public/live.js";
import { liveQuery } from "../../Public/live-query.js";
import { Server } from "./server.js";

const patience = { timeout: 60_000 };
let server;

before(async () => { server = await Server.start(); });
after(() => server.end());

test("a feed continues over a kill and a stop of the server, and misses and repeats nothing", patience, async () => {
    await server.put("a0", { title: "a" });
    const ends = new AbortController();
    const tokens = new Set();
    const events = [];
    for await (const event of follow({ url: server.url, types: ["Post"], signal: ends.signal })) {
        events.push(event.record?.recordName ?? event.type);
        if (event.token !== undefined) tokens.add(event.token);
        if (event.type === "caughtup") {
            const round = events.filter((one) => one === "caughtup").length;
            if (round === 4) ends.abort();
            else await server.put(`b${round}`, { title: "b" });
        } else if (event.record?.recordName.startsWith("b")) {
            await server.kill(event.record.recordName === "b1" ? "SIGKILL" : "SIGTERM");
        } else if (event.type === "disconnected") {
            await server.restart();
            await server.put(`c${tokens.size}`, { title: "c" });
        }
    }
    const expected = [
        "a0", "caughtup", "b1", "disconnected", "c3", "caughtup", "b2", "disconnected", "c6", "caughtup", "b3", "disconnected",
        "c9", "caughtup"];
    assert.deepEqual(events, expected);
});

test("the server serves the modules, and a browser asks for newer ones", patience, async () => {
    for (const name of ["live.js", "live-query.js"]) {
        const response = await fetch(`${server.url}/_/${name}`);
        assert.equal(response.headers.get("Content-Type"), "text/javascript; charset=utf-8");
        assert.equal(response.headers.get("Cache-Control"), "no-cache");
        assert.equal(await response.text(), await readFile(new URL(`../../Public/${name}`, import.meta.url), "utf8"));
        const again = await fetch(`${server.url}/_/${name}`, { headers: { "If-None-Match": response.headers.get("ETag") } });
        assert.equal(again.status, 304);
    }
});

test("a token continues in another feed, and one of another caller resets it", patience, async () => {
    const first = follow({ url: server.url, types: ["Post"], since: "now" });
    const { value: { token } } = await first.next();
    await first.return();
    await server.put("d0", { title: "d" });
    const { token: bob } = await server.call("POST", "/users", { name: "bob", password: "correct horse battery" });
    for (const [caller, expected] of [[undefined, ["d0", "caughtup"]], [bob, ["reset", "a0"]]]) {
        const feed = follow({ url: server.url, types: ["Post"], since: token, token: caller });
        const events = [];
        for (const _ of expected) {
            const { value } = await feed.next();
            events.push(value.record?.recordName ?? value.type);
        }
        await feed.return();
        assert.deepEqual(events, expected);
    }
});

test("a sign-out ends the feed with the reason", patience, async () => {
    const { token } = await server.call("POST", "/users", { name: "ann", password: "correct horse battery" });
    const feed = follow({ url: server.url, token, since: "now" });
    assert.equal((await feed.next()).value.type, "caughtup");
    await server.call("DELETE", "/sessions/current", undefined, token);
    await assert.rejects(feed.next(), (error) => error instanceof FeedError && error.code === "AUTHENTICATION_FAILED");
    const wrong = follow({ url: server.url, types: ["Post"], where: "title ==" });
    await assert.rejects(wrong.next(), (error) => error.status === 400 && error.code === "BAD_REQUEST");
});

/** Numbers from 0 to `below`, the same for the same seed (mulberry32). */
function numbers(seed) {
    return (below) => {
        seed = (seed + 0x6D2B79F5) | 0;
        let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
    };
}

const titles = [undefined, "a", "B", "ab", "ä", "", "\uFFFD", "😀", "a😀"];

for (const [seed, sort, where, limit] of [
    [1, "-good", "good >= %d", 5], [2, "title,-good", "good >= %d", 8], [3, "-createdTimestamp", "good >= %d", 6],
    [4, undefined, "good >= %d", 100], [5, "-modifiedTimestamp,title", undefined, 7], [6, "-title,recordName", "good < %d", 3],
]) {
    test(`random changes leave a live query as the query itself (${sort ?? "no sort"}, ${limit})`, patience, async () => {
        const random = numbers(seed);
        const query = { recordType: "Post", sort, where, limit, ...(where === undefined ? {} : { args: [2] }) };
        const change = async () => {
            const name = `r${random(25)}`;
            if (random(4) === 0) await server.remove(name).catch(() => undefined);
            else await server.put(name, { good: random(6), title: titles[random(titles.length)] });
        };
        for (let count = 0; count < 20; count += 1) await change();
        await server.call("POST", "/query", query); // It adds the index.
        const ends = new AbortController();
        let last = [];
        let wake = () => undefined;
        const reading = (async () => {
            for await (const records of liveQuery({ ...query, url: server.url, signal: ends.signal })) {
                last = records;
                wake();
            }
        })();
        try {
            for (let round = 0; round < 12; round += 1) {
                await Promise.all(Array.from({ length: 1 + random(8) }, change));
                const { records } = await server.call("POST", "/query", query);
                // The list must become that of the query, in the end.
                const deadline = AbortSignal.timeout(10_000);
                while (!isDeepStrictEqual(last, records) && !deadline.aborted) {
                    await new Promise((resolve) => {
                        wake = resolve;
                        deadline.addEventListener("abort", resolve);
                    });
                }
                assert.deepEqual(last, records, `seed ${seed}, round ${round}`);
            }
        } finally {
            ends.abort();
        }
        await reading;
    });
}
