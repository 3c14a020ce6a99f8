// JSON with exact numbers. JavaScript's own parser turns 9007199254740993 into 9007199254740992 and 3.0 into 3.
// Here a number keeps its original text, so an INT64 passes through the console unchanged.

import { t } from "./words.js";

/** A JSON number as it was written. `Number(x)` and arithmetic use the nearest double. */
export class ExactNumber {
    constructor(text) {
        this.text = String(text);
        Object.freeze(this);
    }

    get isInteger() {
        return /^-?\d+$/.test(this.text);
    }

    valueOf() {
        return Number(this.text);
    }

    toString() {
        return this.text;
    }
}

/** A syntax error: `sentence` without the place. `line` and `column` start at 1, `offset` at 0; all count UTF-16 units. */
export class JSONProblem extends Error {
    constructor(sentence, text, offset) {
        const before = text.slice(0, offset);
        const line = before.split("\n").length;
        const column = offset - before.lastIndexOf("\n");
        super(t("Line {line}, column {column}: {sentence}", { line, column, sentence }));
        this.name = "JSONProblem";
        this.sentence = sentence;
        this.offset = offset;
        this.line = line;
        this.column = column;
    }
}

const maximumDepth = 200;
const blank = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const numberLike = /[-+.\w]+/y;
const plainCharacters = /[^"\\\u0000-\u001f]*/y;
const literals = new Map([["true", true], ["false", false], ["null", null]]);
const escapes = new Map([
    ['"', '"'], ["\\", "\\"], ["/", "/"], ["b", "\b"], ["f", "\f"], ["n", "\n"], ["r", "\r"], ["t", "\t"],
]);

/**
 * Parses JSON. Objects have no prototype, so `__proto__` is an ordinary key.
 * Throws `JSONProblem`, also for a duplicate key, which the server would reject.
 */
export function parse(text) {
    let at = 0;

    function take(pattern) {
        pattern.lastIndex = at;
        const found = pattern.exec(text);
        if (found === null) return "";
        at += found[0].length;
        return found[0];
    }

    function fail(sentence, offset = at) {
        throw new JSONProblem(sentence, text, offset);
    }

    function here() {
        return at < text.length ? `“${String.fromCodePoint(text.codePointAt(at))}”` : t("the end of the text");
    }

    function value(depth) {
        if (depth > maximumDepth) fail("the nesting is too deep.");
        take(blank);
        const first = text[at];
        if (first === "{") return object(depth);
        if (first === "[") return array(depth);
        if (first === '"') return string();
        const start = at;
        const written = take(numberLike);
        if (literals.has(written)) return literals.get(written);
        at = start;
        const digits = take(number);
        if (digits !== "" && digits === written) return new ExactNumber(digits);
        at = start;
        if (written === "") fail(`a value was expected, not ${here()}.`);
        if (/^[-+.\d]/.test(written)) return fail(t("“{text}” is not a JSON number.", { text: written }));
        return fail(t("“{text}” is not a JSON value; text needs double quotes.", { text: written }));
    }

    function object(depth) {
        const result = Object.create(null);
        at += 1;
        take(blank);
        if (text[at] === "}") {
            at += 1;
            return result;
        }
        for (;;) {
            take(blank);
            const start = at;
            if (text[at] !== '"') fail(`a key in double quotes was expected, not ${here()}.`);
            const key = string();
            if (key in result) fail(`the key “${key}” is duplicate.`, start);
            take(blank);
            if (text[at] !== ":") fail(`a colon was expected after the key, not ${here()}.`);
            at += 1;
            result[key] = value(depth + 1);
            take(blank);
            if (text[at] === ",") {
                at += 1;
            } else if (text[at] === "}") {
                at += 1;
                return result;
            } else {
                fail(`a comma or a closing brace was expected, not ${here()}.`);
            }
        }
    }

    function array(depth) {
        const result = [];
        at += 1;
        take(blank);
        if (text[at] === "]") {
            at += 1;
            return result;
        }
        for (;;) {
            result.push(value(depth + 1));
            take(blank);
            if (text[at] === ",") {
                at += 1;
            } else if (text[at] === "]") {
                at += 1;
                return result;
            } else {
                fail(`a comma or a closing bracket was expected, not ${here()}.`);
            }
        }
    }

    function string() {
        let result = "";
        const start = at;
        at += 1;
        for (;;) {
            result += take(plainCharacters);
            const next = text[at];
            if (next === '"') {
                at += 1;
                return result;
            }
            if (next === undefined) fail("this string is not closed.", start);
            if (next !== "\\") fail("a line break or control character inside a string must be escaped.");
            result += escape();
        }
    }

    function escape() {
        const letter = text[at + 1];
        if (escapes.has(letter)) {
            at += 2;
            return escapes.get(letter);
        }
        const digits = text.slice(at + 2, at + 6);
        if (letter !== "u" || !/^[0-9a-fA-F]{4}$/.test(digits)) fail("this escape is unknown.");
        at += 6;
        return String.fromCharCode(parseInt(digits, 16));
    }

    const result = value(0);
    take(blank);
    if (at < text.length) fail(`the end of the text was expected, not ${here()}.`);
    return result;
}

/** Serializes a value as JSON. `indent` is a number of spaces, 0 for one line. `undefined` values are omitted. */
export function stringify(value, indent = 0) {
    const lines = indent > 0;

    function block(open, close, parts, level) {
        if (parts.length === 0) return open + close;
        if (!lines) return open + parts.join(",") + close;
        const inner = "\n" + " ".repeat(indent * (level + 1));
        return open + inner + parts.join("," + inner) + "\n" + " ".repeat(indent * level) + close;
    }

    function write(item, level) {
        if (item === null) return "null";
        if (item instanceof ExactNumber) return item.text;
        if (Array.isArray(item)) return block("[", "]", item.map((each) => write(each, level + 1)), level);
        switch (typeof item) {
        case "string": return JSON.stringify(item);
        case "boolean": case "bigint": return String(item);
        case "number":
            if (Number.isFinite(item)) return String(item);
            break;
        case "object": {
            const parts = Object.keys(item).filter((key) => item[key] !== undefined)
                .map((key) => JSON.stringify(key) + (lines ? ": " : ":") + write(item[key], level + 1));
            return block("{", "}", parts, level);
        }
        }
        throw new TypeError("This value has no JSON form");
    }

    return write(value, 0);
}

/** Whether two JSON values have the same text. */
export function same(one, other) {
    if (one === undefined || other === undefined) return one === other;
    return stringify(one) === stringify(other);
}
