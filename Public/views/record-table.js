// The grid of records: one line each, with heads that sort, grips that widen, and ticks.

import * as columns from "../columns.js";
import { localText } from "../dates.js";
import { make } from "../dom.js";
import { kind, understand } from "../fields/kinds.js";
import * as writes from "../own-writes.js";
import * as router from "../router.js";
import * as searches from "../search.js";
import { nameOf, others } from "../users.js";
import { t } from "../words.js";
import { rightsText } from "./as-user.js";
import { columnTitle } from "./column-titles.js";
import { columnLayout, tickWidth } from "./grid-columns.js";
import { rowTicks } from "./grid-ticks.js";
import { targetPlace } from "./target.js";

const longestText = 200;
const sortable = new Set(["STRING", "INT64", "DOUBLE", "TIMESTAMP"]);
/** Types whose column may take the space that is left. */
const stretching = new Set(["STRING", "STRING_LIST", "REFERENCE", "BYTES", undefined]);
const nameMargin = "mm"; // Names have a wider font.
/** On a phone, a card has so many fields. */
const mostOnCards = 5;
const mostTargets = 3;
const targetSample = "→ a title of usual length"; // Titles of targets are not known at first.

const glyphs = {
    STRING: "Aa", INT64: "#", DOUBLE: "#.#", TIMESTAMP: "◷", BYTES: "01", REFERENCE: "→", LOCATION: "◎", ASSET: "▣",
};

function shortened(text) {
    return text.length > longestText ? text.slice(0, longestText).trimEnd() + "…" : text;
}

function isNumeric(type) {
    return type === "INT64" || type === "DOUBLE";
}

/** Doubles with six significant digits; the title has all of them. */
function numberText(text, type) {
    return type === "DOUBLE" && text.length > 9 ? String(Number(Number(text).toPrecision(6))) : text;
}

/** The record names in a reference or a list of them. */
function targetNames(type, value) {
    if (type !== "REFERENCE" && type !== "REFERENCE_LIST") return [];
    return [value].flat().map((each) => each?.recordName).filter((name) => typeof name === "string");
}

/** What a cell shows: `{text, title, picture?, links, type}`, or `null` for no value. */
export function content(record, { name, type: schemaType }) {
    if (columns.systemColumns.has(name)) {
        const part = name.startsWith("modified") ? record.modified : record.created;
        const value = schemaType === "USER" ? part?.userRecordName : part?.timestamp;
        if (value === undefined) return null;
        const text = schemaType === "USER" ? String(value) : localText(value);
        return { text, title: text, links: [], type: schemaType, writer: writes.writer(record.recordName, part) };
    }
    const written = record.fields?.[name];
    if (written === undefined || written === null) return null;
    const { type, value } = understand(written, schemaType);
    const shape = kind(type ?? "");
    const title = shortened(shape.summary(value));
    return {
        text: title === "" ? "“”" : numberText(title, type), title, picture: shape.picture?.(value) ?? null, links: targetNames(type, value), type,
    };
}

/** The text by which a cell's width is estimated. */
function measured(shown) {
    if (shown === null) return "";
    if (shown.picture) return "thumb".repeat(shown.picture.matches(".thumbnails") ? shown.picture.childNodes.length : 1);
    if (shown.links.length > 0) return targetSample;
    if (isNumeric(shown.type)) return shown.text + " ".repeat(Math.ceil(shown.text.length / 8)); // Digits are wider than letters.
    return shown.type === "USER" ? columns.shortName(shown.text) : shown.text;
}

/** The links to the first targets of a cell, and how many there are. */
function targetList(names, targets) {
    return make("span", { class: "targets" }, names.slice(0, mostTargets).map((name) => targetPlace(name, targets)),
        names.length > mostTargets ? `… (${names.length})` : null);
}

