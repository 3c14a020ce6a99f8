// The widths of the grid's columns, which the mouse or the arrow keys change.

import { make } from "../dom.js";
import { t } from "../words.js";

const step = 16; // pixels by which an arrow key widens a column
const narrowest = 40;
export const tickWidth = 38;

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

function col(pixels) {
    const element = make("col", {});
    element.style.width = `${pixels}px`;
    return element;
}

/**
 * The columns of a table, as `[{name, title, width, canGrow}]`. Until the user sets a width (`isFitted`), the widest one that can grow
 * takes the space that is left, and then an empty last one does. `resized(widths)` gets all widths when the user has set one.
 *
 * Returns the `group` for the table, `grip(name)` for the head of a column, and `begin(table)` to be called once it is complete.
 */
export function columnLayout({ columns, hasTicks, isFitted, resized }) {
    const elements = new Map(columns.map(({ name, width }) => [name, col(width)]));
    const rest = make("col", {});
    const group = make("colgroup", {}, hasTicks ? col(tickWidth) : null, [...elements.values()], rest);
    const most = Math.max(0, ...columns.filter(({ canGrow }) => canGrow).map(({ width }) => width));
    const growing = isFitted || most === 0 ? null
        : elements.get(columns.find(({ canGrow, width }) => canGrow && width === most).name);
    let table;

    function stretch() {
        const all = [...group.children].reduce((sum, each) => sum + (Number.parseFloat(each.style.width) || 0), 0);
        table.style.minWidth = `${all}px`;
    }
    function shownWidth(element) {
        return table.tHead.rows[0].cells[[...group.children].indexOf(element)].offsetWidth;
    }
    /** The first new width fixes those of all columns as they are, so that no other one moves. */
    function setWidth(element, pixels, isEnd) {
        if (growing !== null && growing.style.width === "") growing.style.width = `${shownWidth(growing)}px`;
        rest.style.width = "";
        element.style.width = `${pixels}px`;
        stretch();
        if (isEnd) resized(Object.fromEntries([...elements].map(([name, each]) => [name, Number.parseFloat(each.style.width)])));
    }
    return {
        group,
        grip({ name, title, width }) {
            const element = elements.get(name);
            return grip(title, () => (table === undefined ? width : Number.parseFloat(element.style.width) || shownWidth(element)),
                (pixels, isEnd) => setWidth(element, pixels, isEnd));
        },
        begin(complete) {
            table = complete;
            stretch();
            if (growing !== null) [growing.style.width, rest.style.width] = ["", "0"];
        },
    };
}
