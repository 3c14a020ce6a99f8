import assert from "node:assert/strict";
import test from "node:test";

import "./page.js";

process.env.TZ = "Europe/Berlin";
const zones = await import("../../Public/time-zones.js");
const { grouped, stepped } = await import("../../Public/steps.js");
const { namesIn, titleField, titleOf } = await import("../../Public/references.js");
const searches = await import("../../Public/search.js");
const at = (text) => Date.parse(text);

test("a moment is shown in a zone and read again, to the millisecond", () => {
    for (const moment of [0, -1, 1772373909250, at("1900-01-01T00:00:00.001Z"), at("0001-06-01T00:00:00Z"), at("9999-06-01T00:00:00.999Z")]) {
        for (const zone of ["UTC", "Asia/Tokyo", "America/New_York", "Asia/Kolkata", "Europe/Berlin", "Pacific/Apia"]) {
            const text = zones.wallText(moment, zone);
            assert.ok(zones.moments(text, zone).includes(moment), `${moment} in ${zone} is ${text}`);
        }
    }
    assert.equal(zones.wallText(1772373909250, "Asia/Tokyo"), "2026-03-01T23:05:09.250");
    assert.equal(zones.ownZone(), "Europe/Berlin");
    assert.equal(zones.wallText(at("0001-01-01T00:00:00Z"), "America/New_York"), null, "the year 0");
});

test("an hour is left out and another is repeated when the clocks change", () => {
    assert.deepEqual(zones.moments("2026-03-29T02:30", "Europe/Berlin"), []);
    assert.deepEqual(zones.moments("2026-10-25T02:30:00.5", "Europe/Berlin"), [at("2026-10-25T00:30:00.500Z"), at("2026-10-25T01:30:00.500Z")]);
    assert.deepEqual(zones.moments("2011-12-30T12:00", "Pacific/Apia"), [], "a day that Samoa left out");
    assert.deepEqual(zones.moments("soon", "UTC"), []);
    assert.equal(zones.offsetText(at("2026-07-01T00:00:00Z"), "Europe/Berlin"), "UTC+02:00");
    assert.equal(zones.offsetText(0, "America/St_Johns"), "UTC\u221203:30");
});

test("zones have the names that the browser knows", () => {
    assert.ok(zones.isZone("Asia/Tokyo") && zones.isZone("UTC"));
    assert.ok(!zones.isZone("Atlantis") && !zones.isZone(""));
    assert.equal(zones.zoneNames()[0], "UTC");
    assert.ok(zones.zoneNames().includes("Asia/Tokyo"));
});

test("numbers are stepped without losing a digit", () => {
    for (const [text, count, next] of [
        ["", 1, "1"], ["41", 1, "42"], ["9223372036854775806", 1, "9223372036854775807"], ["-1", 1, "0"], ["0", -10, "-10"],
        ["0.09", 1, "0.10"], ["-0.1", 2, "0.1"], ["1.", 1, "2"], [".5", -1, "0.4"], ["\u22122", 1, "-1"],
    ]) assert.equal(stepped(text, count), next, `${text} by ${count}`);
    for (const text of ["1e5", "x", "-", "."]) assert.equal(stepped(text, 1), null, text);
});

test("long numbers are shown in groups", () => {
    assert.equal(grouped("9223372036854775807"), "9,223,372,036,854,775,807");
    assert.equal(grouped("-12345.67"), "-12,345.67");
    for (const text of ["1234", "", "1e9", "x"]) assert.equal(grouped(text), "");
});

test("the title of a record is its first text, or the one called title or name", () => {
    assert.equal(titleField(new Map([["good", "INT64"], ["code", "STRING"], ["text", "STRING"]])), "code");
    assert.equal(titleField(new Map([["code", "STRING"], ["Title", "STRING"]])), "Title");
    const fields = new Map([["title", "STRING"]]);
    assert.equal(titleOf({ fields: { title: { value: "sea", type: "STRING" } } }, fields), "sea");
    assert.equal(titleOf({ fields: { title: { value: " ", type: "STRING" } } }, fields), null);
    assert.equal(titleOf({ fields: {} }, fields), null);
    assert.equal(titleOf({ fields: {} }, new Map()), null);
});

test("the targets of single references and of lists are found", () => {
    const record = { fields: { one: { value: { recordName: "a" } }, many: { value: [{ recordName: "b" }, { recordName: "a" }] } } };
    assert.deepEqual(namesIn(record, ["one", "many", "none"]), ["a", "b", "a"]);
});

test("the user whose rights are shown is part of the URL of a table", () => {
    const search = searches.fromAddress(new URLSearchParams("where=a+%3E+1&as=_0f"));
    assert.equal(search.as, "_0f");
    assert.equal(searches.address("Post", search), "#/types/Post?where=a+%3E+1&as=_0f");
    assert.equal(searches.fromAddress(new URLSearchParams("view=map&as=_0f")).as, "");
});

test("the change feed gets the condition of the search, with its words", () => {
    const base = searches.fromAddress(new URLSearchParams());
    assert.equal(searches.feedCondition(base), undefined);
    assert.equal(searches.feedCondition({ ...base, where: "a > 1 OR b" }), "a > 1 OR b");
    assert.equal(searches.feedCondition({ ...base, words: "it's $words", where: "a > 1" }),
        "SELF CONTAINS_ALL_TOKENS 'it\\'s $words' AND (a > 1)");
});

test("only the first page of a table asks for a sync token", () => {
    const base = searches.fromAddress(new URLSearchParams());
    assert.equal(searches.content("Post", base, undefined, 50).syncToken, true);
    assert.equal(searches.content("Post", base, "cursor", 50).syncToken, undefined);
    assert.equal(searches.content("Post", { ...base, view: "map" }, undefined, 50).syncToken, undefined);
});

test("bytes are shown in hex and read again", async () => {
    const { base64Of, hexOf } = await import("../../Public/fields/bytes.js");
    assert.equal(hexOf("AAEC/w=="), "00 01 02 ff");
    assert.equal(base64Of("0001 02\nFF"), "AAEC/w==");
    assert.equal(hexOf(""), "");
    assert.equal(base64Of(""), "");
    assert.equal(base64Of("0"), null);
    assert.equal(base64Of("xy"), null);
    assert.equal(hexOf(base64Of("ab".repeat(20))).split("\n").length, 2);
});
