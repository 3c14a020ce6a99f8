// The table of the console: a head, rows that the caller makes, and columns that fit the window.

import { make } from "../dom.js";
import { fitted, narrowest } from "../widths.js";

/** A column is measured by so many rows at most. */
const mostMeasured = 100;
/** A column without an ideal width gets no more than this for its content, in rem. */
const widest = 26;

/** The width in pixels that the content of a cell needs in one line, with the cell's padding. */
function needed(cell) {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const rects = [...range.getClientRects()];
    if (rects.length === 0) return 0;
    const style = getComputedStyle(cell);
    const padding = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight);
    return Math.max(...rects.map(({ right }) => right)) - Math.min(...rects.map(({ left }) => left)) + padding + 1;
}

/** Gives a cell whose text is cut the whole text as a title. */
function nameIfCut(cell) {
    if (cell.colSpan > 1 || cell.closest("[title]") !== null || cell.querySelector("[title]") !== null) return;
    const isCut = (each) => each.clientWidth > 1 && (each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight + 2);
    if (isCut(cell) || [...cell.querySelectorAll("*")].some(isCut)) cell.title = cell.textContent;
}

/** Keeps the widths of the columns in the room of `element`. */
function keepFitted(element, inner, columns, cols) {
    const body = inner.tBodies[0];
    const isMeasured = columns.some(({ ideal }) => ideal === undefined);
    let room = 0;
    let waiting = null; // the rows to name in the next frame, or `true` to fit all

    function measured() {
        const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
        const heads = [...inner.tHead.rows[0].cells];
        const rows = isMeasured ? [...body.rows].filter(({ cells }) => cells.length === columns.length).slice(0, mostMeasured) : [];
        return columns.map((column, at) => {
            const { title, min = narrowest, ideal, grow, priority, solid } = column;
            const named = title === null || heads[at].querySelector(".visually-hidden") !== null ? 0 : needed(heads[at]);
            const content = ideal !== undefined && !solid ? 0 : Math.max(0, ...rows.map(({ cells }) => needed(cells[at])));
            const least = solid ? Math.max(named, content) : Math.max(min * rem, named);
            return { min: least, ideal: Math.max(least, ideal === undefined ? Math.min(content, widest * rem) : ideal * rem), grow, priority, solid };
        });
    }
    function fit() {
        // A column that is left out now has to be measured, too.
        cols.forEach((_, at) => element.classList.remove(`without-${at + 1}`));
        inner.classList.add("measured");
        const sizes = measured();
        inner.classList.remove("measured");
        const widths = fitted(sizes, room);
        const all = widths.reduce((sum, each) => sum + (each ?? 0), 0);
        widths.forEach((width, at) => {
            cols[at].style.width = width === null ? "" : `${width}px`;
            element.classList.toggle(`without-${at + 1}`, width === null);
        });
        // The cards of a phone have no columns.
        const isTooWide = all > room && getComputedStyle(inner).display === "table";
        inner.style.minWidth = isTooWide ? `${all}px` : "";
        element.classList.toggle("scrolls", isTooWide);
        [...body.rows].forEach(name);
    }
    const name = (row) => [...row.cells].forEach(nameIfCut);
    /** Does the work in the next frame, once. */
    function later(rows) {
        if (waiting !== null) {
            waiting = waiting === true || rows === true || [...waiting, ...rows];
            return;
        }
        waiting = rows;
        requestAnimationFrame(() => {
            const work = waiting;
            waiting = null;
            if (room === 0) return;
            if (work === true) fit();
            else work.filter((row) => row.isConnected).forEach(name);
        });
    }
    new ResizeObserver(() => {
        const now = element.clientWidth;
        if (now === room) return;
        const isFirst = room === 0;
        room = now;
        if (isFirst && room > 0) fit();
        else later(true);
    }).observe(element);
    new MutationObserver((changes) => {
        const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
        if (added.length > 0) later(isMeasured || added);
    }).observe(body, { childList: true });
}

/**
 * A table in a panel. `columns` are `{title, style?, min?, ideal?, grow?, priority?, solid?}`, as `fitted` explains them, with widths in
 * rem; a column has at least the width of its title and of 4 rem. Without an `ideal` width it is measured by its rows, and a `solid` one
 * has exactly what it needs, such as one with buttons. A column whose title is `null` is decoration. `body` has the rows, whose cells are
 * in one line; those with the class `wide` have up to three. On phones, each row is a card with all columns.
 */
export function columnTable({ label, columns, body = make("tbody", {}), style = "panel", tableStyle = "lines cards", role = "region", caption = null, hasRoles = false, hidden = false }) {
    const given = columns.filter((each) => each !== null);
    const named = (name) => (hasRoles ? name : null);
    const cols = given.map(() => make("col", {}));
    const heads = given.map(({ title, style: own }) => (title === null ? make("td", { "aria-hidden": "true", class: own })
        : make("th", { scope: "col", class: own, role: named("columnheader") }, title)));
    const inner = make("table", { class: tableStyle, role: named("table") }, caption, make("colgroup", {}, cols),
        make("thead", { role: named("rowgroup") }, make("tr", { role: named("row") }, heads)), body);
    const element = make("div", { class: `table fit ${style}`, role, tabindex: "0", "aria-label": label, hidden }, inner);
    keepFitted(element, inner, given, cols);
    return element;
}
