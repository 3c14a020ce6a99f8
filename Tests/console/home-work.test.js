import assert from "node:assert/strict";
import test from "node:test";

import "./page.js";
const work = await import("../../Public/views/home-work.js");

const day = 86_400_000;
const now = 1_800_000_000_000;
const level = (verdict) => verdict?.level ?? null;

test("a webhook that fails or is disabled needs attention, a paused one does not", () => {
    assert.equal(work.webhookVerdict([]), null);
    assert.equal(level(work.webhookVerdict([{ state: "active", failures: 0 }, { state: "active" }, { state: "paused", failures: 3 }])), "good");
    assert.deepEqual(work.webhookVerdict([{ state: "active", failures: 4 }, { state: "active" }]), { level: "warning", text: "1 fails." });
    assert.deepEqual(work.webhookVerdict([{ state: "disabled" }, { state: "disabled", failures: 9 }, { state: "active", failures: 1 }]),
        { level: "warning", text: "2 are disabled. 1 fails." });
});

test("a job that failed in the last day needs attention until the same one succeeds", () => {
    const job = (state, ended, more = {}) => ({ kind: "updateRecords", state, created: ended - 5, ended, task: { recordType: "Post" }, ...more });
    assert.equal(work.jobVerdict([], now), null);
    assert.equal(level(work.jobVerdict([job("failed", now - 5)], now)), "warning");
    assert.equal(level(work.jobVerdict([job("failed", now - day - 1), job("cancelled", now - 1), job("running", undefined)], now)), "good");
    assert.equal(level(work.jobVerdict([job("succeeded", now - 1), job("failed", now - 5)], now)), "good");
    assert.equal(level(work.jobVerdict([job("failed", now - 1), job("succeeded", now - 5)], now)), "warning");
    assert.equal(level(work.jobVerdict([job("succeeded", now - 1, { task: { recordType: "Other" } }), job("failed", now - 5)], now)), "warning");
    assert.equal(level(work.jobVerdict([job("succeeded", now - 1, { schedule: "nightly" }), job("failed", now - 5)], now)), "warning");
});

test("a schedule that cannot run, or whose last run failed, needs attention", () => {
    assert.equal(work.scheduleVerdict([]), null);
    assert.equal(level(work.scheduleVerdict([{}, { runs: [] }, { runs: [{ state: "succeeded" }, { state: "failed" }] }])), "good");
    assert.deepEqual(work.scheduleVerdict([{ runs: [{ state: "failed" }] }, { problem: {} }, { problem: {}, runs: [{ state: "failed" }] }]),
        { level: "warning", text: "2 cannot run. The last run of 1 failed." });
});

test("rejected queries need attention until their index is there, or on its way", () => {
    const type = (fields, indexes = []) => ({ name: "Post", fields, indexes });
    const piece = { recordType: "Post", refused: 3, index: ["title"] };
    assert.equal(work.queryVerdict([{ ...piece, refused: 0 }], [type({ title: {} })]), null);
    assert.deepEqual(work.queryVerdict([piece], [type({ title: {} })]), { level: "warning", text: "1 lacks an index." });
    assert.equal(level(work.queryVerdict([piece], [])), "warning");
    assert.equal(work.queryVerdict([piece], [type({}, [{ fields: ["title"] }])]), null);
    assert.equal(work.queryVerdict([piece], [type({}, [{ fields: ["title"], state: "building" }])]), null);
});

test("an index that could not be built needs attention, one that is being built does not", () => {
    const of = (...states) => work.indexVerdict([{ name: "Post", fields: {}, indexes: states.map((state, at) => ({ fields: [`f${at}`], state })) }]);
    assert.equal(of(undefined, "ready"), null);
    assert.deepEqual(of("building", "ready"), { level: "good", text: "1 is being built." });
    assert.deepEqual(of("building", "failed"), { level: "warning", text: "Failed: Post (f1)." });
});

test("each check is for callers that may see its room", async () => {
    assert.deepEqual(work.checks().map(({ key }) => key), ["webhooks", "jobs", "schedules", "queries", "indexes"]);
    const session = await import("../../Public/session.js");
    session.enter({ name: "vera", isAdministrator: true, role: "viewer" });
    assert.deepEqual(work.checks().map(({ key }) => key), ["jobs", "queries", "indexes"]);
});
