import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import "./page.js";
process.env.TZ = "Europe/Berlin";
const charts = await import("../../Public/charts.js");
const requests = await import("../../Public/requests.js");
const session = await import("../../Public/session.js");
const settings = await import("../../Public/settings.js");
const { actions } = await import("../../Public/audit-actions.js");
const { backupVerdict, failedShare } = await import("../../Public/views/home-health.js");

const source = (name) => readFileSync(new URL(`../../Sources/${name}`, import.meta.url), "utf8");

test("scales end at round numbers", () => {
    for (const [value, top] of [[0, 1], [0.03, 0.05], [1, 1], [1.1, 2], [2.2, 2.5], [41, 50], [99, 100], [101, 200], [NaN, 1]]) {
        assert.equal(charts.top(value), top, value);
    }
    assert.equal(charts.top(1000, 1024), 1024);
    assert.equal(charts.top(1500, 1024), 2048);
    assert.equal(charts.top(30 * 1024 ** 2, 1024), 50 * 1024 ** 2);
});

test("the axis has round local times", () => {
    const [from, to] = [Date.parse("2026-11-27T19:50:00Z"), Date.parse("2026-11-27T20:50:00Z")];
    assert.deepEqual(charts.times(from, to, 4).map((time) => new Date(time).toISOString().slice(11, 16)), ["20:00", "20:15", "20:30", "20:45"]);
    const day = charts.times(to - 86_400_000, to, 4).map((time) => new Date(time).getHours());
    assert.deepEqual(day, [0, 6, 12, 18]);
});

test("a line has gaps where values are missing, and a lone point is visible", () => {
    const draw = (times, values) => charts.line(times, values, 10, (x) => x, (y) => y);
    assert.equal(draw([0, 10, 20], [1, 2, 3]), "M0.0 1.0L10.0 2.0L20.0 3.0");
    assert.equal(draw([0, 10, 20], [1, null, 3]), "M0.0 1.0h1M20.0 3.0h1");
    assert.equal(draw([0, 10, 50, 60], [1, 2, 3, 4]), "M0.0 1.0L10.0 2.0M50.0 3.0L60.0 4.0");
});

test("the pointer finds the nearest point, and the table the largest values", () => {
    assert.equal(charts.nearest([0, 10, 20], 14), 1);
    assert.equal(charts.nearest([], 14), -1);
    assert.equal(charts.largest([[1, null], [3]]), 3);
    assert.equal(charts.largest([]), 0);
    assert.deepEqual(charts.summary([0, 10, 20, 30], [[1, 5, null, null], [null, 2, 3, 4]], 20),
        [{ time: 0, values: [5, 2] }, { time: 20, values: [null, 4] }]);
});

test("the share of server errors is that of the last minutes", () => {
    const history = (requested, failed) => ({ timestamps: [0, 300_000, 600_000], series: { requests: requested, failed } });
    assert.equal(failedShare(history([100, 1, 99], [100, 0, 1])), 1 / 99);
    assert.equal(failedShare(history([100, 0, 0], [100, 0, 0])), null);
    assert.equal(failedShare({ timestamps: [], series: { requests: [], failed: [] } }), null);
});

const user = { kind: "user", name: "_" + "a".repeat(32) };
const entry = (method, path, route, more = {}) => ({
    method, path, route, status: 403, actor: user, address: "::1", timestamp: 1, error: { serverErrorCode: "ACCESS_DENIED" }, ...more,
});

test("a denial leads to the question about its type, record and action", () => {
    const asked = (...each) => requests.question(entry(...each));
    assert.deepEqual(asked("PUT", "/records/Post/sea%201", "PUT /records/{type}/{name}"),
        { user: user.name, type: "Post", record: "sea 1", action: "write" });
    assert.deepEqual(asked("POST", "/fog/records/Post", "POST /records/{type}"), { user: user.name, type: "Post", record: "", action: "create" });
    assert.deepEqual(asked("GET", "/records/records/a/photo", "GET /records/{type}/{name}/{field}"),
        { user: user.name, type: "records", record: "a", action: "read" });
    assert.deepEqual(asked("DELETE", "/query/Post", "DELETE /query/{type}"), { user: user.name, type: "Post", record: "", action: "write" });
    assert.equal(asked("POST", "/query", "POST /query"), null);
    assert.equal(asked("POST", "/database/1/a/development/public/records/query", "POST /database/1/{container}/records/query"), null);
    assert.equal(asked("GET", "/records/Post", "GET /records/{type}", { status: 400 }), null);
    assert.equal(asked("GET", "/records/Post", "GET /records/{type}", { actor: { kind: "anonymous" }, status: 401 }).user, "anonymous");
    assert.equal(asked("GET", "/records/Post", "GET /records/{type}", { actor: { kind: "key", name: "ci" } }).user, "key:ci");
    assert.equal(asked("GET", "/records/Post", "GET /records/{type}", { actor: { kind: "administrator", name: "vera" } }), null);
    assert.equal(asked("GET", "/records/Post", "GET /records/{type}",
        { status: 401, actor: undefined, error: { serverErrorCode: "AUTHENTICATION_FAILED" } }), null);
    assert.equal(requests.whyAddress({ user: "ada", type: "Post", record: "", action: "read" }),
        "#/security/why?user=ada&type=Post&action=read");
});