function cell(column, shown, isMinor, targets) {
    const style = [isNumeric(shown?.type ?? column.type) ? "number" : "", column.type === "TIMESTAMP" ? "moment" : "",
        shown === null ? "absent" : "", isMinor ? "minor" : ""].join(" ").trim();
    const part = shown === null ? make("span", { class: "visually-hidden" }, t("not set"))
        : shown.links.length > 0 ? targetList(shown.links, targets) : shown.picture ?? make("span", { class: "value", title: shown.title }, shown.text);
    if (shown?.type === "USER") {
        nameOf(shown.text).then((name) => {
            part.textContent = shown.writer ?? name ?? columns.shortName(shown.text);
            if (name !== null && !others.has(shown.text)) part.title = `${name} · ${shown.text}`;
        });
    }
    return make("td", { role: "cell", class: style || null, "data-title": columnTitle(column.name) }, part);
}

/** The link to a record. A user's record has a number as its name, so the account's name precedes it if it is known. */
function nameCell(typeName, recordName, asUser) {
    const query = asUser === "" ? {} : { as: asUser };
    const link = make("a", { href: router.address(["types", typeName, "record", recordName], query), title: recordName },
        columns.shortName(recordName));
    const element = make("th", { scope: "row", role: "rowheader", class: "record-name" }, link);
    if (typeName !== "Users") return element;
    nameOf(recordName).then((name) => {
        if (name !== null) element.prepend(make("strong", { class: "account" }, name));
    });
    return element;
}

/** The next sort when a head is clicked: ascending, descending, none. */
export function nextSort(sort, name) {
    return sort === name ? `-${name}` : sort === `-${name}` ? "" : name;
}

function headContent(typeName, search, { name, type }) {
    const text = make("span", { class: "text" }, columnTitle(name));
    const sign = columns.systemColumns.has(name) || type === undefined ? null
        : make("span", { class: "kind", title: type, "aria-hidden": "true" },
            glyphs[type.replace(/_LIST$/, "")] ?? "", type.endsWith("_LIST") ? "[]" : "");
    const hint = `${name}${type === undefined ? "" : ` · ${type}`}`;
    if (!sortable.has(type)) return make("span", { class: "title", title: hint }, text, sign);
    const first = search.sort.split(",")[0].trim();
    const order = first === name ? "↑" : first === `-${name}` ? "↓" : null;
    return make("button", { type: "button", title: t("{column}: click to sort", { column: hint }), onclick: () => {
        router.go(searches.address(typeName, { ...search, sort: nextSort(first, name) }));
    } }, text, sign, order === null ? null : make("span", { class: "order", "aria-hidden": "true" }, order));
}

function ariaSort(search, name) {
    const first = search.sort.split(",")[0].trim();
    return first === name ? "ascending" : first === `-${name}` ? "descending" : null;
}

/** The columns that are shown, the contents of the rows, and the widths of the columns. */
function plan({ typeName, records, fields, search, settings }) {
    const shownColumns = columns.arranged(fields, settings).filter(({ isHidden }) => !isHidden);
    const contents = records.map((record) => shownColumns.map((column) => content(record, column)));
    const widths = shownColumns.map(({ name }, at) => settings.widths[name]
        ?? columns.width(columnTitle(name), contents.map((row) => measured(row[at]))));
    const margin = nameMargin + (typeName === "Users" ? "account" : "") + (search.as === "" ? "" : t("read and write"));
    const nameWidth = settings.widths.recordName
        ?? columns.width("recordName", records.map(({ recordName }) => columns.shortName(recordName) + margin));
    return { shownColumns, contents, widths, nameWidth };
}

/** The width in pixels that a table with these settings needs, with its ticks. */
export function neededWidth(options) {
    const { widths, nameWidth } = plan(options);
    return widths.reduce((sum, each) => sum + each, tickWidth + nameWidth);
}

/**
 * The records of a page as a grid. `settings` are those of the columns, `resized(widths)` keeps new widths, `selection` is
 * `{names: Set, changed()}` or `null` for callers that cannot change records, and `targets` a promise of the targets of references.
 *
 * Returns the `element`; `update(record, sentence)` and `strike(recordName, sentence)`, which mark the row of a record that others have
 * changed or deleted; and `judge(rights, hidden)`, which shows what a user may do with each record, and the fields that this user cannot read.
 */
