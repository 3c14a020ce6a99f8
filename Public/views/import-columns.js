// What becomes of the columns of a table: a field, a system value, or nothing.

import { freshID, make, refill, whileBusy } from "../dom.js";
import * as imports from "../imports.js";
import { t } from "../words.js";
import { columnTitle } from "./column-titles.js";
import { askForm, field, selectField, textInput } from "./form-dialog.js";
import { columnTable } from "./table.js";

/** So many columns are shown at once, as a file can have thousands. */
const pageSize = 100;
const mostSamples = 3;
const longestSample = 40;

const systemTitles = {
    recordName: t("Record name"), createdTimestamp: columnTitle("createdTimestamp"), createdUserRecordName: columnTitle("createdUserRecordName"),
    modifiedTimestamp: columnTitle("modifiedTimestamp"), modifiedUserRecordName: columnTitle("modifiedUserRecordName"),
    parent: t("Parent"), zoneName: t("Zone"),
};
const dates = [
    ["", t("ISO 8601, such as 2026-11-29 14:00")], ["day-first", t("day first, such as 29.11.2026")],
    ["month-first", t("month first, such as 11/29/2026")], ["unix-seconds", t("seconds since 1970")],
    ["unix-milliseconds", t("milliseconds since 1970")],
];

/** The title of a system value. */
export function systemTitle(name) {
    return systemTitles[name] ?? name;
}

/** The first different values of a column. */
function samples(rows, at) {
    const texts = new Set(rows.map((cells) => cells[at]).filter((text) => text !== null && text !== undefined && text !== ""));
    return [...texts].slice(0, mostSamples).map((text) => (text.length > longestSample ? `${text.slice(0, longestSample)}…` : text));
}

/** The options of a column in a few words. */
function optionText(entry) {
    const texts = imports.optionKeys(entry).filter((key) => entry[key] !== undefined)
        .map((key) => `${key}: ${[entry[key]].flat().join("/")}`);
    return texts.join(", ");
}

/** The controls for the options of a column: `[key, field, read()]`. */
function optionFields(entry, columns) {
    const list = (text) => text.split(",").map((each) => each.trim()).filter((each) => each !== "");
    const text = (key, label, note, { read = (value) => value, value = entry[key] ?? "" } = {}) => {
        const made = field({ label, control: textInput({ value }), name: key, note });
        return [key, made, () => read(made.control.value)];
    };
    const choice = (key, label, options, standard = "") => {
        const made = selectField({ label, options, value: String(entry[key] ?? standard), name: key });
        return [key, made, () => (made.read() === standard ? undefined : made.read())];
    };
    const words = (key, label, standard) => text(key, label, t("Several are separated by commas."),
        { read: list, value: (entry[key] ?? [standard]).join(", ") });
    const all = {
        date: () => choice("date", t("How times are written"), dates),
        timeZone: () => text("timeZone", t("Time zone"), t("Of times without an offset, such as Europe/Berlin.")),
        decimal: () => choice("decimal", t("Before the fraction"), [[".", t("point")], [",", t("comma")]], "."),
        thousands: () => choice("thousands", t("Between thousands"),
            [["", t("nothing")], [".", t("point")], [",", t("comma")], [" ", t("space")], ["'", t("apostrophe")], ["_", "_"]]),
        true: () => words("true", t("Words for 1"), "true"),
        false: () => words("false", t("Words for 0"), "false"),
        separator: () => text("separator", t("Between the members of a list"), t("Without one, cells are JSON lists.")),
        action: () => choice("action", t("When the target is deleted"),
            ["NONE", "DELETE_SELF", "VALIDATE"].map((each) => [each, each]), "NONE"),
        longitude: () => choice("longitude", t("Column with the longitude"),
            [["", t("none: the cells have both")], ...columns.filter((each) => each !== entry.column).map((each) => [each, each])]),
    };
    return imports.optionKeys(entry).map((key) => all[key]());
}

/** Asks for the options of a column; `null` if they stay. */
function askForOptions(entry, columns) {
    const made = optionFields(entry, columns);
    return askForm({
        title: t("How {column} is read", { column: entry.column }), submit: t("Apply"), fields: made.map(([, each]) => each),
        send: () => imports.withOptions(entry, Object.fromEntries(made.map(([key, , read]) => [key, read()]))),
    });
}

