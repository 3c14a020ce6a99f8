import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import test from "node:test";

import { FeedError, follow } from "../../Public/live.js";
import { caughtUp, change, end, record, rejected, ScriptedServer, stream } from "./scripted.js";

const names = (events) => events.map((event) => (event.record ? `${event.type} ${event.record.recordName}` : event.type));

async function until(condition) {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

test("the options are those of the server's route, and the token is a header field", async () => {
    const server = new ScriptedServer(stream([caughtUp("t1")]));
    await server.read(1, {
        url: "http://server/fog/", token: "secret", types: ["Post", "Likes"], fields: ["title", "text"],
        where: "title == %@ AND good > %d", args: ["a&b", 3], since: "now", database: "private", zone: "z",
    });
    const [{ address, headers }] = server.requests;
    assert.equal(address.pathname, "/fog/changes");
    assert.deepEqual([...address.searchParams], [
        ["database", "private"], ["zone", "z"], ["type", "Post"], ["type", "Likes"], ["fields", "title,text"],
        ["where", "title == %@ AND good > %d"], ["arg", '"a&b"'], ["arg", "3"], ["since", "now"]]);
    assert.deepEqual(headers, { accept: "text/event-stream", authorization: "Bearer secret" });
});

test("without a token there is no field, and a function gives the token of each connection", async () => {
    const anonymous = new ScriptedServer(stream([caughtUp("t1")]));
    await anonymous.read(1, { token: null });
    assert.deepEqual(anonymous.requests[0].headers, { accept: "text/event-stream" });
    const server = new ScriptedServer(stream([caughtUp("t1")]), stream([caughtUp("t2")]));
    let count = 0;
    await server.read(3, { token: async () => `token ${count += 1}` });
    assert.deepEqual(server.requests.map(({ headers }) => headers.authorization), ["Bearer token 1", "Bearer token 2"]);
});

test("each kind of event is yielded with its token", async () => {
    const server = new ScriptedServer(stream([
        "retry: 2000\n\n", change("a", "t1", { title: { value: "x" } }),
        'event: leave\ndata: {"recordName":"b","recordType":"Post"}\nid: t2\n\n', caughtUp("t3"),
        "event: later\ndata: {}\nid: t4\n\n", 'event: reset\ndata: {"reason":"why"}\nid:\n\n',
    ]));
    assert.deepEqual(await server.read(4), [
        { type: "change", record: record("a", { title: { value: "x" } }), token: "t1" },
        { type: "leave", record: { recordName: "b", recordType: "Post" }, token: "t2" },
        { type: "caughtup", token: "t3" },
        { type: "reset", reason: "why" },
    ]);
});

test("a broken connection continues after the last event, and `since` is not sent again", async () => {
    const server = new ScriptedServer(
        stream([change("a", "t1"), change("b", "t2"), "event: change\ndata: {\"recordName\":\"half"]),
        stream([change("c", "t3"), "id: t4\n\n"]),
        stream([caughtUp("t5")]));
    assert.deepEqual(names(await server.read(6, { since: "now" })),
        ["change a", "change b", "disconnected", "change c", "disconnected", "caughtup"]);
    assert.deepEqual(server.requests.map(({ headers }) => headers["last-event-id"]), [undefined, "t2", "t4"]);
    assert.deepEqual(server.requests.map(({ address }) => address.searchParams.get("since")), ["now", null, null]);
});

test("`since` is repeated as long as the stream has sent no id", async () => {
    const server = new ScriptedServer(stream([]), stream([caughtUp("t1")]));
    await server.read(2, { since: "t0" });
    assert.deepEqual(server.requests.map(({ address }) => address.searchParams.get("since")), ["t0", "t0"]);
});

test("after a reset, a new connection starts from the beginning", async () => {
    const server = new ScriptedServer(
        stream(['event: reset\ndata: {"reason":"why"}\nid:\n\n']),
        stream([change("a", "t2"), 'event: reset\ndata: {"reason":"why"}\nid:\n\n']),
        stream([caughtUp("t3")]));
    await server.read(6, { since: "now" });
    assert.deepEqual(server.requests.slice(1).map(({ headers }) => headers["last-event-id"]), [undefined, undefined]);
    assert.deepEqual(server.requests.map(({ address }) => address.searchParams.get("since")), ["now", null, null]);
});

for (const [name, response] of [
    ["410", rejected(410, "BAD_REQUEST", { cause: "TOKEN_EXPIRED" })],
    ["400", rejected(400, "BAD_REQUEST", { cause: "TOKEN_INVALID" })],
    ["an end", stream([end("BAD_REQUEST", { cause: "TOKEN_EXPIRED" })])],
]) {
    test(`${name} for a sync token is a reset, once`, async () => {
        const server = new ScriptedServer(response, stream([change("a", "t1")]));
        assert.deepEqual(names(await server.read(2, { since: "old" })), ["reset", "change a"]);
        assert.equal(server.requests[1].address.searchParams.get("since"), null);
        await assert.rejects(new ScriptedServer(response, response).read(5, { since: "old" }), FeedError);
        await assert.rejects(new ScriptedServer(response).read(1), FeedError);
    });
}

test("the delay is what the server asks for, and a random part that doubles up to 30 s", async () => {
    const broken = () => { throw new TypeError("Failed to fetch"); };
    const server = new ScriptedServer(...Array(7).fill(broken), stream(["retry: 3000\n\n"]), stream([caughtUp("t1")]), broken);
    const events = await server.read(11);
    // The random number is 0.5. The stream without an event does not count as a success; the next one does.
    const delays = events.filter(({ type }) => type === "disconnected").map(({ delay }) => delay);
    assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 18_000, 3500, 4000]);
    assert.deepEqual(server.delays, delays.slice(0, -1));
});

