import assert from "node:assert/strict";
import test from "node:test";

import { EventParser, FeedError } from "../../Public/live.js";

const encoder = new TextEncoder();

/** The events of a text that arrives in pieces of this many bytes, or of `pieces` as they are. */
function events(text, size = Infinity) {
    const parser = new EventParser();
    const bytes = encoder.encode(text);
    const found = [];
    for (let start = 0; start < bytes.length; start += size) found.push(...parser.parse(bytes.slice(start, start + size)));
    return { events: found, lastID: parser.lastID, retry: parser.retry };
}

const cases = [
    ["types, data and ids", "event: change\ndata: {}\nid: 7\n\n", [["change", "{}", "7"]]],
    ["CR", "data: a\rdata: b\r\rdata: c\r\r", [["message", "a\nb", ""], ["message", "c", ""]]],
    ["CRLF", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", [["message", "a\nb", ""], ["message", "c", ""]]],
    ["all line ends together", "data: a\r\n\ndata: b\n\rdata: c\r\r\n\n\ndata: d\n\n",
        [["message", "a", ""], ["message", "b", ""], ["message", "c", ""], ["message", "d", ""]]],
    ["a comment", ":\n\n: data: a\n:\ndata: b\n\n", [["message", "b", ""]]],
    ["only the first blank counts", "data:a\ndata:  b\ndata: \ndata\n\n", [["message", "a\n b\n\n", ""]]],
    ["empty data is an event", "data:\n\ndata\n\n", [["message", "", ""], ["message", "", ""]]],
    ["a type without data is no event", "event: a\n\ndata: b\n\n", [["message", "b", ""]]],
    ["unknown names", "datas: a\n data: b\nDATA: c\ndata: d\n\n", [["message", "d", ""]]],
    ["an id lasts, and an empty one ends it", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
        [["message", "a", "1"], ["message", "b", "1"], ["message", "c", ""]]],
    ["an id with NUL does not count", "id: 1\nid: 2\0\ndata: a\n\n", [["message", "a", "1"]]],
    ["a byte order mark at the start alone", "\uFEFFdata: a\n\n\uFEFFdata: b\n\n", [["message", "a", ""]]],
    ["text of all sizes", "data: aä€😀\r\ndata: 😀\r\n\r\n", [["message", "aä€😀\n😀", ""]]],
    ["an event that is not complete", "data: a\n\ndata: b\n", [["message", "a", ""]]],
    ["colons in values", "data: a: b:c\nid: 4:2\n\n", [["message", "a: b:c", "4:2"]]],
];

for (const [name, text, expected] of cases) {
    test(`the parser knows ${name}, wherever the bytes are split`, () => {
        const wanted = expected.map(([type, data, lastID]) => ({ type, data, lastID }));
        for (const size of [Infinity, 1, 2, 3, 5, 7]) assert.deepEqual(events(text, size).events, wanted, `pieces of ${size}`);
    });
}

test("an id counts with the blank line, with or without data", () => {
    assert.equal(events("id: 1\n\n").lastID, "1");
    assert.equal(events("id: 1\n\nid: 2\n").lastID, "1");
    assert.equal(new EventParser("9").lastID, "9");
});

test("retry takes digits alone", () => {
    assert.equal(events("retry: 2500\n\n").retry, 2500);
    for (const wrong of ["-1", "1.5", "1e3", "", "a", " 1"]) {
        assert.equal(events(`retry: ${wrong}\n\n`).retry, undefined, wrong);
    }
});

test("an event has a largest size, in one line, in many, and without an end", () => {
    const parse = (text) => new EventParser("", 20).parse(encoder.encode(text));
    assert.equal(parse(`data: ${"x".repeat(14)}\n\n`).length, 1);
    assert.throws(() => parse(`data: ${"x".repeat(15)}\n\n`), FeedError);
    assert.throws(() => parse(`data: ${"x".repeat(15)}`), FeedError);
    assert.throws(() => parse("data: 12345678\ndata: 12345678\ndata: 12345678\n\n"), FeedError);
    assert.equal(parse("data: 12345678\n\n".repeat(50)).length, 50);
});

test("a large event may come in many pieces", () => {
    const parser = new EventParser();
    const piece = encoder.encode("x".repeat(1 << 10));
    parser.parse(encoder.encode("data: "));
    for (let count = 0; count < 8 << 10; count += 1) assert.deepEqual(parser.parse(piece), []);
    assert.equal(parser.parse(encoder.encode("\n\n"))[0].data.length, 8 << 20);
});