/** The row of a column. `changed(entry)` gets what it becomes. */
function columnRow(name, { listID, known, columns, changed }) {
    let [entry, doubt] = [{ column: name, skip: true }, ""];
    const label = (title) => `${title}: ${name}`;
    const problem = make("p", { class: "problem", id: freshID("column"), role: "alert" });
    const shown = make("p", { class: "note samples" });
    const target = make("select", { "aria-label": label(t("Becomes")), "aria-describedby": problem.id, onchange: () => {
        changed(set(imports.turned(entry, target.value, known())));
    } }, make("option", { value: "field" }, t("Field")),
    imports.systemValues.map((each) => make("option", { value: each }, systemTitle(each))), make("option", { value: "skip" }, t("Leave out")));
    const fieldInput = textInput({ list: listID, "aria-label": label(t("Field")), "aria-describedby": problem.id, onchange: () => {
        changed(set(imports.renamed(entry, fieldInput.value.trim().normalize("NFC"), known())));
    } });
    const type = make("select", { "aria-label": label(t("Type")), onchange: () => changed(set(imports.retyped(entry, type.value))) },
        imports.columnTypes.map((each) => make("option", { value: each }, each)));
    const summary = make("span", { class: "note option-text" });
    const button = make("button", {
        type: "button", class: "small", "aria-label": label(t("Options")), onclick: () => whileBusy(button, async () => {
            const wanted = await askForOptions(entry, columns);
            if (wanted !== null) changed(set(wanted));
        }),
    }, t("Options…"));
    const cell = (title, ...content) => make("td", { "data-title": title }, make("span", { class: "content" }, content));
    const element = make("tr", {}, make("th", { scope: "row", class: "wide" }, make("span", { class: "content" }, name, shown)),
        cell(t("Becomes"), target), cell(t("Field"), fieldInput), cell(t("Type"), type), cell(t("Options"), button, summary));
    const because = make("tr", { class: "because", hidden: true }, make("td", { colspan: 5 }, problem));

    function set(now) {
        entry = now;
        const isField = entry.field !== undefined;
        refill(target, imports.targetOf(entry));
        fieldInput.hidden = type.hidden = !isField;
        if (isField) {
            refill(fieldInput, entry.field);
            refill(type, entry.type);
            // The type of a field that the schema has is not the user's choice.
            type.disabled = known().get(entry.field) === entry.type;
        }
        button.hidden = imports.optionKeys(entry).length === 0;
        summary.textContent = optionText(entry);
        element.classList.toggle("dim", entry.skip === true);
        return entry;
    }
    /** Shows the server's error at the column, or with an empty one only what is doubtful. */
    function say(sentence) {
        problem.textContent = sentence === "" ? doubt : sentence;
        because.hidden = problem.textContent === "";
        if (sentence === "") target.removeAttribute("aria-invalid");
        else target.setAttribute("aria-invalid", "true");
    }
    return {
        elements: [element, because], set, say,
        draw(texts, sentence) {
            shown.textContent = texts.join(" · ");
            doubt = sentence;
            say("");
        },
    };
}

/**
 * The columns of a draft as a table. `known()` are the fields of its type, and `changed()` is called after the draft has been changed.
 * Returns `element`; `draw(answer, ofColumns)` with a preview; and `say(column, sentence)`, which shows an error at a column, given by
 * its name or by its place in the mapping; it returns whether there is one.
 */
export function importColumns(draft, { known, changed }) {
    const listID = freshID("fields");
    const list = make("datalist", { id: listID });
    const body = make("tbody", {});
    const table = columnTable({
        label: t("Columns"), body, tableStyle: "lines cards mapping",
        columns: [{ title: t("Column"), min: 9, ideal: 16, grow: 1 }, { title: t("Becomes"), min: 10, ideal: 11 }, { title: t("Field"), min: 8, ideal: 11 },
            { title: t("Type"), min: 8, ideal: 9.5 }, { title: t("Options"), min: 8, ideal: 14 }],
    });
    const more = make("button", { type: "button", class: "small", onclick: () => {
        const before = rows.size;
        show(before + pageSize);
        [...rows.values()][before]?.elements[0].querySelector("select").focus();
    } }, t("Show more"));
    let rows = new Map();
    let [last, order] = [null, []];

    function makeRow(name) {
        return columnRow(name, {
            listID, known, columns: last.answer.columns,
            changed(entry) {
                draft.columns = { ...draft.columns, [name]: entry };
                changed();
            },
        });
    }
    /** Shows the last preview in the first rows. */
    function show(most) {
        const { columns, rows: cells, mapping } = last.answer;
        const entries = new Map(mapping.columns.map((each) => [each.column, each]));
        columns.slice(0, most).forEach((name, at) => {
            if (!rows.has(name)) {
                rows.set(name, makeRow(name));
                body.append(...rows.get(name).elements);
            }
            rows.get(name).set(imports.entryOf(entries.get(name), name));
            rows.get(name).draw(samples(cells, at), last.ofColumns.get(name) ?? "");
        });
        more.hidden = columns.length <= rows.size;
    }
    return {
        element: make("div", { class: "import-columns" }, list, table, more),
        draw(answer, ofColumns) {
            const isSame = last?.answer.columns.join("\n") === answer.columns.join("\n");
            last = { answer, ofColumns };
            order = answer.mapping.columns.map(({ column }) => column);
            list.replaceChildren(...[...known().keys()].map((name) => make("option", { value: name })));
            if (!isSame) {
                rows = new Map();
                body.replaceChildren();
            }
            show(Math.max(pageSize, rows.size));
        },
        say(column, sentence) {
            for (const each of rows.values()) each.say("");
            const row = rows.get(typeof column === "number" ? order[column] : column);
            row?.say(sentence);
            return row !== undefined;
        },
    };
}
