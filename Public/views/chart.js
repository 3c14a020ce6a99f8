// A small chart of one or more series over time. The pointer and the arrow keys read values; a table has them for screen readers.

import * as charts from "../charts.js";
import { draw, make } from "../dom.js";
import { locale, t } from "../words.js";

const height = 116; // pixels
const margin = { left: 52, right: 8, top: 8, bottom: 18 };
const jump = 10; // points per Page Up and Page Down
const styles = ["first", "second", "third"];

const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const exactClock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** A line in the color of a series. */
function swatch(at) {
    return draw("svg", { class: `swatch ${styles[at]}`, width: "14", height: "10", "aria-hidden": "true" },
        draw("path", { class: "line", d: "M0 5h14" }));
}

/**
 * A chart: `element`, `set(history, span)`, and `select(at)`, which shows the values of a point; `null` those of the last one.
 * `series` are `[{name, title}]`, at most three. `format(value)` is for people, `mark(value)` shorter for the axis, `unit` is 1024 for
 * bytes. `chosen(at)` is called when the user moves to a point.
 */
export function chart({ title, series, format, mark = format, unit = 10, chosen }) {
    const shown = (value) => (value === null || value === undefined ? "–" : format(value));
    const moment = make("span", { class: "note moment" });
    const values = series.map(() => make("strong", {}));
    const picture = draw("svg", { "aria-hidden": "true", height: String(height) });
    const plot = make("div", {
        class: "plot", role: "slider", tabindex: "0", "aria-label": title, "aria-valuemin": "0", "aria-valuemax": "0", "aria-valuenow": "0",
        onkeydown: key, onpointermove: point, onpointerdown: point, onpointerleave: () => chosen(null), onblur: () => chosen(null),
    }, picture);
    const table = make("div", { class: "visually-hidden" });
    const element = make("figure", { class: "panel chart" },
        make("figcaption", {}, make("h3", {}, title), moment), plot,
        make("ul", { class: "legend" }, series.map((each, at) => make("li", {}, swatch(at), each.title, " ", values[at]))), table);
    let data = null; // {timestamps, lists, interval, from, to, top}
    let current = null;
    let width = 0;

    const x = (time) => margin.left + (width - margin.left - margin.right) * (time - data.from) / (data.to - data.from);
    const y = (value) => height - margin.bottom - (height - margin.top - margin.bottom) * value / data.top;

    function key(event) {
        if (data === null || data.timestamps.length === 0) return;
        const last = data.timestamps.length - 1;
        const at = current ?? last;
        const moves = {
            ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, PageDown: at - jump, PageUp: at + jump,
            Home: 0, End: last,
        };
        if (event.key === "Escape") chosen(null);
        else if (moves[event.key] === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        else chosen(Math.min(last, Math.max(0, moves[event.key])));
        event.preventDefault();
    }
    function point(event) {
        if (data === null || data.timestamps.length === 0) return;
        const inside = (event.clientX - plot.getBoundingClientRect().left - margin.left) / (width - margin.left - margin.right);
        chosen(charts.nearest(data.timestamps, data.from + inside * (data.to - data.from)));
    }
    function axes() {
        const marks = [0, data.top / 2, data.top].map((value) => [
            draw("line", { class: "rule", x1: margin.left, x2: width - margin.right, y1: y(value), y2: y(value) }),
            draw("text", { class: "mark", x: margin.left - 6, y: y(value) + 4, "text-anchor": "end" }, value === 0 ? "0" : mark(value)),
        ]);
        const most = Math.max(1, Math.floor((width - margin.left) / 64));
        const hours = charts.times(data.from, data.to, most).filter((time) => x(time) > margin.left + 16 && x(time) < width - 20);
        return [marks, hours.map((time) => [
            draw("line", { class: "rule", x1: x(time), x2: x(time), y1: margin.top, y2: height - margin.bottom }),
            draw("text", { class: "mark", x: x(time), y: height - 4, "text-anchor": "middle" }, clock.format(time)),
        ])];
    }
    function drawLines() {
        if (data === null || width === 0) return;
        picture.setAttribute("width", String(width));
        picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
        const lines = data.lists.map((list, at) => draw("path", {
            class: `line ${styles[at]}`, d: charts.line(data.timestamps, list, data.interval, x, y),
        }));
        picture.replaceChildren(draw("g", {}, ...axes()), draw("g", {}, ...lines), draw("g", { class: "cursor" }));
        drawCursor();
    }
    function drawCursor() {
        const at = current ?? data.timestamps.length - 1;
        const time = data.timestamps[at];
        moment.textContent = current === null || time === undefined ? "" : exactClock.format(time);
        values.forEach((each, index) => { each.textContent = shown(data.lists[index][at]); });
        const readings = series.map((each, index) => `${each.title} ${shown(data.lists[index][at])}`).join(", ");
        plot.setAttribute("aria-valuemax", String(Math.max(0, data.timestamps.length - 1)));
        plot.setAttribute("aria-valuenow", String(Math.max(0, at)));
        plot.setAttribute("aria-valuetext", time === undefined ? t("No values yet.") : `${exactClock.format(time)}: ${readings}`);
        const cursor = picture.querySelector(".cursor");
        if (cursor === null) return;
        if (current === null || time === undefined) {
            cursor.replaceChildren();
            return;
        }
        cursor.replaceChildren(draw("line", { x1: x(time), x2: x(time), y1: margin.top, y2: height - margin.bottom }),
            ...data.lists.flatMap((list, index) => (list[at] === null || list[at] === undefined ? []
                : [draw("circle", { class: styles[index], cx: x(time), cy: y(list[at]), r: "3" })])));
    }
    function drawTable(span) {
        const rows = charts.summary(data.timestamps, data.lists, span / 12);
        table.replaceChildren(make("table", {},
            make("caption", {}, t("{title}: the largest values", { title })),
            make("thead", {}, make("tr", {}, make("th", { scope: "col" }, t("From")),
                series.map((each) => make("th", { scope: "col" }, each.title)))),
            make("tbody", {}, rows.map(({ time, values: row }) => make("tr", {}, make("th", { scope: "row" }, clock.format(time)),
                row.map((value) => make("td", {}, shown(value))))))));
    }
    new ResizeObserver(() => {
        const now = Math.floor(plot.clientWidth);
        if (now === width) return;
        width = now;
        drawLines();
    }).observe(plot);
    return {
        element,
        set({ timestamps, series: all, interval }, span) {
            const lists = series.map(({ name }) => all[name] ?? []);
            const to = timestamps.at(-1) ?? Date.now();
            // A server that has just started fills at least a sixth of the chart's time.
            const from = Math.max(to - span, Math.min(timestamps[0] ?? to, to - span / 6));
            data = { timestamps, lists, interval, from, to, top: charts.top(charts.largest(lists), unit) };
            if (current !== null && current >= timestamps.length) current = null;
            drawLines();
            if (width === 0) drawCursor();
            drawTable(span);
        },
        select(at) {
            if (data === null) return;
            current = at;
            drawCursor();
        },
    };
}
