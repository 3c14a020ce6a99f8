// Builds the text of conditions, in the server's predicate syntax.

const keywords = new Set([
    "and", "or", "not", "any", "some", "all", "none", "in", "between", "contains", "beginswith", "endswith", "like", "matches",
    "tokenmatches", "null", "nil", "true", "false", "yes", "no", "self", "subquery", "truepredicate", "falsepredicate",
]);
const escapes = new Map([["\\", "\\\\"], ["'", "\\'"], ["\n", "\\n"], ["\r", "\\r"], ["\t", "\\t"]]);

/** The name of a field in a condition. Keywords need a `#`. */
export function field(name) {
    return keywords.has(name.toLowerCase()) ? `#${name}` : name;
}

/** A text as a literal in quotes. */
export function quoted(text) {
    const escaped = text.replace(/[\\'\u0000-\u001f\u007f]/g, (each) => escapes.get(each)
        ?? "\\u" + each.charCodeAt(0).toString(16).padStart(4, "0"));
    return `'${escaped}'`;
}

/** A time as a literal. Years outside 1 to 9999 have no date; the server also accepts milliseconds. */
export function time(milliseconds) {
    const date = new Date(milliseconds);
    const isDate = date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;
    return isDate ? `date('${date.toISOString().replace(".000Z", "Z")}')` : String(milliseconds);
}

/** Whether the text has `OR` outside of an outer pair of parentheses, perhaps only in a string. */
function needsParentheses(where) {
    return /\bor\b|\|\|/i.test(where) && !isEnclosed(where);
}

/** Whether one pair of parentheses encloses the whole text. */
function isEnclosed(where) {
    let [depth, quote] = [0, ""];
    for (let at = 0; at < where.length; at += 1) {
        const sign = where[at];
        if (quote !== "") {
            if (sign === "\\") at += 1;
            else if (sign === quote) quote = "";
        } else if (sign === "'" || sign === '"') {
            quote = sign;
        } else if (sign === "(") {
            depth += 1;
        } else if (sign === ")") {
            depth -= 1;
        }
        if (depth === 0 && at < where.length - 1) return false;
    }
    return where !== "" && depth === 0;
}

/** The condition that both are true. An empty one is always true. */
export function both(where, condition) {
    if (where === "") return condition;
    return `${needsParentheses(where) ? `(${where})` : where} AND ${condition}`;
}

/** A number of degrees for people: with as many digits as `step` degrees need, and no zeros at the end. */
function degrees(value, step) {
    const digits = Math.min(7, Math.max(0, Math.ceil(-Math.log10(step))));
    return String(Number(value.toFixed(digits)) + 0);
}

/** A distance with its unit: three digits are enough for a drawn circle. */
export function distanceText(meters) {
    const rounded = Number(meters.toPrecision(3));
    return rounded >= 1000 ? `${Number((rounded / 1000).toPrecision(3))} km` : `${rounded} m`;
}

/** The places at most so far from a place. `step` is the precision of the coordinates in degrees. */
export function inCircle(name, { center, meters }, step) {
    const place = `loc(${degrees(center.latitude, step)}, ${degrees(center.longitude, step)})`;
    return `distance(${field(name)}, ${place}) <= ${distanceText(meters)}`;
}

/** The places in a box `{south, west, north, east}`. */
export function inBox(name, { south, west, north, east }, step) {
    return `${field(name)} IN box(${[south, west, north, east].map((each) => degrees(each, step)).join(", ")})`;
}

/** Adds a drawn condition on a field to a search. It replaces the one that was drawn before, at the end of the text. */
export function withDrawn(where, name, condition) {
    const each = field(name).replace(/[$]/g, "\\$&");
    const number = "-?[\\d.]+(?:e[-+]?\\d+)?";
    const drawn = new RegExp(`(^| AND )(?:distance\\(${each}, loc\\(${number}, ${number}\\)\\) <= ${number} k?m`
        + `|${each} IN box\\((?:${number}(?:, )?){4}\\))$`);
    const found = drawn.exec(where);
    const rest = found === null ? where : where.slice(0, found.index);
    // Behind `a OR b`, the drawn condition belongs to `b`, so it stays.
    return both(found !== null && needsParentheses(rest) ? where : rest, condition);
}
