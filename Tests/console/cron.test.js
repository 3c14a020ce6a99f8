import assert from "node:assert/strict";
import test from "node:test";

import { isZone, next, parse } from "../../Public/cron.js";

const runs = (text, zone, from, count = 3) => next(parse(text), zone, Date.parse(from), count)
    .map((run) => new Date(run).toISOString().slice(0, 16));

test("what the server rejects is no expression here either", () => {
    for (const text of ["", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "*/0 * * * *", "5-1 * * * *",
        "1,,2 * * * *", "x * * * *", "@noon", "@daily 1", "1/2/3 * * * *", "- * * * *", "12345 * * * *"]) {
        assert.equal(parse(text), null, text);
    }
    assert.deepEqual([...parse("*/15 * * * *").minutes], [0, 15, 30, 45]);
    assert.deepEqual([...parse("50/5 * * * *").minutes], [50, 55]);
    assert.deepEqual([...parse("0 0 * jan,MAR-apr 5-7").weekdays].sort(), [0, 5, 6, 7]);
});

test("the next runs follow the calendar", () => {
    assert.deepEqual(runs("0 3 * * *", "UTC", "2026-03-01T03:00:00Z"), ["2026-03-02T03:00", "2026-03-03T03:00", "2026-03-04T03:00"]);
    assert.deepEqual(runs("@monthly", "Asia/Tokyo", "2026-01-15T00:00:00Z", 2), ["2026-01-31T15:00", "2026-02-28T15:00"]);
    assert.deepEqual(runs("0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", 2), ["2028-02-29T00:00", "2032-02-29T00:00"]);
    assert.deepEqual(runs("0 12 13 * fri", "UTC", "2026-02-10T00:00:00Z"), ["2026-02-13T12:00", "2026-02-20T12:00", "2026-02-27T12:00"]);
    assert.deepEqual(runs("0 0 30 2 *", "UTC", "2026-01-01T00:00:00Z"), []);
});

test("a change of the clock neither skips nor repeats a daily run", () => {
    // In Berlin, 2:00 to 3:00 is skipped on 29 March 2026 and occurs twice on 25 October.
    assert.deepEqual(runs("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2), ["2026-03-29T01:00", "2026-03-30T00:30"]);
    assert.deepEqual(runs("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2), ["2026-10-25T00:30", "2026-10-26T01:30"]);
    assert.deepEqual(runs("*/30 * * * *", "Europe/Berlin", "2026-10-25T00:10:00Z", 4),
        ["2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30", "2026-10-25T02:00"]);
    assert.deepEqual(runs("30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 2), ["2026-03-29T00:30", "2026-03-29T01:30"]);
});

test("the browser's time zones are known", () => {
    assert.ok(isZone("UTC") && isZone("Europe/Berlin"));
    assert.ok(!isZone("Europe/Nowhere") && !isZone(""));
});
