// Positions in a text of the schema language or JSON: from the server's lines and columns to those of a text area.

/** Whether a text is a schema as JSON. */
export function isJSON(text) {
    return text.trimStart().startsWith("{");
}

/** The place in UTF-16 units of a line and a column, both from 1. The server counts columns in Unicode characters. */
export function offsetAt(text, line, column) {
    let start = 0;
    for (let passed = 1; passed < line; passed += 1) {
        const end = text.indexOf("\n", start);
        if (end < 0) return text.length;
        start = end + 1;
    }
    const end = text.indexOf("\n", start);
    const units = [...text.slice(start, end < 0 ? text.length : end)].slice(0, column - 1).join("").length;
    return start + units;
}

/** The line and the column of a place, both from 1. */
export function positionAt(text, offset) {
    const before = text.slice(0, offset);
    const start = before.lastIndexOf("\n") + 1;
    return { line: before.split("\n").length, column: [...before.slice(start)].length + 1 };
}

const token = /"[^"\n]*"?|[\p{L}\p{M}\p{N}_]+|[^\s]/uy;

/** The end of the word or sign at a place; the place itself at the end of a line. */
export function tokenEnd(text, offset) {
    token.lastIndex = offset;
    return token.test(text) ? token.lastIndex : offset;
}

const quoted = (name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** The place of a name in a text, as `[start, end]`: of a type, or of a field in it; `null` if it is not there. */
export function find(text, type, field) {
    const of = isJSON(text) ? { type: `("${quoted(type)}")\\s*:`, field: `("${quoted(field ?? "")}")\\s*:` }
        : { type: `\\bRECORD\\s+TYPE\\s+("?${quoted(type)}"?)\\s*\\(`, field: `[(,\\n]\\s*("?${quoted(field ?? "")}"?)\\s+[A-Z]` };
    const first = new RegExp(of.type, "iud").exec(text);
    if (first === null) return null;
    if (field === undefined) return first.indices[1];
    const from = first.index + first[0].length - 1;
    const second = new RegExp(of.field, "iud").exec(text.slice(from));
    return second === null ? first.indices[1] : second.indices[1].map((place) => place + from);
}

/**
 * Where and what the server complains about: `{sentence, start?, end?, line?, column?}`. Errors of the grammar have a line and a column,
 * others the names of a type and a field.
 */
export function problemOf({ message, details }, text) {
    const { line, column, recordType, field } = details ?? {};
    const sentence = message.replace(/^Line \d+, column \d+: /, "");
    let range = null;
    if (line !== undefined && column !== undefined) {
        const start = offsetAt(text, Number(line), Number(column));
        range = [start, tokenEnd(text, start)];
    } else if (typeof recordType === "string") {
        range = find(text, recordType, typeof field === "string" ? field : undefined);
    }
    if (range === null) return { sentence };
    return { sentence, start: range[0], end: range[1], ...positionAt(text, range[0]) };
}
