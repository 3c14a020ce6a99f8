// The grid of records: one line each, with heads that sort, grips that widen, and ticks.

import * as columns from "../columns.js";
import { localText } from "../dates.js";
import { make } from "../dom.js";
import { kind, understand } from "../fields/kinds.js";
import * as router from "../router.js";
import * as searches from "../search.js";
import { nameOf } from "../users.js";
import { t } from "../words.js";

const longestText = 200;
const sortable = new Set(["STRING", "INT64", "DOUBLE", "TIMESTAMP", "USER"]);
/** Types whose column may take the space that is left. */
const stretching = new Set(["STRING", "STRING_LIST", "REFERENCE", "BYTES", undefined]);
const step = 16; // pixels by which an arrow key widens a column
const narrowest = 40;
const nameMargin = "mm"; // Names have a wider font.
/** On a phone, a card has so many fields. */
const mostOnCards = 5;

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

/** What a cell shows: `{text, title, picture?, type}`, or `null` for no value. */
function content(record, { name, type: schemaType }) {
    if (columns.systemColumns.has(name)) {
        const part = name.startsWith("modified") ? record.modified : record.created;
        const value = schemaType === "USER" ? part?.userRecordName : part?.timestamp;
        if (value === undefined) return null;
        const text = schemaType === "USER" ? String(value) : localText(value);
        return { text, title: text, type: schemaType };
    }
    const written = record.fields?.[name];
    if (written === undefined || written === null) return null;
    const { type, value } = understand(written, schemaType);
    const shape = kind(type ?? "");
    const title = shortened(shape.summary(value));
    return { text: title === "" ? "“”" : numberText(title, type), title, picture: shape.picture?.(value) ?? null, type };
}

/** The text by which a cell's width is estimated. */
function measured(shown) {
    if (shown === null) return "";
    if (shown.picture) return "thumb";
    return shown.type === "USER" ? columns.shortName(shown.text) : shown.text;
}

/** The title of a column for people. */
export function columnTitle(name) {
    const titles = { modifiedTimestamp: t("modified"), createdTimestamp: t("created"), createdUserRecordName: t("created by") };
    return titles[name] ?? name;
}

function cell(column, shown, isMinor) {
    const style = [isNumeric(shown?.type ?? column.type) ? "number" : "", column.type === "TIMESTAMP" ? "moment" : "",
        shown === null ? "absent" : "", isMinor ? "minor" : ""].join(" ").trim();
    const part = shown === null ? make("span", { class: "visually-hidden" }, t("not set"))
        : shown.picture ?? make("span", { class: "value", title: shown.title }, shown.text);
    if (shown?.type === "USER") {
        nameOf(shown.text).then((name) => {
            if (name !== null) part.textContent = name;
            else part.textContent = columns.shortName(shown.text);
        });
    }
    return make("td", { role: "cell", class: style || null, "data-title": columnTitle(column.name) }, part);
}