test("requests are grouped by sender, route and status", () => {
    const route = "PUT /records/{type}/{name}";
    const groups = requests.grouped([entry("PUT", "/records/Post/a", route, { timestamp: 3 }), entry("PUT", "/records/Post/b", route),
        entry("PUT", "/records/Post/a", route, { status: 429 }), entry("PUT", "/records/Post/a", route, { actor: { kind: "anonymous" } }),
        entry("PUT", "/records/Post/a", route, { actor: { kind: "anonymous" }, address: "::2" })]);
    assert.deepEqual(groups.map(({ first, count }) => [count, first.status, first.actor.kind, first.timestamp]),
        [[2, 403, "user", 3], [1, 429, "user", 1], [1, 403, "anonymous", 1], [1, 403, "anonymous", 1]]);
    assert.deepEqual(requests.likeThis(groups[0].first), { status: "403", actor: user.name, path: "/records/" });
});

test("pages without the console's requests are full, and continue where they end", async () => {
    // The newest first; each third one is of an app.
    const all = Array.from({ length: 90 }, (_, at) => ({ id: 90 - at, request: at % 3 === 2 ? `app-${at}` : `console-${at}` }));
    const asked = [];
    const ask = async (cursor = "91") => {
        asked.push(cursor);
        const list = all.filter(({ id }) => id < Number(cursor));
        return { requests: list.slice(0, 10), latest: 90 + asked.length, ...(list.length > 10 && { cursor: String(list[9].id) }) };
    };
    const isOfApp = (entry) => !requests.isOfConsole(entry);
    const first = await requests.collect(ask, isOfApp, 8);
    assert.deepEqual(first.entries.map(({ id }) => id), [88, 85, 82, 79, 76, 73, 70, 67]);
    assert.deepEqual([first.cursor, first.left, first.latest], ["67", 16, 91], "the latest of the first page, so that none is missed");
    const second = await requests.collect(ask, isOfApp, 100, first.cursor);
    assert.deepEqual([second.entries.length, second.entries[0].id, second.cursor, second.left], [22, 64, undefined, 44]);
    assert.deepEqual(await requests.collect(async () => ({ requests: [], latest: 4 }), isOfApp, 8),
        { entries: [], left: 0, latest: 4, cursor: undefined });
});

test("the log leaves out the console's requests unless it is asked for one of them", () => {
    assert.equal(requests.hidesConsole({}), true);
    assert.equal(requests.hidesConsole({ console: "true" }), false);
    assert.equal(requests.hidesConsole({ request: "console-1" }), false);
    assert.match(session.identified()["X-Request-ID"], /^console-[0-9a-f]{12}$/);
    assert.deepEqual(requests.serverQuery({ status: "403", console: "true" }), { status: "403" });
    assert.equal(requests.unfiltered({ status: "403", console: "true" }), "#/logs?console=true");
    const denied = entry("GET", "/records/Post/a", "GET /records/{type}/{name}", { request: "console-1" });
    assert.equal(requests.address(requests.likeThis(denied)), `#/logs?status=403&actor=${user.name}&path=%2Frecords%2F&console=true`);
});

test("the conditions of the log are those of its URL", () => {
    const filter = requests.fromAddress(new URLSearchParams("status=403&actor=&path=+%2Frecords+&other=1"));
    assert.deepEqual(filter, { status: "403", path: "/records" });
    assert.equal(requests.address(filter), "#/logs?status=403&path=%2Frecords");
    assert.equal(requests.sentPath("/records/Post/sea 1"), "/records/Post/sea%201");
    assert.equal(requests.sentPath("sea%201"), "sea%201");
    assert.equal(requests.readable("sea%201"), "sea 1");
    assert.equal(requests.readable("100%"), "100%");
});

