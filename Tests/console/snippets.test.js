import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { promisify } from "node:util";

import "./page.js";
import { admin, Server } from "../live/server.js";

const { shell, snippets, swiftNames, tasks } = await import("../../Public/snippets.js");
const run = promisify(execFile);
const dot = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const fields = {
    title: "STRING", likes: "INT64", ratio: "DOUBLE", seen: "TIMESTAMP", raw: "BYTES", place: "LOCATION", author: "REFERENCE",
    tags: "STRING_LIST", image: "ASSET",
};
/** Types with names that need care, and each kind of field. */
const types = {
    Post: { fields, indexes: ["title"] },
    Numbers: { fields: { likes: "INT64", sizes: "DOUBLE_LIST", images: "ASSET_LIST" }, indexes: ["likes"] },
    船: { fields: { in: "STRING", 名前: "STRING", places: "LOCATION_LIST" }, indexes: ["in"] },
    Times: { fields: { seen: "TIMESTAMP", authors: "REFERENCE_LIST", moments: "TIMESTAMP_LIST" }, indexes: ["seen"] },
    Listed: { fields: { title: "STRING" }, indexes: ["title"], needsList: true },
    Bare: { fields: { tags: "STRING_LIST" }, indexes: [] },
};
let server, folder, owner;

function context(type, scope = {}) {
    return {
        type, fields: new Map(Object.entries(types[type].fields)), indexed: new Set(types[type].indexes), isProduction: false,
        needsList: types[type].needsList === true,
        url: server?.url ?? "http://127.0.0.1:8080", scope,
    };
}

before(async () => {
    server = await Server.start();
    folder = await mkdtemp(join(tmpdir(), "fogbase-snippets-"));
    await writeFile(join(folder, "picture.jpg"), dot);
    const schema = await server.call("GET", "/schema");
    for (const [name, type] of Object.entries(types)) {
        schema.types[name] = { fields: Object.fromEntries(Object.entries(type.fields).map(([field, kind]) => [field, {
            type: kind, ...(type.indexes.includes(field) ? { indexes: ["QUERYABLE"] } : {}),
        }])), ...(type.needsList && { aclRequired: true }) };
    }
    await server.call("PUT", "/schema", schema);
    const user = await server.call("POST", "/users", { name: "ada", password: "correct horse" });
    owner = user.user.userRecordName;
    await server.call("PUT", "/zones/Book%20%27one%27?database=private", undefined, user.token);
});
after(async () => {
    await server.end();
    await rm(folder, { recursive: true });
});

/** The places in which the console can be. */
const scopes = () => [{}, { environment: "development" }, { environment: "development", database: "private", owner, zone: "Book 'one'" }];

/** Runs a command as it is printed, in a shell. */
async function curl(command) {
    const { stdout } = await run("sh", ["-c", `${command.replace(/^curl/, "curl -sS --fail-with-body")}`], {
        cwd: folder, env: { PATH: process.env.PATH, TOKEN: admin },
    });
    return stdout === "" ? null : JSON.parse(stdout);
}

test("the commands for curl work as they are printed, one after the other", async () => {
    for (const type of Object.keys(types)) {
        for (const scope of scopes()) {
            const code = snippets("curl", context(type, scope));
            const results = {};
            for (const task of tasks) results[task] = await curl(code[task]);
            assert.equal(results.create.recordName, "example", type);
            for (const task of ["list", "query"]) {
                assert.deepEqual(results[task].records.map(({ recordName }) => recordName), ["example"], `${type}: ${task}`);
            }
            assert.equal(results.delete, null);
            const found = Object.keys(results.change.fields);
            assert.ok(found.length > 0 && found.every((name) => name in types[type].fields), type);
            const file = Object.entries(types[type].fields).find(([, kind]) => kind.startsWith("ASSET"));
            if (file === undefined) assert.ok(results.upload.asset.receipt.length > 0);
            else assert.ok(results.upload.fields[file[0]] !== undefined, type);
        }
    }
});

