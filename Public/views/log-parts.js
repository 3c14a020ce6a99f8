// What the two logs share: their tabs, rows that open, and the button for older entries.

import { freshID, make, whileBusy } from "../dom.js";
import * as session from "../session.js";
import { locale, t } from "../words.js";

const clock = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });
const dayAndClock = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };
const day = new Intl.DateTimeFormat(locale, dayAndClock);
const year = new Intl.DateTimeFormat(locale, { ...dayAndClock, year: "numeric" });
const exact = new Intl.DateTimeFormat(locale, {
    year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3,
    timeZoneName: "short",
});

/** The time of an entry in a row: with the day unless it is of today, and with the year unless it is of this year. */
export function timeText(milliseconds, now = new Date()) {
    const time = new Date(Number(milliseconds));
    const format = time.toDateString() === now.toDateString() ? clock : time.getFullYear() === now.getFullYear() ? day : year;
    return format.format(time);
}

/** The time of an entry in a row. `renewTimes` keeps its text true. */
export function timeView(milliseconds) {
    return make("time", {
        datetime: new Date(Number(milliseconds)).toISOString(), title: exactText(milliseconds),
    }, timeText(milliseconds));
}

/** Writes the times again that `timeView` made, in a page that stays open until the next day. */
export function renewTimes(place) {
    for (const element of place.querySelectorAll("time[datetime]")) {
        const text = timeText(Date.parse(element.dateTime));
        if (element.textContent !== text) element.textContent = text;
    }
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

const typingPause = 600; // milliseconds

/** Whether a control has its value at once: a choice, in contrast to a text that is being written. */
function isChosen(control) {
    return control.matches("select, [type=checkbox], [type=radio]");
}

/**
 * A form whose conditions apply by themselves: choices at once, texts on Enter, when the box is left, and after a pause. `apply()` is
 * called then; calls without a change are the caller's to ignore.
 */
export function conditionForm(attributes, apply, ...children) {
    let timer;
    function now() {
        clearTimeout(timer);
        timer = undefined;
        apply();
    }
    function entered({ target }) {
        clearTimeout(timer);
        timer = setTimeout(() => {
            if (form.isConnected) now();
        }, isChosen(target) ? 0 : typingPause);
    }
    const form = make("form", {
        ...attributes, class: "log-filter", role: "search", oninput: entered,
        onsubmit: (event) => {
            event.preventDefault();
            now();
        },
        onfocusout: () => {
            if (timer !== undefined) now();
        },
    }, children, make("button", { type: "submit", hidden: true, tabindex: "-1" }));
    return form;
}
