import assert from "node:assert/strict";
import test from "node:test";

await import("./page.js");
const exports_ = await import("../../Public/exports.js");
const imports = await import("../../Public/imports.js");
const operation = await import("../../Public/operation.js");
const session = await import("../../Public/session.js");
const { fromAddress } = await import("../../Public/search.js");
const { ExactNumber, parse } = await import("../../Public/json.js");

const bytes = (text) => new TextEncoder().encode(text);
const csv = { separator: ";", quote: "\"", escape: "doubled", noValue: "", header: true, separatorLine: false, shortRows: "fill" };
const draft = (more = {}) => ({ ...imports.makeDraft({ file: { receipt: "r" }, name: "goods.csv", size: 4, bytes: bytes("a;b\n"), recordType: "Goods" }), ...more });
const guessed = () => ({ recordType: "Goods", columns: [
    { column: "Nr", field: "nr", type: "STRING" }, { column: "Preis", field: "preis", type: "STRING" }, { column: "Notiz", skip: true },
] });
const answer = (more = {}) => ({ encoding: "utf-16le", table: csv, columns: ["Nr", "Preis", "Notiz"], mapping: guessed(), rows: [], records: [], problems: [], ...more });

test("the format is known by the name, else by the first sign", () => {
    const format = (name, text) => imports.guessedFormat(name, bytes(text));
    assert.deepEqual(["a.CSV", "a.tsv", "a.txt", "a.jsonl", "a.NDJSON"].map((name) => format(name, "{")),
        ["table", "table", "table", "jsonLines", "jsonLines"]);
    assert.equal(format("export", "\uFEFF \n{\"fields\":{}}"), "jsonLines");
    assert.equal(format("export", "id,{a}"), "table");
    assert.ok(imports.isArchive(bytes("PK\u0003\u0004…")) && imports.isArchive(new Uint8Array([0x1F, 0x8B])));
    assert.ok(!imports.isArchive(bytes("PK,name\n")) && !imports.isArchive(bytes("")));
});

test("a column that becomes something else keeps the options that still have a meaning", () => {
    const known = new Map([["price", "DOUBLE"], ["added", "TIMESTAMP"]]);
    const entry = { column: "Preis", field: "preis", type: "INT64", decimal: ",", true: ["ja"] };
    assert.deepEqual(imports.retyped(entry, "DOUBLE"), { column: "Preis", field: "preis", type: "DOUBLE", decimal: "," });
    assert.deepEqual(imports.retyped(entry, "STRING"), { column: "Preis", field: "preis", type: "STRING" });
    assert.deepEqual(imports.renamed(entry, "price", known), { column: "Preis", field: "price", type: "DOUBLE", decimal: "," });
    assert.deepEqual(imports.renamed(entry, "other", known), { ...entry, field: "other" });
    assert.deepEqual(imports.turned(entry, "skip", known), { column: "Preis", skip: true });
    const time = { column: "added", as: "createdTimestamp", date: "day-first" };
    assert.deepEqual(imports.turned(time, "field", known), { column: "added", field: "added", type: "TIMESTAMP", date: "day-first" });
    assert.deepEqual(imports.turned(time, "recordName", known), { column: "added", as: "recordName" });
    assert.deepEqual(imports.turned({ column: "Price (EUR)", skip: true }, "field", known), { column: "Price (EUR)", field: "PriceEUR", type: "STRING" });
    assert.deepEqual(["2026", "recordName", "größe", "…"].map(imports.fieldName), ["field2026", "fieldRecordName", "größe", "field"]);
    assert.deepEqual(imports.withOptions(entry, { decimal: undefined, true: [], thousands: ".", false: ["nein"] }),
        { column: "Preis", field: "preis", type: "INT64", thousands: ".", false: ["nein"] });
    assert.deepEqual(imports.optionKeys({ type: "LOCATION_LIST" }), ["decimal", "separator"]);
    assert.deepEqual(imports.optionKeys({ as: "recordName" }), []);
    assert.ok(!imports.columnTypes.includes("ASSET") && !imports.columnTypes.includes("ASSET_LIST"));
});

test("the first preview is a guess, and the user's changes come on top of it", async () => {
    const sent = [];
    const ask = async (body) => {
        sent.push(body);
        return answer(body.mapping === undefined ? {} : { mapping: body.mapping });
    };
    const one = draft();
    let last = await imports.preview(one, null, ask);
    assert.deepEqual(sent, [{ file: one.file, format: "table", recordType: "Goods", encoding: undefined, table: undefined, mapping: undefined }]);
    // A change of a column does not ask for the guess again.
    one.columns = { Preis: { column: "Preis", field: "price", type: "DOUBLE", decimal: "," } };
    last = await imports.preview(one, last, ask);
    assert.equal(sent.length, 2);
    assert.deepEqual(sent[1].mapping.columns, [guessed().columns[0], one.columns.Preis, guessed().columns[2]]);
    // Another separator is another guess. What the user has not set stays as it was.
    one.table = { separator: "," };
    last = await imports.preview(one, last, ask);
    assert.deepEqual(sent.slice(2).map(({ table, mapping }) => [table.separator, table.quote, mapping !== undefined]),
        [[",", "\"", false], [",", "\"", true]]);
    // Columns that the file no longer has are not sent.
    one.columns = { Other: { column: "Other", skip: true } };
    last = await imports.preview(one, last, ask);
    assert.equal(sent.length, 4);
    assert.deepEqual(last.answer.mapping, guessed());
    one.timeZone = "Europe/Berlin";
    await imports.preview(one, last, ask);
    assert.equal(sent.at(-1).mapping.timeZone, "Europe/Berlin");
    assert.equal(sent.length, 5);
});

