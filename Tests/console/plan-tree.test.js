import assert from "node:assert/strict";
import test, { after, before } from "node:test";

import "./page.js";
import { Server } from "../live/server.js";

const { tree, waste } = await import("../../Public/plan-tree.js");
let server;

before(async () => {
    server = await Server.start();
    const operations = Array.from({ length: 60 }, (_, number) => ({ operationType: "create", record: {
        recordType: "Post", recordName: `p${number}`, fields: { title: `t${number % 5}`, likes: number, author: { recordName: "a" } },
    } }));
    await server.call("POST", "/records", { operations });
    await server.call("PUT", "/records/Author/a", { fields: { name: "ada" } });
});
after(() => server.end());

const plan = async (query) => (await server.call("POST", "/query", { recordType: "Post", explain: true, ...query })).plan;
/** The titles of a tree, those of children in brackets. */
const titles = ({ title, children }) => (children.length === 0 ? title : `${title} [${children.map(titles).join(", ")}]`);

test("a plan is a tree from the result down to the scans", async () => {
    const simple = tree(await plan({ where: "title == 't1'" }));
    assert.equal(titles(simple), "Result [Scan of index (title)]");
    assert.equal(simple.returned, 12);
    assert.ok(simple.milliseconds >= 0);
    assert.equal(simple.children[0].examined, 12);
    assert.equal(simple.children[0].condition, 'title == "t1"');
    assert.equal(titles(tree(await plan({ where: "likes IN {1, 2, 3}" }))).split(" [").slice(0, 2).join(" ["), "Result [Merge in order");
    const tested = tree(await plan({ where: "title == 't1' AND title CONTAINS '1'" }));
    assert.match(titles(tested), /^Result \[Filter: test record by record \[Scan of index \(title/);
    const all = tree(await plan({}));
    assert.equal(titles(all), "Result [Scan of records of Post]");
    assert.equal(all.children[0].condition, "");
});

test("conditions on other records are a branch of their own", async () => {
    const found = tree(await plan({ where: "author.name == 'ada'" }));
    assert.match(titles(found), /Find in Author/);
});

test("a sort of all matches is a step, and unusual plans have one too", () => {
    const base = { access: [{ index: "index (a)", condition: "a > 1", direction: "backward" }], returnedRows: 1 };
    const sorted = tree({ ...base, text: "scan index (a): a > 1\nsort: -b, id", sort: "sorted", examinedRows: 50, estimatedRows: 40 });
    assert.equal(titles(sorted), "Result [Sort all that was found [Scan of index (a)]]");
    assert.equal(sorted.children[0].condition, "-b, id");
    assert.deepEqual([sorted.children[0].children[0].examined, sorted.children[0].children[0].estimated], [50, 40]);
    assert.equal(titles(tree({ text: "nothing can match", access: [], returnedRows: 0 })), "Result [Nothing can match, so nothing is read]");
    const hidden = tree({ text: "scans are shown to callers that may read all records\nfilter: a", access: [], residual: "a", returnedRows: 0 });
    assert.equal(titles(hidden), "Result [Filter: test record by record [Scans]]");
    assert.equal(hidden.children[0].children[0].note, "scans are shown to callers that may read all records");
    const many = tree({ text: "union of 30\nscan", access: Array(20).fill(base.access[0]), returnedRows: 0 });
    assert.equal(many.children[0].note, "10 further scans are not listed");
});

test("only far more examined than returned rows are a waste", () => {
    assert.equal(waste({ examinedRows: 1_100, returnedRows: 10 }), null);
    assert.equal(waste({ examinedRows: 20_000, returnedRows: 10 }), 2_000);
    assert.equal(waste({}), null);
});
