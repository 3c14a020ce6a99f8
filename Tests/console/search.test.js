import assert from "node:assert/strict";
import test from "node:test";

import "./page.js";
import { ExactNumber, parse } from "../../Public/json.js";

const searches = await import("../../Public/search.js");
const { pageText, placesOf } = await import("../../Public/map/places.js");
const search = (text) => searches.fromAddress(new URLSearchParams(text));

test("a view of a search is part of its URL", () => {
    for (const text of ["view=map&by=place", "where=a+%3E+1&view=groups&by=seen&period=month", "sort=-a&count=true", ""]) {
        const address = searches.address("Post", search(text), 1);
        assert.equal(new URLSearchParams(address.split("?")[1] ?? "").toString(), text, address);
    }
    assert.deepEqual({ ...search("view=chart&by=a&period=day") }, { ...search("") });
    assert.equal(search("view=map&by=a&period=day").period, "");
    assert.equal(search("view=groups&by=a&period=decade").period, "");
    assert.ok(searches.isPlain(search("")) && !searches.isPlain(search("view=map&by=a")));
    assert.equal(searches.address("Post", searches.cleared(search("where=a&view=map&by=b"))), "#/types/Post?view=map&by=b");
});

test("pages of the map and of the table have cursors of their own", () => {
    const identities = ["where=a", "where=a&view=map&by=b", "where=b"].map((text) => searches.identity("Post", search(text)));
    assert.equal(new Set(identities).size, 3);
});

test("the map asks for its field alone, and about how many records match", () => {
    const asked = JSON.parse(JSON.stringify(searches.mapContent("Post", search("where=a&view=map&by=b&sort=c"), "x", 500)));
    assert.deepEqual(asked, { recordType: "Post", where: "a", limit: 500, cursor: "x", sort: "c", fields: ["b"], total: "estimate" });
    assert.equal(searches.mapContent("Post", search("count=true&view=map&by=b"), undefined, 500).total, undefined);
});

test("groups are those of the condition and the words, without a sort or a page", () => {
    const asked = JSON.parse(JSON.stringify(searches.groupContent("Post",
        search("words=fog&where=a&sort=-b&count=true&view=groups&by=mood"))));
    assert.deepEqual(asked, {
        recordType: "Post", where: "SELF CONTAINS_ALL_TOKENS $words AND (a)", vars: { words: "fog" },
        aggregate: { groupBy: ["mood"], values: ["count"], limit: 200, sort: "-count" },
    });
});

const record = (recordName, fields) => ({ recordName, fields: parse(JSON.stringify(fields)) });
const records = [
    record("a", { place: { value: { latitude: 1.5, longitude: -2 }, type: "LOCATION" } }),
    record("b", {}),
    record("c", { place: { latitude: 3, longitude: 4 } }),
    record("d", { place: { value: null, type: "LOCATION" } }),
    record("e", { places: { value: [{ latitude: 1, longitude: 2 }, { latitude: 3, longitude: 4 }], type: "LOCATION_LIST" } }),
];

test("places are taken from single values and lists, however they are written", () => {
    assert.deepEqual(placesOf(records, "place", "LOCATION"), [
        { recordName: "a", place: { latitude: 1.5, longitude: -2 } }, { recordName: "c", place: { latitude: 3, longitude: 4 } }]);
    assert.deepEqual(placesOf(records, "places", "LOCATION_LIST").map(({ recordName, place }) => [recordName, place.latitude]),
        [["e", 1], ["e", 3]]);
});

test("the map says how many of how many it shows", () => {
    const places = placesOf(records, "place", "LOCATION");
    const exact = (value) => new ExactNumber(value);
    const text = (answer, shown = places) => pageText({ records, ...answer }, shown, "place");
    assert.equal(text({ total: { value: exact(1200), relation: "estimate" } }),
        "2 places from 5 of about 1,200 records. 3 of these have no value in place.");
    assert.match(text({ total: { value: exact(9), relation: "atLeast" } }), /5 of at least 9 records/);
    assert.match(text({ total: { value: exact(5), relation: "exact" } }), /5 of 5 records/);
    assert.match(text({ count: exact(7) }), /5 of 7 records/);
    assert.equal(pageText({ records: [records[0]] }, places.slice(0, 1), "place"), "1 place from 1 record.");
});
