// The pattern of rooms that manage things: a table, a menu in each row, pages by cursor, and the state after each action.

import * as api from "../api.js";
import { make, whileBusy } from "../dom.js";
import { t } from "../words.js";
import { command, menu } from "./menu.js";
import { showProblem } from "./problem.js";
import { columnTable } from "./table.js";

/** The head of a room: its title, the links to its pages, and the buttons at the right. */
export function pageHead(heading, { tabs = null, actions = [] } = {}) {
    const buttons = actions.filter((each) => each !== null);
    return make("div", { class: "page-head" }, heading, tabs, buttons.length === 0 ? null : make("p", { class: "actions" }, buttons));
}

/** Links between the pages of a room: `[key, title, href]`. */
export function tabs(label, pages, current) {
    return make("nav", { class: "tabs", "aria-label": label },
        pages.map(([key, title, href]) => make("a", { href, "aria-current": key === current ? "page" : null }, title)));
}

/** Pairs of a term and a text or node. Those without a value are left out. */
export function facts(pairs) {
    return make("dl", { class: "facts" }, pairs.filter(([, value]) => value !== undefined && value !== "")
        .map(([term, value]) => make("div", {}, make("dt", {}, term), make("dd", {}, value))));
}

/** Shows a list that the server sends as a whole page by page, so that a long one is drawn in parts. The first page reads it. */
export function inPages(read, size = 100) {
    let items = [];
    return async (cursor, signal) => {
        if (cursor === undefined) ({ items } = await read(signal));
        const start = cursor ?? 0;
        const end = start + size;
        return { items: items.slice(start, end), ...(end < items.length ? { cursor: end } : {}) };
    };
}

/**
 * A table of things. `columns` are those of `columnTable` with `cell(item)` and `full?(item)`; the first one is the head of the row, and `full` the
 * text for a pointer that rests on the cell. `load(cursor, signal)` returns `{items, cursor?}`, `key(item)` is unique, `name(item)` is for
 * people. `commands(item)` are `{title, act, style?} | null`; after `act()`, the table is loaded again unless it returns `false`. Without
 * `commands`, rows have no menu.
 * `empty` is shown instead of an empty table.
 */
export function collection({ label, columns, load, key, name, commands = null, empty, isDim = () => false, visit }) {
    const { signal, fail } = visit;
    const body = make("tbody", {});
    const list = columnTable({
        label, body, tableStyle: "lines cards list", hidden: true,
        columns: [...columns.map((each) => ({ ...each, solid: each.style === "moment" })),
            commands === null ? null : { title: make("span", { class: "visually-hidden" }, t("Actions")), style: "act", solid: true }],
    });
    const more = make("button", {
        type: "button", class: "small", hidden: true, onclick: () => whileBusy(more, () => attempt(loadNext)),
    }, t("Show more"));
    const problem = make("div", {});
    const nothing = make("div", { class: "empty", hidden: true }, empty);
    let [items, cursor] = [[], undefined];

    function cellOf(item, { title, cell, style, full }, at) {
        const content = cell(item);
        const text = full?.(item) ?? (typeof content === "string" ? content : null);
        return at === 0 ? make("th", { scope: "row", class: style, title: text }, content)
            : make("td", { "data-title": title, class: style, title: text },
                typeof content !== "string" ? content : content === "" ? null : make("span", { class: "value" }, content));
    }
    /** The cell with the menu of a row. */
    function actions(item) {
        const offered = commands(item).filter((each) => each !== null);
        return make("td", { class: "act" }, offered.length === 0 ? null : menu({
            summary: "⋯", label: t("Actions for {name}", { name: name(item) }), style: "right bare",
            content: offered.map(({ title, act, style }) => command(title, () => run(item, act), style)),
        }));
    }
    function row(item) {
        return make("tr", { "data-key": key(item), class: isDim(item) ? "dim" : null },
            columns.map((column, at) => cellOf(item, column, at)), commands === null ? null : actions(item));
    }
    function draw() {
        body.replaceChildren(...items.map(row));
        list.hidden = items.length === 0;
        nothing.hidden = items.length > 0;
        more.hidden = cursor === undefined;
    }
    async function loadNext() {
        const answer = await load(cursor, signal);
        signal.throwIfAborted();
        items = [...items, ...answer.items];
        cursor = answer.cursor;
        draw();
    }
    /** Loads as many as are shown again. `focused` is the key of the row that gets the focus. */
    async function reload(focused) {
        const wanted = Math.max(1, items.length);
        let [found, next] = [[], undefined];
        do {
            const answer = await load(next, signal);
            signal.throwIfAborted();
            found = [...found, ...answer.items];
            next = answer.cursor;
        } while (next !== undefined && found.length < wanted);
        [items, cursor] = [found, next];
        draw();
        problem.replaceChildren();
        if (focused !== undefined) focus(focused);
    }
    function focus(wanted) {
        const found = [...body.children].find((each) => each.dataset.key === String(wanted));
        const target = found?.querySelector("summary") ?? (list.hidden ? document.querySelector("main h1") : list);
        target?.focus({ preventScroll: found === undefined });
    }
    function again() {
        return make("button", { type: "button", onclick: () => attempt(() => reload()) }, t("Load the list again"));
    }
    /** Runs `work` and shows its error above the table. */
    async function attempt(work) {
        try {
            await work();
        } catch (error) {
            if (signal.aborted) return;
            if (error instanceof api.Refusal && error.status === 401) fail(error);
            else showProblem(problem, error, [again()]);
        }
    }
    function run(item, act) {
        return attempt(async () => {
            problem.replaceChildren();
            if ((await act(item)) !== false && !signal.aborted) await reload(key(item));
        });
    }
    return {
        element: make("div", { class: "collection" }, problem, nothing, list, make("p", { class: "actions" }, more)),
        /** Loads the first page; errors are the page's. */
        begin: loadNext,
        reload,
        /** For a button outside of the table. `act()` returns the key of the row to show then, or `false`. */
        run: (act) => attempt(async () => {
            problem.replaceChildren();
            const result = await act();
            if (result !== false && !signal.aborted) await reload(result);
        }),
    };
}