test("settings have the names that the server gives them", () => {
    const text = source("fogbase/Configuration/Setting.swift");
    const found = [...text.matchAll(/Setting\(\s*"([a-z_.]+)"([\s\S]*?)(?=Setting\(|\]\n)/g)];
    assert.ok(found.length > 60, `${found.length} settings`);
    for (const [, key, rest] of found) {
        const flag = /flag: "([^"]+)"/.exec(rest)?.[1];
        const isSecret = /isSecret: true/.test(rest);
        assert.equal(settings.isSecret(key), isSecret, key);
        assert.equal(settings.flagOf(key), flag ?? "--" + key.replaceAll(/[._]/g, "-") + (isSecret ? "-file" : ""), key);
    }
    assert.equal(settings.environmentName("limits.rate_auth"), "FOGBASE_LIMITS_RATE_AUTH");
});

test("sizes among the settings are bytes", () => {
    const bytes = (value, key = "assets.max_bytes") => settings.bytesOf({ key, value });
    assert.deepEqual(["5000000000", "9765625KiB", "16MiB", "1GiB", "", "none"].map((value) => bytes(value)),
        [5e9, 1e10, 16 * 1024 ** 2, 1024 ** 3, null, null]);
    assert.equal(bytes("8080", "server.port"), null);
});

test("settings are found by words, and by a change", () => {
    const list = [{ key: "log.access", value: "text", source: "default", isDefault: true, help: "format of the access log" },
        { key: "server.port", value: "9000", source: "flag --port", isDefault: false, help: "the port to listen on" }];
    const keys = (text, only = false) => settings.found(list, text, only).map(({ key }) => key);
    assert.deepEqual(keys(""), ["log.access", "server.port"]);
    assert.deepEqual(keys("", true), ["server.port"]);
    assert.deepEqual(keys("Format log"), ["log.access"]);
    assert.deepEqual(keys("FOGBASE_LOG"), ["log.access"]);
    assert.deepEqual(settings.bySection(list).map(([name, part]) => [name, part.length]), [["log", 1], ["server", 1]]);
    assert.deepEqual(settings.limitsOf({ recordBytes: 1, assetURLSeconds: 2, queryMilliseconds: 3, pageSize: 4,
        rates: { auth: { count: 10, seconds: 60, burst: 20 }, signUp: { count: 5, seconds: 60, burst: 5 } } }), {
        limits: [{ name: "recordBytes", count: 1, unit: "bytes" }, { name: "assetURLSeconds", count: 2, unit: "seconds" },
            { name: "queryMilliseconds", count: 3, unit: "milliseconds" }, { name: "pageSize", count: 4, unit: "" }],
        rates: [{ name: "limits.rate_auth", count: 10, seconds: 60, burst: 20 }, { name: "limits.rate_sign_up", count: 5, seconds: 60, burst: 5 }],
    });
});

test("the audit log can be asked for each of the server's actions", () => {
    const [, text] = /enum AuditAction[^{]*\{([\s\S]*?)\n\}/.exec(source("RecordEngine/Audit/AuditActor.swift"));
    assert.deepEqual(actions, [...text.matchAll(/case \w+ = "([\w.]+)"/g)].map(([, name]) => name));
});

test("the last backup is good only if one of the week was tested and is complete", () => {
    const day = 86_400_000, now = 100 * day;
    const backup = (age, tested, problems = 0) => ({ created: now - age * day, problem: "gone",
        ...(tested && { tested: now - age * day + 60_000, problems }) });
    const level = (...backups) => backupVerdict(backups, now).level;
    assert.equal(level(), "warning");
    assert.equal(level(backup(0, false)), "warning");
    assert.equal(level(backup(1, true)), "good");
    assert.equal(level(backup(0, false), backup(7, true)), "good");
    assert.equal(level(backup(8, true)), "warning");
    assert.equal(level(backup(1, true, 1), backup(2, true)), "alarm");
    assert.equal(level(backup(0, false), backup(1, true, 1), backup(2, true)), "alarm");
    assert.equal(level(backup(1, true), backup(2, true, 1)), "good");
    assert.match(backupVerdict([backup(1, true, 1)], now).text, /gone/);
});

test("a room has the same place in another database, without what only this one has", async () => {
    const { elsewhere } = await import("../../Public/rooms.js");
    const to = (path, query = "") => elsewhere({ segments: path.split("/").filter((part) => part !== ""), query: new URLSearchParams(query) });
    assert.equal(to(""), "#/");
    assert.equal(to("types/Post", "where=a&page=3&as=ada"), "#/types/Post?where=a");
    assert.equal(to("types/Post/record/sea", "view=1"), "#/types/Post");
    assert.equal(to("types/Post/new", "from=a"), "#/types/Post");
    assert.equal(to("types/Post/schema"), "#/types/Post/schema");
    assert.equal(to("security/roles/editors"), "#/security/roles/editors");
    assert.equal(to("users/ada"), "#/users");
    assert.equal(to("jobs/1"), "#/jobs");
    assert.equal(to("logs", "status=4xx&request=1"), "#/logs?status=4xx");
    assert.equal(to("no/such/room"), "#/");
});
