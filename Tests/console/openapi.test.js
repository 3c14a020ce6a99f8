import assert from "node:assert/strict";
import test, { after, before } from "node:test";

import "./page.js";
import { Server } from "../live/server.js";
import { parse, stringify } from "../../Public/json.js";

const openapi = await import("../../Public/openapi.js");
let server, document, all;

before(async () => {
    server = await Server.start();
    document = parse(await (await fetch(`${server.url}/openapi.json`)).text());
    all = openapi.operations(document);
});
after(() => server.end());

const route = (id) => all.find((each) => each.id === id);

test("each route of the server has a group, a summary and parameters with names", () => {
    assert.ok(all.length > 100, `${all.length} routes`);
    for (const each of all) {
        assert.ok(each.group !== "" && each.summary !== "" && each.responses.length > 0, each.id);
        assert.ok(each.parameters.every(({ name, in: place }) => name !== undefined && ["path", "query", "header"].includes(place)), each.id);
        const inPath = [...each.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        assert.deepEqual(each.parameters.filter(({ in: place }) => place === "path").map(({ name }) => name), inPath, each.id);
    }
    assert.equal(new Set(all.map(({ key }) => key)).size, all.length, "names of routes");
    assert.equal([...openapi.groups(all).values()].flat().length, all.length);
});

test("each body and response has a schema as text, and each JSON body an example that is an object", () => {
    for (const { id, body, responses } of all) {
        for (const { schema } of [...body?.contents ?? [], ...responses.flatMap(({ contents }) => contents)]) {
            const text = openapi.schemaText(document, schema);
            assert.ok(text.length > 0 && !text.includes("[object Object]") && !text.includes("undefined"), `${id}: ${text}`);
        }
        for (const { mediaType, schema } of body?.contents ?? []) {
            if (mediaType !== "application/json") continue;
            const text = stringify(openapi.example(document, schema), 2);
            assert.ok(text.startsWith("{"), `${id}: ${text}`);
            for (const key of openapi.resolved(document, schema).required ?? []) assert.ok(key in JSON.parse(text), `${id}: ${key}`);
        }
    }
    assert.match(openapi.schemaText(document, route("putSchedule").body.contents[0].schema),
        /^\{\n {2}cron: string {2}\/\/ Minute.*\n {2}timeZone\?: string .*\n {2}task: \{\n {4}kind: "deleteRecords" \| "updateRecords"\n/);
});

test("routes are found by words of path, summary and parameters", () => {
    const found = (text) => openapi.search(all, text).map(({ id }) => id);
    assert.deepEqual(found("post schedules/{name}/run"), ["runSchedule"]);
    assert.ok(found("dryrun delete query").length === 1);
    assert.deepEqual(found("no such route"), []);
    assert.equal(found(" ").length, all.length);
});

test("a value in a path is encoded", () => {
    assert.equal(openapi.pathOf(route("readRecord"), { type: "船", name: "a/b %" }), "/records/%E8%88%B9/a%2Fb%20%25");
});