test("`Retry-After` and `retryAfter` are a lower limit, and no delay is too long for a timer", async () => {
    const server = new ScriptedServer(
        rejected(429, "THROTTLED", {}, { "Retry-After": "7" }), rejected(503, "TRY_AGAIN_LATER", {}, { "Retry-After": "soon" }),
        () => new Response("<html>", { status: 502 }), stream(["retry: 99999999999\n\n"]), stream([caughtUp("t1")]));
    await server.read(5);
    assert.deepEqual(server.delays, [7500, 1000, 2000, 3_600_000]);
});

for (const code of ["TRY_AGAIN_LATER", "INTERNAL_ERROR", "THROTTLED"]) {
    test(`a stream that ends with ${code} is opened again`, async () => {
        const server = new ScriptedServer(stream([change("a", "t1"), end(code)]), stream([change("b", "t2")]));
        const events = await server.read(3);
        assert.deepEqual(names(events), ["change a", "disconnected", "change b"]);
        assert.equal(events[1].error.code, code);
        assert.equal(server.requests[1].headers["last-event-id"], "t1");
    });
}

for (const [name, response, code] of [
    ["an end by a sign-out", stream([caughtUp("t1"), end("AUTHENTICATION_FAILED")]), "AUTHENTICATION_FAILED"],
    ["an end by a slow condition", stream([end("BAD_REQUEST", { cause: "QUERY_TOO_EXPENSIVE" })]), "BAD_REQUEST"],
    ["401", rejected(401, "AUTHENTICATION_FAILED"), "AUTHENTICATION_FAILED"],
    ["403", rejected(403, "ACCESS_DENIED"), "ACCESS_DENIED"],
    ["414", rejected(414, "BAD_REQUEST", { cause: "TOO_LARGE" }), "BAD_REQUEST"],
    ["a response that is not a stream", stream(["{}"], { type: "application/json" }), undefined],
    ["a response without a type", stream([""], { type: null }), undefined],
]) {
    test(`${name} is thrown`, async () => {
        const server = new ScriptedServer(response);
        await assert.rejects(server.read(5), (error) => error instanceof FeedError && error.code === code);
        assert.deepEqual(server.delays, []);
        assert.equal(server.alarms.size, 0);
    });
}

test("an event that is too large is thrown, not asked for again", async () => {
    const server = new ScriptedServer(stream(["data: ", ...Array(33).fill("x".repeat(1 << 20))]));
    await assert.rejects(server.read(1), FeedError);
});

