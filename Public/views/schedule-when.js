// The times of a schedule: cron expression, time zone, and a preview of the next runs.

import * as cron from "../cron.js";
import { freshID, make } from "../dom.js";
import { locale, t } from "../words.js";

const shown = 5;
const examples = [
    ["*/15 * * * *", t("Every 15 minutes")], ["0 * * * *", t("Every hour")], ["0 3 * * *", t("Every night at three")],
    ["0 3 * * mon", t("Mondays at three")], ["0 3 1 * *", t("The first of each month")],
];
const here = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";

function moment(milliseconds, zone) {
    return new Intl.DateTimeFormat(locale, {
        weekday: "short", year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZone: zone,
    }).format(new Date(milliseconds));
}

/** Inputs for the times; `read()` returns `{cron, timeZone}`, or `null` after it has shown what is wrong. */
export function whenInputs(initial = { cron: "0 3 * * *", timeZone: here }, changed = () => {}) {
    const [cronID, zoneID, listID] = [freshID("cron"), freshID("zone"), freshID("zones")];
    const cronProblem = make("p", { class: "problem", id: `${cronID}-problem`, role: "alert" });
    const zoneProblem = make("p", { class: "problem", id: `${zoneID}-problem`, role: "alert" });
    const preview = make("div", { class: "preview", role: "status" });
    const expression = make("input", {
        id: cronID, type: "text", class: "code", value: initial.cron, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
        "aria-describedby": `${cronID}-note ${cronProblem.id}`, oninput: edited,
    });
    const zone = make("input", {
        id: zoneID, type: "text", value: initial.timeZone ?? "UTC", list: listID, autocomplete: "off", autocapitalize: "off",
        spellcheck: "false", "aria-describedby": zoneProblem.id, oninput: edited,
    });
    const choices = make("p", { class: "actions" }, examples.map(([text, title]) => make("button", {
        type: "button", class: "small", onclick: () => {
            expression.value = text;
            edited();
        },
    }, title)));

    function edited() {
        changed();
        refresh();
    }
    function refresh() {
        const [times, isZone] = [cron.parse(expression.value), cron.isZone(zone.value.trim())];
        cronProblem.textContent = times === null ? t("Write five fields: minute, hour, day of the month, month, day of the week.") : "";
        zoneProblem.textContent = isZone ? "" : t("Write a time zone such as Europe/Berlin, or UTC.");
        expression.setAttribute("aria-invalid", String(times === null));
        zone.setAttribute("aria-invalid", String(!isZone));
        if (times === null || !isZone) {
            preview.replaceChildren();
            return;
        }
        const runs = cron.next(times, zone.value.trim(), Date.now(), shown);
        const place = zone.value.trim();
        const isElsewhere = (run) => moment(run, here) !== moment(run, place);
        preview.replaceChildren(
            make("p", { class: "note" }, runs.length === 0 ? t("No date matches this.")
                : t("The next runs, in the time zone {zone}:", { zone: place })),
            make("ol", { class: "runs" }, runs.map((run) => make("li", {}, moment(run, place),
                isElsewhere(run) ? make("span", { class: "note" }, " ", t("here {time}", { time: moment(run, here) })) : null))));
    }
    refresh();
    return {
        element: make("div", { class: "when" },
            make("label", { for: cronID }, t("Cron expression")), expression, choices,
            make("p", { class: "note", id: `${cronID}-note` },
                t("Minute, hour, day of the month, month, day of the week. * is each, 1-5 a range, 1,15 a list, */15 each 15th.")),
            cronProblem,
            make("label", { for: zoneID }, t("Time zone")), zone,
            make("datalist", { id: listID }, ["UTC", ...Intl.supportedValuesOf?.("timeZone") ?? []].map((value) => make("option", { value }))),
            zoneProblem, preview),
        read() {
            refresh();
            if (cronProblem.textContent !== "") expression.focus();
            else if (zoneProblem.textContent !== "") zone.focus();
            else return { cron: expression.value.trim(), timeZone: zone.value.trim() };
            return null;
        },
    };
}
