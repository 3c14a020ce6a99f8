import assert from "node:assert/strict";
import test from "node:test";

import "./page.js";
import * as indexes from "../../Public/indexes.js";
import { asksFirst, counts, differences, lostIndexes, promoted } from "../../Public/schema-diff.js";
import { find, isJSON, offsetAt, positionAt, problemOf, tokenEnd } from "../../Public/schema-text.js";

const post = () => ({
    fields: { title: { type: "STRING", indexes: ["QUERYABLE"] }, likes: { type: "INT64" } },
    indexes: [{ fields: ["title", "-likes"] }], grants: { _world: ["READ"], _creator: ["WRITE"] },
});

function brief(list) {
    return list.map(({ change, type, kind, name, before, after }) => [change, type, kind, name, before ?? "", after ?? ""].join("|"));
}

test("equal schemas have no differences, in whatever order and spelling", () => {
    const other = { fields: { likes: { type: "INT64", indexes: [] }, title: { indexes: ["QUERYABLE"], type: "STRING" } },
        indexes: [{ unique: false, fields: ["title", "-likes"] }], grants: { _creator: ["WRITE"], _world: ["READ"], editors: [] } };
    assert.deepEqual(differences({ Post: post() }, { Post: other }), []);
    assert.deepEqual(differences({ A: { fields: { x: { type: "LIST<STRING>" } } } }, { A: { fields: { x: { type: "STRING_LIST" } } } }), []);
    assert.deepEqual(differences({}, {}), []);
});

test("fields, index options, indexes and permissions differ each for themselves", () => {
    const now = post();
    now.fields = { title: { type: "STRING", indexes: ["SORTABLE", "QUERYABLE"], read: ["editors"] }, likes: { type: "DOUBLE" },
        tags: { type: "STRING_LIST" } };
    now.indexes = [{ fields: ["title", "-likes"], unique: true }];
    now.grants = { _world: ["READ"], editors: ["WRITE", "CREATE"] };
    Object.assign(now, { acl: { _creator: ["write", "read"] }, aclRequired: true });
    assert.deepEqual(brief(differences({ Post: post() }, { Post: now })), [
        "changed|Post|field|likes|INT64|DOUBLE", "added|Post|field|tags||STRING_LIST",
        "changed|Post|marks|title|QUERYABLE|QUERYABLE, SORTABLE", "removed|Post|index|title, -likes||",
        "added|Post|index|title, -likes||UNIQUE", "removed|Post|grant|_creator|WRITE|", "added|Post|grant|editors||CREATE, WRITE",
        "added|Post|reads|title||editors",
        "added|Post|list|||_creator: read, write", "added|Post|required|||",
    ]);
});

test("a renamed field or type is the same one, under another name", () => {
    const now = post();
    now.fields = { headline: { type: "STRING", indexes: ["QUERYABLE"], formerly: ["heading", "title"] }, likes: { type: "INT64" } };
    now.indexes = [{ fields: ["headline", "-likes"] }];
    assert.deepEqual(brief(differences({ Post: post() }, { Post: now })), ["changed|Post|name|headline|title|headline"]);
    assert.deepEqual(brief(differences({ Post: post() }, { Article: { ...now, formerly: ["Post"] } })),
        ["changed|Article|name||Post|Article", "changed|Article|name|headline|title|headline"]);
    // A name that was given again is a field of its own.
    const again = { ...now, fields: { ...now.fields, title: { type: "STRING", indexes: ["QUERYABLE"] } } };
    assert.deepEqual(brief(differences({ Post: post() }, { Post: again }))[0], "added|Post|field|headline||STRING");
    assert.equal(asksFirst(differences({ Post: post() }, { Post: now })), false);
});

test("kept rights are those of types and fields that exist", () => {
    const now = post();
    now.grants = {};
    now.fields.title.read = ["editors"];
    now.fields.cost = { type: "INT64", read: ["editors"] };
    const list = differences({ Post: post() }, { Post: now, Log: { fields: {}, grants: { editors: ["READ"] } } }, { keepsRights: true });
    assert.deepEqual(brief(list), ["added|Log|type|Log||", "added|Log|grant|editors||READ", "added|Post|field|cost||INT64",
        "added|Post|reads|cost||editors"]);
});

test("types come and go with their parts, and what goes or changes rights asks first", () => {
    const added = differences({}, { Post: post() });
    assert.deepEqual(counts(added), { added: 7, changed: 0, removed: 0 });
    assert.equal(asksFirst(added), false);
    const removed = differences({ Post: post() }, {});
    assert.deepEqual(counts(removed), { added: 0, changed: 0, removed: 7 });
    assert.equal(asksFirst(removed), true);
    assert.equal(asksFirst(differences({ Post: post() }, { Post: { ...post(), aclRequired: true } })), true);
    assert.equal(asksFirst(differences({ Post: { ...post(), indexes: [] } }, { Post: post() })), false);
});

test("a field that is being widened has its later type", () => {
    const before = { A: { fields: { x: { type: "INT64", widening: { to: "DOUBLE", state: "building" } } } } };
    assert.deepEqual(differences(before, { A: { fields: { x: { type: "DOUBLE" } } } }), []);
    before.A.fields.x.widening.state = "failed";
    assert.equal(differences(before, { A: { fields: { x: { type: "DOUBLE" } } } }).length, 1);
});

test("names of built-in properties are names like others", () => {
    assert.deepEqual(brief(differences({}, { constructor: { fields: { toString: { type: "STRING" } } } })),
        ["added|constructor|type|constructor||", "added|constructor|field|toString||STRING"]);
});

