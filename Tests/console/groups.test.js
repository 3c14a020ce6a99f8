import assert from "node:assert/strict";
import test from "node:test";

process.env.TZ = "Europe/Berlin";
const groups = await import("../../Public/groups.js");
const at = (text) => Date.parse(text);

test("fields that can be keys are offered, and the dates and users of each record", () => {
    const fields = new Map([["title", "STRING"], ["tags", "STRING_LIST"], ["place", "LOCATION"], ["post", "REFERENCE"], ["odd", undefined]]);
    assert.deepEqual([...groups.groupable(fields).keys()], ["title", "post", "createdTimestamp", "modifiedTimestamp",
        "createdUserRecordName", "modifiedUserRecordName"]);
});

test("groups are requested by count, and periods in their order and time zone", () => {
    assert.deepEqual(groups.aggregate({ by: "mood", period: "" }, "Asia/Tokyo"),
        { groupBy: ["mood"], values: ["count"], limit: 200, sort: "-count", timeZone: undefined });
    assert.deepEqual(groups.aggregate({ by: "seen", period: "week" }, "Asia/Tokyo"),
        { groupBy: ["week(seen)"], values: ["count"], limit: 200, sort: undefined, timeZone: "Asia/Tokyo" });
    assert.equal(groups.timeZone(), "Europe/Berlin");
});

test("each period ends where the next one starts, also when the clocks change", () => {
    for (const [start, period, next] of [
        ["2026-01-30T23:00:00Z", "day", "2026-01-31T23:00:00Z"],
        ["2026-03-28T23:00:00Z", "day", "2026-03-29T22:00:00Z"], // a day of 23 hours
        ["2026-10-24T22:00:00Z", "day", "2026-10-25T23:00:00Z"], // a day of 25 hours
        ["2026-03-22T23:00:00Z", "week", "2026-03-29T22:00:00Z"],
        ["2026-01-31T23:00:00Z", "month", "2026-02-28T23:00:00Z"],
        ["2026-02-28T23:00:00Z", "month", "2026-03-31T22:00:00Z"],
        ["2026-11-30T23:00:00Z", "month", "2026-12-31T23:00:00Z"],
        ["2025-12-31T23:00:00Z", "year", "2026-12-31T23:00:00Z"],
    ]) assert.equal(new Date(groups.nextStart(at(start), period)).toISOString(), next.replace("Z", ".000Z"), `${start} ${period}`);
    const year = groups.nextStart(new Date(2000, 0, 1).setFullYear(50, 0, 1), "year");
    assert.equal(new Date(year).getFullYear(), 51);
});

test("a day without a midnight ends at its first moment", () => {
    // In Beirut the clocks went forward at midnight on 31 March 2024.
    process.env.TZ = "Asia/Beirut";
    try {
        assert.equal(groups.nextStart(at("2024-03-29T22:00:00Z"), "day"), at("2024-03-30T22:00:00Z"));
        assert.equal(groups.nextStart(at("2024-03-30T22:00:00Z"), "day"), at("2024-03-31T21:00:00Z"));
    } finally {
        process.env.TZ = "Europe/Berlin";
    }
});

test("periods have titles in the time zone of their start", () => {
    const title = (text, period) => groups.periodTitle(at(text), period, "en-GB");
    assert.equal(title("2026-02-28T23:00:00Z", "month"), "March 2026");
    assert.equal(title("2025-12-31T23:00:00Z", "year"), "2026");
    assert.equal(title("2026-03-01T23:00:00Z", "week"), "Week from 2 Mar 2026");
    assert.match(title("2026-03-01T23:00:00Z", "day"), /^Monday,? 2 March 2026$/);
});

test("the condition of a group finds its records", () => {
    const one = (type, key, grouping = {}) => groups.condition({ by: "f", period: "", ...grouping }, type, key);
    assert.equal(one("STRING", "it's"), "f == 'it\\'s'");
    assert.equal(one("STRING", ""), "f == ''");
    assert.equal(one("STRING", null), "f == NULL");
    assert.equal(one("INT64", "-9223372036854775808"), "f == -9223372036854775808");
    assert.equal(one("DOUBLE", "1e+30"), "f == 1e+30");
    assert.equal(one("REFERENCE", "p1"), "f == ref('p1')");
    assert.equal(one("USER", "_0f", { by: "createdUserRecordName" }), "createdUserRecordName == '_0f'");
    assert.equal(one("TIMESTAMP", "1767225600000"), "f == date('2026-01-01T00:00:00Z')");
    assert.equal(one("TIMESTAMP", null, { period: "day" }), "f == NULL");
    assert.equal(one("TIMESTAMP", String(at("2026-02-28T23:00:00Z")), { by: "all", period: "month" }),
        "#all >= date('2026-02-28T23:00:00Z') AND #all < date('2026-03-31T22:00:00Z')");
});