export function recordTable({ typeName, records, fields, search, settings, resized, selection, targets }) {
    const { shownColumns, contents, widths, nameWidth } = plan({ typeName, records, fields, search, settings });
    const isFitted = Object.keys(settings.widths).length > 0;
    const layout = columnLayout({
        columns: [{ name: "recordName", width: nameWidth, canGrow: false },
            ...shownColumns.map(({ name, type }, at) => ({ name, width: widths[at], canGrow: stretching.has(type) }))],
        hasTicks: selection !== null, isFitted, resized,
    });
    const ticks = selection === null ? null : rowTicks(records, selection);
    const head = (column, width, style) => make("th", {
        scope: "col", role: "columnheader", class: style, "aria-sort": ariaSort(search, column.name),
    }, make("div", { class: "head" }, headContent(typeName, search, column),
        layout.grip({ name: column.name, title: columnTitle(column.name), width })));
    const shown = new Map(records.map(({ recordName }, row) => [recordName, contents[row]]));
    const cells = (texts) => shownColumns.map((column, at) => cell(column, texts[at], at >= mostOnCards, targets));
    const rows = new Map(records.map((record, row) => [record.recordName, make("tr", { role: "row" },
        ticks === null ? null : make("td", { role: "cell", class: "tick" }, ticks.box(row)), nameCell(typeName, record.recordName, search.as),
        cells(contents[row]), make("td", { "aria-hidden": "true", class: "rest minor" }))]));
    const table = make("table", { role: "table", class: "grid" },
        make("caption", { class: "visually-hidden" }, t("Records of {type}", { type: typeName })), layout.group,
        make("thead", { role: "rowgroup" }, make("tr", { role: "row" },
            ticks === null ? null : make("th", { scope: "col", role: "columnheader", class: "tick" }, ticks.all),
            head({ name: "recordName", type: "STRING" }, nameWidth, "record-name"),
            shownColumns.map((column, at) => head(column, widths[at], isNumeric(column.type) ? "number" : null)),
            make("td", { "aria-hidden": "true", class: "rest" }))),
        make("tbody", { role: "rowgroup" }, [...rows.values()]));
    layout.begin(table);
    ticks?.refresh();

    /** Says something about a row before the record's name. */
    function remark(row, style, sentence) {
        row.classList.add(style);
        row.querySelector(".remark")?.remove();
        row.querySelector(".record-name").prepend(make("span", { class: "remark", title: sentence },
            make("span", { class: "visually-hidden" }, `${sentence}: `)));
    }
    return {
        element: table,
        update(record, sentence) {
            const row = rows.get(record.recordName);
            const old = [...row.children].slice(ticks === null ? 1 : 2, -1);
            const texts = shownColumns.map((column) => content(record, column));
            const before = shown.get(record.recordName);
            shown.set(record.recordName, texts);
            cells(texts).forEach((fresh, at) => {
                if (before[at]?.title !== texts[at]?.title) fresh.classList.add("new");
                old[at].replaceWith(fresh);
            });
            remark(row, "changed", sentence);
        },
        strike(recordName, sentence) {
            remark(rows.get(recordName), "gone", sentence);
        },
        judge(rights, hidden) {
            const [from, unseen] = [ticks === null ? 1 : 2, shownColumns.map(({ name }) => hidden.has(name))];
            for (const [recordName, row] of rows) {
                const found = rights.get(recordName);
                if (found === undefined) continue;
                row.classList.toggle("unseen", !found.read.isAllowed);
                row.querySelector(".may")?.remove();
                row.querySelector(".record-name").append(make("span", {
                    class: "may", title: [found.read.reason, found.write.reason].join(" · "),
                }, rightsText(found)));
                unseen.forEach((isHidden, at) => row.children[from + at].classList.toggle("unseen", isHidden));
            }
        },
    };
}