/** The link to a record. A user's record has a number as its name, so the account's name precedes it if it is known. */
function nameCell(typeName, recordName) {
    const link = make("a", { href: router.address(["types", typeName, "record", recordName]), title: recordName },
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
    if (!sortable.has(type) || name === "createdUserRecordName") return make("span", { class: "title", title: hint }, text, sign);
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

/** A grip at the right of a head, by which the mouse or the arrow keys set the width. `set(pixels, isEnd)` does it. */
function grip(title, width, set) {
    const element = make("span", {
        class: "grip", role: "separator", tabindex: "0", "aria-orientation": "vertical",
        "aria-label": t("Width of {column}", { column: title }), "aria-valuenow": width(), "aria-valuemin": narrowest,
        onkeydown: (event) => {
            const by = { ArrowLeft: -step, ArrowRight: step }[event.key];
            if (by === undefined) return;
            event.preventDefault();
            change(width() + by, true);
        },
        onpointerdown: (event) => {
            event.preventDefault();
            element.setPointerCapture(event.pointerId);
            const [start, before] = [event.clientX, width()];
            element.onpointermove = (move) => change(before + move.clientX - start, false);
            element.onpointerup = (up) => {
                [element.onpointermove, element.onpointerup] = [null, null];
                change(before + up.clientX - start, true);
            };
        },
    });
    function change(pixels, isEnd) {
        const wanted = Math.max(narrowest, Math.round(pixels));
        element.setAttribute("aria-valuenow", String(wanted));
        set(wanted, isEnd);
    }
    return element;
}

/**
 * The records of a page as a grid. `settings` are those of the columns, `resized(widths)` keeps new widths, and `selection` is
 * `{names: Set, changed()}` or `null` for callers that cannot change records.
 */
export function recordTable({ typeName, records, fields, search, settings, resized, selection }) {
    const shownColumns = columns.arranged(fields, settings).filter(({ isHidden }) => !isHidden);
    const contents = records.map((record) => shownColumns.map((column) => content(record, column)));
    const widths = shownColumns.map(({ name }, at) => settings.widths[name]
        ?? columns.width(columnTitle(name), contents.map((row) => measured(row[at]))));
    const margin = nameMargin + (typeName === "Users" ? "account" : "");
    const nameWidth = settings.widths.recordName
        ?? columns.width("recordName", records.map(({ recordName }) => columns.shortName(recordName) + margin));
    const col = (pixels) => {
        const element = make("col", {});
        element.style.width = `${pixels}px`;
        return element;
    };
    const nameCol = col(nameWidth);
    const cols = widths.map(col);
    // Until the user sets a width, the widest text takes the space that is left; afterwards nobody does.
    const isFitted = Object.keys(settings.widths).length > 0;
    const texts = shownColumns.map(({ type }, at) => (stretching.has(type) ? widths[at] : 0));
    const growing = isFitted || Math.max(0, ...texts) === 0 ? null : cols[texts.indexOf(Math.max(...texts))];
    const hasRest = growing === null;
    const columnGroup = make("colgroup", {}, selection === null ? null : col(38), nameCol, cols, hasRest ? make("col", {}) : null);
    const table = make("table", { role: "table", class: "grid" });
    const full = () => [...columnGroup.children].reduce((sum, each) => sum + (Number.parseFloat(each.style.width) || 0), 0);
    const stretch = () => { table.style.minWidth = `${full()}px`; };
    const headOf = (element) => table.tHead.rows[0].cells[[...columnGroup.children].indexOf(element)];

    /** The first new width fixes those of all columns as they are, so that no other one moves. */
    function setWidth(name, element, pixels, isEnd) {
        if (growing !== null && growing.style.width === "") growing.style.width = `${headOf(growing).offsetWidth}px`;
        element.style.width = `${pixels}px`;
        stretch();
        if (!isEnd) return;
        const now = [["recordName", nameCol], ...shownColumns.map((column, at) => [column.name, cols[at]])]
            .map(([key, each]) => [key, Number.parseFloat(each.style.width)]);
        resized({ ...settings.widths, ...Object.fromEntries(now), [name]: pixels });
    }
    function widthOf(element) {
        if (element.style.width === "" && element.isConnected) return headOf(element).offsetWidth;
        return Number.parseFloat(element.style.width) || narrowest;
    }
    const sized = (name, element) => grip(columnTitle(name), () => widthOf(element),
        (pixels, isEnd) => setWidth(name, element, pixels, isEnd));
    const head = (column, at) => make("th", {
        scope: "col", role: "columnheader", class: isNumeric(column.type) ? "number" : null, "aria-sort": ariaSort(search, column.name),
    }, make("div", { class: "head" }, headContent(typeName, search, column), sized(column.name, cols[at])));

    const ticks = [];
    const all = selection === null ? null : make("input", {
        type: "checkbox", "aria-label": t("Select all records of this page"), onchange: () => {
            for (const { recordName } of records) {
                if (all.checked) selection.names.add(recordName);
                else selection.names.delete(recordName);
            }
            refreshTicks();
        },
    });
    let last = null;
    function tick(recordName, at, event) {
        const range = event.shiftKey && last !== null ? [Math.min(last, at), Math.max(last, at)] : [at, at];
        for (const { recordName: name } of records.slice(range[0], range[1] + 1)) {
            if (event.target.checked) selection.names.add(name);
            else selection.names.delete(name);
        }
        last = at;
        refreshTicks();
    }
    function refreshTicks() {
        if (selection === null) return;
        for (const { input, name } of ticks) {
            input.checked = selection.names.has(name);
            input.closest("tr").classList.toggle("ticked", input.checked);
        }
        all.checked = ticks.length > 0 && ticks.every(({ input }) => input.checked);
        all.indeterminate = !all.checked && ticks.some(({ input }) => input.checked);
        selection.changed();
    }
    function tickCell(recordName, at) {
        const input = make("input", {
            type: "checkbox", "aria-label": t("Select {name}", { name: recordName }), onclick: (event) => tick(recordName, at, event),
        });
        ticks.push({ input, name: recordName });
        return make("td", { role: "cell", class: "tick" }, input);
    }
    table.append(
        make("caption", { class: "visually-hidden" }, t("Records of {type}", { type: typeName })), columnGroup,
        make("thead", { role: "rowgroup" }, make("tr", { role: "row" },
            all === null ? null : make("th", { scope: "col", role: "columnheader", class: "tick" }, all),
            make("th", { scope: "col", role: "columnheader", class: "record-name", "aria-sort": ariaSort(search, "recordName") },
                make("div", { class: "head" }, headContent(typeName, search, { name: "recordName", type: "STRING" }),
                    sized("recordName", nameCol))),
            shownColumns.map(head), hasRest ? make("td", { "aria-hidden": "true" }) : null)),
        make("tbody", { role: "rowgroup" }, records.map((record, row) => make("tr", { role: "row" },
            selection === null ? null : tickCell(record.recordName, row), nameCell(typeName, record.recordName),
            shownColumns.map((column, at) => cell(column, contents[row][at], at >= mostOnCards)),
            hasRest ? make("td", { "aria-hidden": "true", class: "minor" }) : null))));
    stretch();
    if (growing !== null) growing.style.width = "";
    refreshTicks();
    return { element: table, refreshTicks };
}