test("the code for JavaScript works as it is printed, one after the other", async () => {
    const AsyncFunction = (async () => {}).constructor;
    for (const type of Object.keys(types)) {
        for (const scope of scopes()) {
            const code = snippets("javascript", context(type, scope));
            const printed = [];
            const page = { querySelector: () => ({ files: [new File([dot], "dot.png", { type: "image/png" })] }) };
            const log = { log: (...values) => printed.push(values) };
            for (const task of tasks) await new AsyncFunction("token", "document", "console", code[task])(admin, page, log);
            assert.ok(printed.some(([first]) => first === "example"), JSON.stringify(printed));
        }
    }
});

test("a text is one word for a shell", async () => {
    for (const text of ["it's", "a\\b", "$TOKEN `date` \"x\"", "船\n！", "'"]) {
        assert.equal((await run("sh", ["-c", `printf %s ${shell(text)}`])).stdout, text);
    }
});

/** The calls of Swift code as `name(label:label:)`, each with the labels that follow its parenthesis directly. */
function calls(code) {
    const found = new Set();
    for (const { index, 0: name } of code.matchAll(/(?<=[.\s(])[A-Za-z]\w*(?=(?:<\w+>)?\()/g)) {
        const start = code.indexOf("(", index);
        let [depth, at] = [0, start];
        const labels = [];
        for (; at < code.length; at += 1) {
            if ("([{".includes(code[at])) depth += 1;
            if (")]}".includes(code[at])) depth -= 1;
            if (depth === 0) break;
            const label = depth === 1 ? /^[(,]\s*([a-z]\w*):/.exec(code.slice(at)) : null;
            if (label !== null) labels.push(label[1]);
        }
        found.add(`${name}(${labels.map((label) => `${label}:`).join("")})`);
    }
    return found;
}

test("the code for Swift has only calls that the tested pages of the client's manual have", async () => {
    const manual = new URL("../../Sources/FogbaseClient/FogbaseClient.docc/", import.meta.url);
    const pages = await Promise.all((await readdir(manual)).map((name) => readFile(new URL(name, manual), "utf8")));
    const blocks = pages.flatMap((text) => [...text.matchAll(/```swift\n(.*?)```/gs)].map(([, block]) => block)).join("\n");
    const known = calls(blocks);
    // Not on these pages: calls of Swift and Foundation, and two whose declarations are compared.
    const further = new Map([["URL(fileURLWithPath:)", null], ["Data()", null], ["Date()", null], ["append()", null],
        ["privateDatabase(of:)", "Fogbase.swift"], ["Location(latitude:longitude:)", "../RecordModel/FieldValue.swift"]]);
    for (const [call, path] of further) {
        if (path === null) continue;
        const source = await readFile(new URL(`../${path}`, manual), "utf8");
        const [, name, labels] = /^(\w+)\((.*)\)$/.exec(call);
        const wanted = name === "Location" ? "init(latitude: Double, longitude: Double)" : `func ${name}(${labels.slice(0, -1)} `;
        assert.ok(source.includes(wanted), call);
    }
    for (const type of Object.keys(types)) {
        for (const scope of [{}, { container: "iCloud.a", environment: "production" }, { database: "private", owner: "_1", zone: "Book" }]) {
            const code = snippets("swift", context(type, scope));
            const { model } = swiftNames(type, new Map(Object.entries(types[type].fields)));
            for (const each of calls(Object.values(code).join("\n"))) {
                if (each.startsWith(`${model}(`)) continue;
                assert.ok(known.has(each) || further.has(each), `${each} is not in the manual`);
            }
        }
    }
});

test("a model in Swift has names that Swift allows", () => {
    const names = (type, ...keys) => swiftNames(type, new Map(keys.map((key) => [key, "STRING"])));
    assert.equal(names("post").model, "Post");
    assert.equal(names("Asset").model, "AssetModel");
    assert.deepEqual([...names("Post", "in", "inValue", "id", "title").properties.values()], ["inValueValue", "inValue", "idValue", "title"]);
    const code = snippets("swift", { ...context("船"), scope: {} });
    assert.match(code.setup, /@RecordCodable\nstruct 船 \{\n {4}@Field\("in"\) var inValue: String\?\n {4}var 名前: String\?\n {4}var places: \[Location\] = \[\]\n\}/);
    assert.match(snippets("swift", context("Post")).create, /Post\(title: "sea", likes: 3, ratio: 2\.5, seen: Date\(\), raw: Data\(\[1, 2, 3\]\), /);
});