/** A request without a response. */
function hanging(signal) {
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

test("45 seconds of silence break the connection, also before the response", async () => {
    const server = new ScriptedServer(hanging, stream([caughtUp("t1")], { stays: true }), stream([caughtUp("t2")]));
    const feed = follow({ url: "http://server" }, server.system);
    const silent = async () => {
        const next = feed.next();
        await until(() => server.alarms.size === 1);
        for (const { callback } of server.alarms) callback();
        const { value } = await next;
        assert.equal(value.type, "disconnected");
        assert.match(value.error.message, /silent for 45 seconds/);
    };
    await silent();
    assert.equal((await feed.next()).value.token, "t1");
    await silent();
    assert.equal((await feed.next()).value.token, "t2");
    await feed.return();
    assert.equal(server.alarms.size, 0);
});

test("the time that the app takes for an event is not the server's silence", async () => {
    const server = new ScriptedServer(stream([change("a", "t1")], { stays: true }));
    for await (const event of follow({ url: "http://server" }, server.system)) {
        assert.equal(event.token, "t1");
        assert.equal(server.alarms.size, 0);
        break;
    }
});

test("a loop that ends closes the connection, and leaves no listener behind", async () => {
    const { signal } = new AbortController();
    const server = new ScriptedServer(stream([]), stream([caughtUp("t1")], { stays: true }));
    assert.equal((await server.read(2, { signal })).length, 2);
    assert.ok(server.requests[1].signal.aborted, "the connection is open after the loop");
    assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("the signal ends the feed in each of its states", async () => {
    for (const response of [hanging, stream([caughtUp("t1")], { stays: true })]) {
        const server = new ScriptedServer(response);
        const app = new AbortController();
        const events = [];
        const reading = (async () => {
            for await (const event of follow({ url: "http://server", signal: app.signal }, server.system)) events.push(event);
        })();
        await until(() => server.alarms.size === 1 && (response === hanging || events.length === 1));
        app.abort();
        await reading;
        assert.equal(server.alarms.size, 0);
        assert.ok(server.requests[0].signal.aborted);
    }
    // In a pause, and between two events.
    const server = new ScriptedServer(stream([change("a", "t1"), change("b", "t2")]));
    for (const type of ["change", "disconnected"]) {
        const app = new AbortController();
        const events = [];
        const system = new ScriptedServer(stream([change("a", "t1")])).system;
        for await (const event of follow({ url: "http://server", signal: app.signal }, system)) {
            events.push(event.type);
            if (event.type === type) app.abort();
        }
        assert.equal(events.at(-1), type);
    }
    const app = new AbortController();
    app.abort();
    assert.deepEqual(await server.read(1, { signal: app.signal }), []);
    assert.equal(server.requests.length, 0);
});

test("a pause ends with the signal", async () => {
    const app = new AbortController();
    const server = new ScriptedServer(stream([]));
    const cleared = [];
    const clearTimeout = (timer) => cleared.push(timer);
    const system = { ...server.system, setTimeout: (_, milliseconds) => milliseconds, clearTimeout };
    const feed = follow({ url: "http://server", signal: app.signal }, system);
    assert.equal((await feed.next()).value.type, "disconnected");
    const rest = feed.next();
    app.abort();
    assert.deepEqual(await rest, { value: undefined, done: true });
    assert.ok(cleared.includes(500), "the timer of the pause is still running");
});

test("mistakes in the options are thrown at once, not taken for a broken connection", async () => {
    for (const options of [{ url: "no URL" }, { token: "line\nbreak" }, { token: () => { throw new Error("no token"); } }]) {
        const server = new ScriptedServer();
        await assert.rejects(server.read(1, options));
        assert.deepEqual(server.delays, []);
    }
});

test("an unreadable event is asked for again", async () => {
    const server = new ScriptedServer(
        stream([`${change("a", "t1")}event: change\ndata: {\nid: t2\n\n${change("c", "t3")}`]),
        stream([change("b", "t2")]));
    assert.deepEqual(names(await server.read(3)), ["change a", "disconnected", "change b"]);
    assert.equal(server.requests[1].headers["last-event-id"], "t1");
});

/** What `follow` uses of a page. */
class Page extends EventTarget {
    hidden = false;
    show(isShown) {
        this.hidden = !isShown;
        this.dispatchEvent(new Event("visibilitychange"));
    }
}

test("the stream is closed while the page is hidden, and goes on where it was", async () => {
    const page = new Page();
    const server = new ScriptedServer(
        stream([change("a", "t1")], { stays: true }), stream([change("b", "t2")], { stays: true }));
    const controller = new AbortController();
    page.hidden = true;
    const events = [];
    const following = (async () => {
        const options = { url: "http://server", since: "now", signal: controller.signal };
        for await (const event of follow(options, { ...server.system, document: page })) events.push(event);
    })();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(server.requests.length, 0);
    page.show(true);
    await until(() => events.length === 1);
    page.show(false);
    await until(() => server.requests[0].signal.aborted);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(server.requests.length, 1);
    page.show(true);
    await until(() => events.length === 2);
    assert.deepEqual(server.requests.map(({ headers }) => headers["last-event-id"]), [undefined, "t1"]);
    assert.deepEqual(names(events), ["change a", "change b"]);
    assert.deepEqual(server.delays, []);
    controller.abort();
    await following;
    assert.equal(getEventListeners(page, "visibilitychange").length, 0);
    assert.equal(getEventListeners(controller.signal, "abort").length, 0);
});

test("a feed that is ended while its page is hidden returns, and `whileHidden` keeps the stream", async () => {
    const page = new Page();
    page.hidden = true;
    const controller = new AbortController();
    const none = new ScriptedServer();
    const waiting = follow({ url: "http://server", signal: controller.signal }, { ...none.system, document: page }).next();
    controller.abort();
    assert.equal((await waiting).done, true);
    assert.equal(none.requests.length, 0);
    const server = new ScriptedServer(stream([change("a", "t1")]));
    const kept = follow({ url: "http://server", whileHidden: true }, { ...server.system, document: page });
    assert.equal((await kept.next()).value.type, "change");
    await kept.return();
});