test("a promotion keeps the accounts of production", () => {
    assert.deepEqual(promoted({ Users: { fields: {} }, Log: {} }, { Post: {} }), { Post: {}, Users: { fields: {} } });
    assert.deepEqual(promoted({}, { Users: {} }), { Users: {} });
});

test("lines and columns count Unicode characters, places UTF-16 units", () => {
    const text = "a\n-- 🐟船\n  STRNG x";
    assert.equal(offsetAt(text, 1, 1), 0);
    assert.equal(offsetAt(text, 3, 3), text.indexOf("STRNG"));
    assert.equal(offsetAt(text, 2, 5), text.indexOf("船"));
    assert.equal(offsetAt(text, 2, 99), text.indexOf("\n  STRNG"));
    assert.equal(offsetAt(text, 99, 1), text.length);
    assert.deepEqual(positionAt(text, text.indexOf("船")), { line: 2, column: 5 });
    for (const at of [0, 2, text.indexOf("船"), text.length]) {
        const { line, column } = positionAt(text, at);
        assert.equal(offsetAt(text, line, column), at);
    }
    assert.equal(tokenEnd(text, text.indexOf("STRNG")), text.indexOf(" x"));
    assert.equal(tokenEnd('"a b" c', 0), 5);
    assert.equal(tokenEnd("a;", 1), 2);
    assert.equal(tokenEnd("a", 1), 1);
});

test("names are found where they are defined", () => {
    const text = 'DEFINE SCHEMA\n record type Post (\n  title STRING,\n  "queryable" INT64\n );\n RECORD TYPE "船" (\n  title DOUBLE\n );';
    const shown = (range) => range === null ? null : text.slice(...range);
    assert.equal(shown(find(text, "Post")), "Post");
    assert.equal(shown(find(text, "船")), '"船"');
    assert.equal(shown(find(text, "Post", "queryable")), '"queryable"');
    assert.equal(find(text, "船", "title")[0], text.lastIndexOf("title"));
    assert.equal(shown(find(text, "Post", "nothing")), "Post");
    assert.equal(find(text, "Pos"), null);
    const json = '{"types":{"Post":{"fields":{"title":{"type":"STRING"}}}}}';
    assert.ok(isJSON(` \n${json}`) && !isJSON(text));
    assert.equal(json.slice(...find(json, "Post", "title")), '"title"');
});

test("a complaint of the server has its place in the text", () => {
    const text = "DEFINE SCHEMA\n  RECORD TYPE Post (\n    title STRNG\n  );\n";
    const grammar = { message: "Line 3, column 11: 'STRNG' is no type of a field", details: { line: 3, column: 11 } };
    const { start, end, ...problem } = problemOf(grammar, text);
    assert.equal(text.slice(start, end), "STRNG");
    assert.deepEqual(problem, { sentence: "'STRNG' is no type of a field", line: 3, column: 11 });
    const rule = { message: "Records have the field", details: { recordType: "Post", field: "title" } };
    assert.equal(problemOf(rule, text).line, 3);
    assert.deepEqual(problemOf({ message: "No", details: { recordType: "Log" } }, text), { sentence: "No" });
    assert.deepEqual(problemOf({ message: "No" }, text), { sentence: "No" });
});

test("the indexes that get lost are those of fields that stay", () => {
    const before = { Post: { ...post(), indexes: [{ fields: ["title", "-likes"] }, { fields: ["likes"], unique: true }, { fields: ["likes"] }] },
        Old: post() };
    before.Post.fields.title.indexes = ["QUERYABLE", "SORTABLE"];
    before.Post.fields.gone = { type: "STRING", indexes: ["QUERYABLE"] };
    const now = { Post: { ...post(), indexes: [{ fields: ["likes"] }] } };
    const lost = lostIndexes(differences(before, now));
    assert.deepEqual(lost.map(({ kind, name, before: was, lost: words }) => [kind, name, was, words ?? []]), [
        ["marks", "title", "QUERYABLE, SORTABLE", ["SORTABLE"]], ["index", "title, -likes", "", []], ["index", "likes", "UNIQUE", []],
    ]);
    const replaced = { Post: { ...post(), indexes: [{ fields: ["title", "-likes"], unique: true }] } };
    assert.deepEqual(lostIndexes(differences({ Post: post() }, replaced)), [], "another index with the same columns serves");
});

test("unused indexes have the options or the index that makes them", () => {
    const type = { name: "Post", fields: { title: { type: "STRING", indexes: ["QUERYABLE", "SORTABLE", "SEARCHABLE"] }, likes: { type: "INT64" } },
        indexes: [{ fields: ["likes"] }, { fields: ["-likes", "title"], unique: true }, { fields: ["likes", "title"], state: "building" }] };
    const report = (...list) => [{ name: "Post", indexes: list.map(([fields, uses, bytes]) => ({ fields, uses, bytes, entries: bytes })) },
        { name: "Gone", indexes: [{ fields: ["x"], uses: 0, bytes: 1 }] }];
    const found = indexes.unused([type], report([["likes"], 0, 10], [["title"], 0, 30], [["title[words]"], 0, null],
        [["-likes", "title"], 0, 1], [["likes", "title"], 0, 1], [["created"], 0, 1]));
    assert.deepEqual(found.map(({ title, field, marks, bytes }) => [title, field, marks, bytes]), [
        ["title", "title", ["QUERYABLE", "SORTABLE"], 30], ["likes", undefined, undefined, 10], ["title[words]", "title", ["SEARCHABLE"], null],
    ]);
    assert.deepEqual(indexes.unused([type], report([["likes"], 3, 10])), []);
    for (const each of found) indexes.remove(type, each);
    assert.deepEqual([type.fields.title.indexes, type.indexes.map(indexes.title)], [[], ["-likes, title", "likes, title"]]);
});
