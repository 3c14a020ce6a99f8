import { localText } from "../dates.js";
import { make } from "../dom.js";
import { kind, understand } from "../fields/kinds.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import { nameOf } from "../users.js";

const longestText = 140;

function shortened(text) {
    return text.length > longestText ? text.slice(0, longestText).trimEnd() + "…" : text;
}

function isNumeric(type) {
    return type === "INT64" || type === "DOUBLE";
}

function cell(column, written, schemaType) {
    if (written === undefined || written === null) {
        const style = isNumeric(schemaType) ? "absent number" : "absent";
        return make("td", { role: "cell", class: style, "data-title": column },
            make("span", { class: "visually-hidden" }, "not set"));
    }
    const { type, value } = understand(written, schemaType);
    const shape = kind(type ?? "");
    const picture = shape.picture?.(value) ?? null;
    const text = shortened(shape.summary(value));
    return make("td", { role: "cell", class: isNumeric(type) ? "number" : null, "data-title": column },
        picture ?? make("span", { class: "value", title: text }, text === "" ? "“”" : text));
}

/** The link to a record. A user's record has a number as its name, so the account's name follows if it is known. */
function nameCell(typeName, recordName) {
    const link = make("a", { href: router.address(["types", typeName, "record", recordName]), title: recordName }, recordName);
    const cell = make("th", { scope: "row", role: "rowheader" }, link);
    if (typeName !== "Users") return cell;
    nameOf(recordName).then((name) => {
        if (name !== null) cell.prepend(make("strong", { class: "account" }, name));
    });
    return cell;
}

function row(typeName, record, columns) {
    return make("tr", { role: "row" },
        nameCell(typeName, record.recordName),
        [...columns].map(([column, type]) => cell(column, record.fields?.[column], type)),
        make("td", { role: "cell", class: "moment", "data-title": "modified" },
            record.modified === undefined ? "" : localText(record.modified.timestamp)));
}

/** The records of a page, with a column for each field of the type and for each further field of a record. */
export function recordTable(typeName, records) {
    const columns = schema.fields(typeName);
    for (const record of records) {
        for (const name of Object.keys(record.fields ?? {})) if (!columns.has(name)) columns.set(name, undefined);
    }
    const head = (text, type) => make("th", {
        scope: "col", role: "columnheader", class: isNumeric(type) ? "number" : null,
    }, text);
    return make("div", { class: "panel table records", role: "region", tabindex: "0", "aria-label": `Records of ${typeName}` },
        make("table", { role: "table" },
            make("caption", { class: "visually-hidden" }, `Records of ${typeName}`),
            make("thead", { role: "rowgroup" }, make("tr", { role: "row" },
                head("recordName"), [...columns].map(([name, type]) => head(name, type)), head("modified"))),
            make("tbody", { role: "rowgroup" }, records.map((record) => row(typeName, record, columns)))));
}