test("an import says what its newest preview has shown", () => {
    const found = answer();
    assert.deepEqual(imports.importBody(draft({ existing: "skip", maxRejected: "10" }), found, false), {
        file: { receipt: "r" }, format: "table", encoding: "utf-16le", table: csv, mapping: found.mapping, existing: "skip",
        dryRun: undefined, maxRejected: 10,
    });
    const lines = draft({ format: "jsonLines", recordType: "" });
    assert.deepEqual(imports.importBody(lines, { records: [], problems: [] }, true),
        { file: { receipt: "r" }, format: "jsonLines", recordType: undefined, existing: "reject", dryRun: true, maxRejected: undefined });
    assert.deepEqual(imports.previewBody(draft({ format: "jsonLines", encoding: "utf-16", table: { separator: ";" } })),
        { file: { receipt: "r" }, format: "jsonLines", recordType: "Goods", encoding: undefined, table: undefined, mapping: undefined });
});

test("an answer that comes late does not replace a newer one, and neither does its error", async () => {
    const waiting = [];
    const seen = [];
    const renew = imports.newest(() => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
        { done: (result) => seen.push(result), failed: (error) => seen.push(error.message) });
    const [first, second, third] = [renew(), renew(), renew()];
    waiting[1].reject(new Error("second"));
    waiting[2].resolve("third");
    await third;
    waiting[0].resolve("first");
    await Promise.all([first, second]);
    assert.deepEqual(seen, ["third"]);
    // A caller that waits for an earlier one waits for the newest.
    const fourth = renew();
    const fifth = renew();
    let isOver = false;
    fourth.then(() => { isOver = true; });
    waiting[3].resolve("fourth");
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isOver, false);
    waiting[4].reject(new Error("fifth"));
    await fourth;
    await fifth;
    assert.deepEqual(seen, ["third", "fifth"]);
});

const problem = (line, column, value, more = {}) => ({ reason: `in line ${line}`, line: new ExactNumber(String(line)), column, value, ...more });
const shown = (found, more = {}) => imports.readPreview(draft(more), { guess: found, answer: found }).rows
    .map(({ cells, record, problem: wrong }) => [cells?.[0], record ?? (wrong === undefined ? undefined : Number(wrong.line))]);

test("each problem is at its row, whatever the lines", () => {
    // A cell with line breaks, a row that has too many cells (line 5), and a blank line.
    const found = answer({
        rows: [["1", "2,5", "a\r\nb"], ["2", "viel", null], ["3", "4", null], ["4", "viel", null]],
        records: ["one", "three"],
        problems: [{ reason: "The row in line 5 has 8 cells", line: new ExactNumber("5") }, problem(4, "Preis", "viel"), problem(8, "Preis", "viel")],
    });
    assert.deepEqual(shown(found), [["1", "one"], ["2", 4], ["3", "three"], ["4", 8]]);
    const { others } = imports.readPreview(draft(), { guess: found, answer: found });
    assert.deepEqual(others.map(imports.sentence), ["The row in line 5 has 8 cells"]);
});

test("a cell that is right in one row can be wrong in another, as with latitudes", () => {
    const found = answer({
        columns: ["lat", "lon"], rows: [["1.5", "2"], ["1.5", "x"], ["1.5", "3"]], records: ["one", "three"],
        problems: [problem(3, "lat", "1.5")],
    });
    assert.deepEqual(shown(found), [["1.5", "one"], ["1.5", 3], ["1.5", "three"]]);
});

test("long cells are compared by their beginnings, and problems of later rows are none of the first ones", () => {
    const long = `${"x".repeat(200)}…`;
    const found = answer({
        rows: [["1", "1", ""], ["2", long, ""]], records: ["one"],
        problems: [problem(3, "Preis", `${"x".repeat(64)}…`), problem(40, "Preis", "1")],
    });
    assert.deepEqual(shown(found), [["1", "one"], ["2", 3]]);
    assert.equal(imports.readPreview(draft(), { guess: found, answer: found }).others.length, 1);
    // More problems than the server lists: the rest has cells only.
    assert.deepEqual(shown(answer({ rows: [["1", "a", ""], ["2", "b", ""]], records: ["one"], problems: [] })), [["1", "one"], ["2", undefined]]);
});

