// What the two logs share: their tabs, rows that open, and the button for older entries.

import { freshID, make, whileBusy } from "../dom.js";
import * as session from "../session.js";
import { locale, t } from "../words.js";

const clock = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });
const day = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
const exact = new Intl.DateTimeFormat(locale, {
    year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3,
    timeZoneName: "short",
});

/** The time of an entry in a row: without the day if it is today. */
export function timeText(milliseconds) {
    const time = new Date(Number(milliseconds));
    return (time.toDateString() === new Date().toDateString() ? clock : day).format(time);
}

/** The time of an entry with its milliseconds. */
export function exactText(milliseconds) {
    return exact.format(Number(milliseconds));
}

/** The links between the logs that the caller may read. */
export function logTabs(current) {
    const pages = [["requests", t("Requests"), "#/logs", "readRequests"], ["audit", t("Audit log"), "#/logs/audit", "readAudit"]]
        .filter(([, , , right]) => session.covers(right));
    return pages.length < 2 ? null : make("nav", { class: "tabs", "aria-label": t("Logs") }, pages.map(([key, title, href]) =>
        make("a", { href, "aria-current": key === current ? "page" : null }, title)));
}

/**
 * A row with details that open below it, as `[row, details]`. `cells` are those after the first one, which is a button with `title`.
 * `content()` makes the details when they are first opened.
 */
export function openRow({ title, label, cells, columns, content, style = "" }) {
    const id = freshID("details");
    const button = make("button", {
        type: "button", class: "quiet small open-row", "aria-expanded": "false", "aria-controls": id, "aria-label": label, title: typeof title === "string" ? title : null,
    }, title);
    const place = make("td", { colspan: String(columns) });
    const details = make("tr", { class: "details", id, hidden: true }, place);
    const row = make("tr", { class: `entry ${style}`, onclick: (event) => {
        if (event.target.closest("a") !== null || (window.getSelection()?.toString() ?? "") !== "") return;
        if (details.hidden && place.childElementCount === 0) place.append(content());
        details.hidden = !details.hidden;
        button.setAttribute("aria-expanded", String(!details.hidden));
        row.classList.toggle("open", !details.hidden);
    } }, make("th", { scope: "row" }, button), cells);
    return [row, details];
}

/** Facts of an entry as a list of terms; those without a value are left out. */
export function factList(facts) {
    return make("dl", { class: "entry-facts" }, facts.filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([title, value, style]) => make("div", {}, make("dt", {}, title), make("dd", { class: style }, value))));
}

/**
 * The button that loads older entries below those of `body`. `load()` returns the rows, and whether there are more. The focus goes to
 * the first of them.
 */
export function olderButton(body, load, failed) {
    const button = make("button", { type: "button", onclick: () => whileBusy(button, async () => {
        try {
            const { rows, hasMore } = await load();
            body.append(...rows);
            rows[0]?.querySelector("button").focus();
            button.hidden = !hasMore;
        } catch (error) {
            failed(error);
        }
    }) }, t("Load older"));
    return button;
}

/** A control with its label for the form above a log. */
export function labeled(title, control) {
    control.id = freshID("condition");
    return make("div", { class: "condition" }, make("label", { for: control.id }, title), control);
}

/** A choice of values; one that is not among them is added. */
export function choice(options, value) {
    const known = options.some(([each]) => each === value) ? options : [...options, [value, value]];
    const element = make("select", {}, known.map(([each, title]) => make("option", { value: each }, title)));
    element.value = value;
    return element;
}

/** A box for a text of a condition. */
export function textBox(value, placeholder = "") {
    return make("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value, placeholder });
}
