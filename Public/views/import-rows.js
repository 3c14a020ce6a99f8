// The first rows of a file as the list would show them, and what is wrong with them.

import { make } from "../dom.js";
import { localText } from "../dates.js";
import * as imports from "../imports.js";
import * as schema from "../schema.js";
import { number, t } from "../words.js";
import { systemTitle } from "./import-columns.js";
import { content } from "./record-table.js";
import { columnTable } from "./table.js";

/** So many columns are shown, as a file can have thousands. */
const mostColumns = 40;
const times = ["createdTimestamp", "modifiedTimestamp"];

/** The text of a value of a record that does not exist yet; `null` for no value. */
function textOf(record, { name, type, isSystem }, types) {
    if (!isSystem) return content(record, { name, type: type ?? types.get(name) })?.text ?? null;
    const value = imports.systemText(record, name);
    return value === undefined ? null : times.includes(name) ? localText(value) : String(value);
}

function cellOf(title, text, style) {
    return make("td", { "data-title": title, class: [style, text === null ? "absent" : ""].join(" ").trim() || null, title: text },
        text === null ? make("span", { class: "visually-hidden" }, t("not set")) : make("span", { class: "value" }, text));
}

/** The rows of a preview as a table, with what is wrong below the row that it is about; and a note if there are more columns. */
export function previewTable(draft, answer, { rows }) {
    const all = imports.previewColumns(draft, answer);
    const columns = all.slice(0, mostColumns);
    const places = new Map((answer.columns ?? []).map((name, at) => [name, at]));
    const types = schema.fields(draft.recordType);
    const title = ({ name, isSystem }) => (isSystem ? systemTitle(name) : name);
    const isNumber = (type) => ["INT64", "DOUBLE"].includes(type);

    function shown({ cells, record, problem }, at) {
        const head = make("th", { scope: "row", class: "number" }, number(at + 1));
        const content_ = columns.map((column) => {
            const raw = () => cells?.[places.get(column.column)] ?? null;
            const isWrong = problem !== undefined && problem.column === column.column && column.column !== undefined;
            return cellOf(title(column), record === undefined ? raw() : textOf(record, column, types),
                [isWrong ? "wrong" : "", isNumber(column.type) ? "number" : ""].join(" ").trim());
        });
        const row = make("tr", { class: problem === undefined ? null : "rejected" }, head, content_);
        return problem === undefined ? [row] : [row, make("tr", { class: "because" },
            make("td", { colspan: columns.length + 1 }, make("p", { class: "problem" }, imports.sentence(problem))))];
    }
    const table = columnTable({
        label: t("The first rows"), tableStyle: "lines cards preview-rows",
        columns: [{ title: t("Row"), style: "number", solid: true }, ...columns.map((each) => ({
            title: title(each), min: 5, style: isNumber(each.type) ? "number" : null,
        }))],
        body: make("tbody", {}, rows.flatMap(shown)),
    });
    return [table, all.length === columns.length ? null
        : make("p", { class: "note" }, t("The first {count} of {all} columns are shown.", { count: columns.length, all: all.length }))]
        .filter((each) => each !== null);
}