test("what is doubtful in a guess is said until the user changes the column", () => {
    const guess = answer({ problems: [{ reason: "Column 'Preis': …", column: "Preis" }, { reason: "not UTF-8", line: new ExactNumber("1"), suggestion: "x" }] });
    const read = (more) => imports.readPreview(draft(more), { guess, answer: guess });
    assert.deepEqual([...read({}).ofColumns], [["Preis", "Column 'Preis': …"]]);
    assert.deepEqual(read({}).others.map(imports.sentence), ["Line 1: not UTF-8"]);
    assert.equal(read({ columns: { Preis: { column: "Preis", skip: true } } }).ofColumns.size, 0);
});

test("the lines of JSON are in the order of the file, with blank ones left out", () => {
    const text = "{\"fields\":{}}\n\nno JSON\n{\"recordName\":\"x\"}\n";
    const lines = imports.makeDraft({ file: {}, name: "a.jsonl", size: text.length, bytes: bytes(text), recordType: "" });
    assert.deepEqual(lines.lines, [1, 3, 4]);
    const found = { records: [{ fields: {} }, { recordName: "x" }], problems: [{ line: new ExactNumber("3"), reason: "not well formed" }] };
    const rows = (more) => imports.readPreview({ ...lines, ...more }, { guess: found, answer: found }).rows
        .map(({ record, problem: wrong }) => record?.recordName ?? wrong?.reason ?? "first");
    assert.deepEqual(rows({}), ["first", "not well formed", "x"]);
    // A line that is longer than the beginning of the file.
    assert.deepEqual(rows({ lines: [] }), ["first", "x", "not well formed"]);
});

test("a preview has the columns of the mapping, the record name first", () => {
    const mapping = { recordType: "Goods", columns: [{ column: "a", field: "title", type: "STRING" }, { column: "b", skip: true },
        { column: "c", as: "createdTimestamp" }, { column: "d", as: "recordName" }] };
    assert.deepEqual(imports.previewColumns(draft(), { mapping, records: [] }).map(({ name, column }) => [name, column]),
        [["recordName", "d"], ["title", "a"], ["createdTimestamp", "c"]]);
    const records = [parse(`{"recordName":"x","fields":{"a":1}}`), parse(`{"fields":{"b":2},"created":{"timestamp":5},"recordType":"Post"}`)];
    assert.deepEqual(imports.previewColumns(draft({ format: "jsonLines" }), { records }).map(({ name }) => name),
        ["recordName", "createdTimestamp", "recordType", "a", "b"]);
    assert.equal(String(imports.systemText(records[1], "createdTimestamp")), "5");
    assert.equal(imports.systemText({ zoneID: { zoneName: "Book" }, parent: { recordName: "p" } }, "zoneName"), "Book");
});

test("an export has the condition, order and fields of the list", () => {
    const search = (text) => fromAddress(new URLSearchParams(text));
    const table = { format: "table", separator: ";", isForExcel: true, fields: ["title"] };
    assert.deepEqual(exports_.exportBody("Goods", search("where=price > 1&sort=-price"), table), {
        format: "table", recordType: "Goods", where: "price > 1", sort: "-price", fields: ["title"], table: { separator: ";" }, byteOrderMark: true,
    });
    const words = exports_.exportBody("Goods", search("words=o'neil&where=a = 1"), { ...table, format: "jsonLines", fields: null });
    assert.equal(words.sort, "-rank()");
    assert.match(words.where, /^SELF CONTAINS_ALL_TOKENS .*neil.* AND \(a = 1\)$/);
    assert.deepEqual([words.fields, words.table, words.byteOrderMark], [undefined, undefined, undefined]);
    assert.equal(exports_.exportBody("Goods", search(""), table).where, undefined);
    const fields = new Map([["a", "STRING"], ["b", "STRING"], ["c", "STRING"]]);
    assert.deepEqual(exports_.shownFields(fields, { order: ["c", "createdTimestamp", "a"], hidden: ["b"] }), ["c", "a"]);
    assert.deepEqual([{ format: "jsonLines" }, { format: "table" }, { format: "table", table: { separator: "\t" } }]
        .map((task) => exports_.fileName({ recordType: "Goods", ...task })), ["Goods.jsonl", "Goods.csv", "Goods.tsv"]);
});

test("only callers that may read a job's file are offered it", () => {
    const job = { by: { kind: "user", name: "ada" }, database: "public" };
    session.enter({ name: "grace", isAdministrator: true, role: "viewer" });
    assert.equal(operation.canRead(job), true);
    assert.equal(operation.canRead({ ...job, database: "private" }), false);
    session.enter({ name: "mailer", scope: {} });
    assert.equal(operation.canRead(job), false);
    assert.equal(operation.canRead({ ...job, by: { kind: "key", name: "mailer" } }), true);
    session.forget();
});

test("a dry run is continued with what it was", () => {
    const [one, last] = [draft(), { answer: answer() }];
    imports.keep("a", one, last);
    assert.deepEqual([imports.keptFor("a").draft, imports.keptFor("a").last], [one, last]);
    assert.equal(imports.keptFor("b"), null);
    assert.equal(imports.keptFor(null), null);
});
