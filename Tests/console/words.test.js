import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

import "./page.js";
import { words } from "../../Public/words-ja.js";
import { locale, t, tn, tp } from "../../Public/words.js";

const root = new URL("../../Public/", import.meta.url);
const files = readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".js") && !name.startsWith("examples/"));

/** The string literals at the start of `text`, joined by `+`, as one text, and what follows it; `null` if there is none. */
function literal(text) {
    let [value, rest, isFound] = ["", text, false];
    for (;;) {
        const found = /^\s*"((?:[^"\\]|\\.)*)"\s*/.exec(rest);
        if (found === null) return isFound ? { value, rest } : null;
        value += JSON.parse(`"${found[1]}"`);
        rest = rest.slice(found[0].length);
        isFound = true;
        if (!/^\+\s*"/.test(rest)) return { value, rest };
        rest = rest.slice(1);
    }
}

/** The texts for which a table needs an entry: those of `t(…)` and `tp(…)`, and the second one of `tn(…)`. */
function textsIn(source) {
    const code = source.replace(/^\s*(\/\/|\/?\*).*$/gm, "");
    return [...code.matchAll(/(?<![\w.])(t|tn|tp)\(/g)].flatMap(({ 0: call, 1: name, index }) => {
        const first = literal(code.slice(index + call.length));
        if (name !== "tn" || first === null) return first === null ? [] : [first.value];
        const second = literal(first.rest.replace(/^,/, ""));
        assert.ok(second !== null, `tn() has two texts after ${first.value}`);
        return [second.value];
    });
}

const used = new Set(files.filter((name) => !name.startsWith("words"))
    .flatMap((name) => textsIn(readFileSync(new URL(name, root), "utf8"))));
const blanks = (text) => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();

test("each text of the console has a Japanese one, and none is left over", () => {
    assert.ok(used.size > 200, `${used.size} texts`);
    assert.deepEqual([...used].filter((text) => !Object.hasOwn(words, text)), [], "without Japanese");
    assert.deepEqual(Object.keys(words).filter((text) => !used.has(text)), [], "no longer used");
});

test("a Japanese text has the blanks of the English one", () => {
    for (const [text, japanese] of Object.entries(words)) {
        assert.deepEqual(blanks(japanese), blanks(text), text);
        assert.ok(japanese !== "", text);
    }
});

test("a text has the same Japanese one in each table that has it", async () => {
    const known = new Map();
    for (const name of files.filter((each) => each.startsWith("ja/"))) {
        for (const table of Object.values(await import(new URL(name, root)))) {
            for (const [text, japanese] of Object.entries(table)) {
                assert.equal(japanese, known.get(text) ?? japanese, `${text} in ${name}`);
                known.set(text, japanese);
            }
        }
    }
});

test("blanks are filled, and numbers have two forms", () => {
    assert.equal(t("Item {number}", { number: 1234 }), "Item 1,234");
    assert.equal(t("{name} is not one of {words}", { name: "a" }), "a is not one of {words}");
    assert.equal(tn("{count} record", "{count} records", 1), "1 record");
    assert.equal(tn("{count} record", "{count} records", 0), "0 records");
    assert.deepEqual(tp("{name} and {count}.", { name: null, count: 1234 }), [null, " and ", "1,234", "."]);
    assert.equal(locale, "en");
});
