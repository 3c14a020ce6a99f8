import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

const root = new URL("../../Public/", import.meta.url);
const read = (name) => readFileSync(new URL(name, root), "utf8");

/** The modules that a module imports before it runs, with those that they import, as paths below Public. */
function closure(name, found = new Set()) {
    if (found.has(name)) return found;
    found.add(name);
    for (const [, path] of read(name).matchAll(/^(?:import|export)\b[^;]*?"(\.[^"]+)";$/gms)) {
        closure(new URL(path, new URL(name, root)).pathname.slice(root.pathname.length), found);
    }
    return found;
}

test("the page asks at once for each module that the first page needs", () => {
    const needed = new Set([...closure("main.js"), ...closure("console.js"), ...closure("views/home.js")]);
    needed.delete("main.js");
    const page = read("index.html");
    const listed = [...page.matchAll(/<link rel="modulepreload" href="([^"]+)">/g)].map(([, name]) => name);
    assert.deepEqual(listed, [...needed].sort(), "the list in index.html");
    assert.ok(needed.size > 20 && !needed.has("views/records.js"), "rooms are loaded when they are visited");
    assert.ok(page.includes('<script type="module" src="main.js">'));
});

test("no module awaits outside of functions, as WebKit runs the importers of such a module too early", () => {
    const modules = readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".js") && !name.startsWith("examples"));
    assert.ok(modules.length > 100);
    for (const name of modules) assert.doesNotMatch(read(name), /^(?![ /*]).*(?<!async .*)\bawait\b/m, name);
});

test("each style sheet of the page exists, and no text or style comes from elsewhere", () => {
    const page = read("index.html");
    for (const [, name] of page.matchAll(/<link rel="stylesheet" href="([^"]+)">/g)) {
        assert.ok(!/url\(|@import|https?:/.test(read(name)), name);
    }
    assert.ok(!/https?:|style=|\son\w+=/.test(page));
});
