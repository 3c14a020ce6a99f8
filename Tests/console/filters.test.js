import assert from "node:assert/strict";
import test from "node:test";

import "./page.js";

const filters = await import("../../Public/filters.js");
const columns = await import("../../Public/columns.js");
const { find, listed, rooms, similar } = await import("../../Public/rooms.js");
const { samples, sum } = await import("../../Public/metrics.js");
const { undoing } = await import("../../Public/indexes.js");

const types = filters.filterable(new Map([["title", "STRING"], ["some", "INT64"], ["ratio", "DOUBLE"], ["seen", "TIMESTAMP"],
    ["post", "REFERENCE"], ["tags", "STRING_LIST"], ["scores", "INT64_LIST"], ["place", "LOCATION"], ["file", "ASSET"]]));

test("each operator of each type writes a condition that it reads again", () => {
    const values = {
        none: [], text: ["it's \\ 霧"], exactText: [""], number: ["-2.5e3"], pair: ["1", "2"], days: ["7"],
        moment: ["2026-03-01T14:05:09"], reference: ["a AND b"], user: ["_0f"], member: ["x'} AND {"],
    };
    let count = 0;
    for (const [field, type] of types) {
        for (const operator of filters.operators(type)) {
            const row = { field, operator: operator.key, values: values[operator.value] };
            const text = filters.condition([row, row], types);
            assert.deepEqual(filters.rows(text, types), [row, row], text);
            count += 1;
        }
    }
    assert.ok(count > 40, `${count} operators`);
    assert.equal(filters.condition([{ field: "some", operator: "between", values: ["1", "2"] }], types), "#some BETWEEN {1, 2}");
});

test("what the builder did not write is left to the hand", () => {
    for (const text of ["some > 3", "#some > 3 OR #some < 1", "NOT (#some == 1)", "#some>3", "title == 'a' and title == 'b'",
        "nothing == 1", "title == 'a", "#some > 3 AND ", "seen >= date('soon')"]) {
        assert.equal(filters.rows(text, types), null, text);
    }
    assert.deepEqual(filters.rows("", types), []);
});

test("incomplete lines are no conditions", () => {
    const row = (field, operator, ...values) => ({ field, operator, values });
    const lines = [row("title", "contains", ""), row("some", "more", "x"), row("some", "between", "1", ""), row("seen", "last", "1.5"),
        row("seen", "since", ""), row("post", "is", ""), row("title", "more", "1")];
    assert.equal(filters.condition(lines, types), "");
    assert.equal(filters.condition([...lines, row("ratio", "least", " \u22123 ")], types), "ratio >= -3");
    for (const [, type] of types) {
        const [first] = filters.operators(type);
        if (filters.valueCount(first) === 0) continue;
        assert.equal(filters.clause({ field: "title", operator: first.key, values: ["", ""] }, new Map([["title", type]])), null, type);
    }
});

test("columns keep their order, and new fields come last", () => {
    const fields = new Map([["a", "STRING"], ["b", "INT64"], ["new", "DOUBLE"]]);
    const shown = columns.arranged(fields, { order: ["b", "gone", "a"], hidden: ["a", "createdTimestamp", "modifiedUserRecordName"] });
    assert.deepEqual(shown.map(({ name, isHidden }) => (isHidden ? `(${name})` : name)),
        ["b", "(a)", "new", "modifiedTimestamp", "(createdTimestamp)", "createdUserRecordName", "(modifiedUserRecordName)"]);
    assert.equal(columns.shortName("01a21182-77aa-7c2c-9f00-aaaabbbbcccc"), "01a21182…bbbbcccc");
    assert.equal(columns.shortName("a short name"), "a short name");
    assert.ok(columns.width("a", ["霧の中の船"]) > columns.width("a", ["01234"]));
    assert.ok(columns.width("a", ["x".repeat(999)]) <= 320);
});

test("a URL leads to a room, and an unknown one to a page that says so", () => {
    assert.deepEqual(find(["types", "Post", "record", "a/b"]).names, { type: "Post", record: "a/b" });
    assert.equal(find(["types", "Post"]).room.path, "types/:type");
    assert.equal(find([]).room, rooms[0]);
    for (const segments of [["nowhere", "at", "all"], ["nowhere"], ["types", "Post", "record"], ["%zz"]]) {
        assert.ok(!rooms.includes(find(segments).room), segments.join("/"));
    }
    assert.equal(find(["welcome"]).room, rooms[0]);
    assert.deepEqual(similar(["accounts"]), [{ title: "Accounts", href: "#/users" }]);
    assert.deepEqual(similar(["types", "Good", "G 1"]).map(({ href }) => href),
        ["#/types/Good/record/G%201", "#/types/Good", "#/types"]);
    assert.deepEqual(similar(["nowhere", "at", "all"]), []);
    assert.equal(find(["schema"]).room.path, "schema");
    const listedPaths = listed("data").map(({ path }) => path);
    assert.ok(listedPaths.includes("types") && listedPaths.includes("schema") && !listedPaths.includes("types/:type"));
});

test("numbers are read from the text for Prometheus", () => {
    const list = samples('# HELP a b\na{x="1",y="q\\"}"} 2\na{x="2"} 3.5\nb 1e3\n\n');
    assert.equal(sum(list, "a"), 5.5);
    assert.equal(sum(list, "a", ({ x }) => x === "2"), 3.5);
    assert.equal(list[0].labels.y, 'q"}');
    assert.equal(sum(list, "none"), undefined);
});

test("indexes that a query has added can be taken back", () => {
    const before = { fields: { a: { type: "INT64" }, b: { type: "INT64", indexes: ["QUERYABLE"] } }, indexes: [{ fields: ["a"], unique: true }] };
    const after = {
        fields: { a: { type: "INT64", indexes: ["SORTABLE"] }, b: { type: "INT64", indexes: ["QUERYABLE", "SORTABLE"] } },
        indexes: [{ fields: ["a"], unique: true }, { fields: ["a", "-b"], state: "building" }],
    };
    const entry = structuredClone(after);
    undoing(before, after)(entry);
    assert.deepEqual(entry.indexes, before.indexes);
    assert.deepEqual([entry.fields.a.indexes, entry.fields.b.indexes], [[], ["QUERYABLE"]]);
    assert.equal(undoing(before, before), null);
});
