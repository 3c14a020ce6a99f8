import { date, localText } from "../dates.js";
import { freshID, make } from "../dom.js";
import { ExactNumber } from "../json.js";
import * as zones from "../time-zones.js";
import * as integer from "./integer.js";
import { InputProblem } from "./problem.js";
import { t } from "../words.js";

export const summary = localText;

/** Chooses a time zone: the browser's own, UTC, or another by its name. `changed(zone)` is called with a zone that exists. */
function zoneChoice(zone, changed) {
    const [own, listID] = [zones.ownZone(), freshID("zones")];
    const titles = new Map([[own, t("{zone} (here)", { zone: own })], ["UTC", "UTC"], [zone, zone]].reverse());
    const select = make("select", { class: "zone", "aria-label": t("Time zone"), onchange: () => {
        other.hidden = select.value !== "";
        if (select.value === "") other.focus();
        else changed(select.value);
    } }, [...titles].reverse().map(([value, title]) => make("option", { value }, title)), make("option", { value: "" }, t("Another…")));
    const names = make("datalist", { id: listID });
    const other = make("input", {
        type: "text", class: "zone", list: listID, hidden: true, autocomplete: "off", spellcheck: "false",
        placeholder: "Asia/Tokyo", "aria-label": t("Name of the time zone"), onfocus: () => {
            if (names.childElementCount === 0) names.replaceChildren(...zones.zoneNames().map((value) => make("option", { value })));
        },
        onchange: () => {
            const isKnown = zones.isZone(other.value.trim());
            other.setAttribute("aria-invalid", String(!isKnown));
            if (isKnown) changed(other.value.trim());
        },
    });
    select.value = zone;
    const element = make("span", { class: "together" }, select, other, names);
    element.addEventListener("input", (event) => event.stopPropagation()); // The zone is no part of the value.
    return element;
}

/** Date and time to the millisecond in a time zone of the user's choice. The moment in UTC is shown below. */
export function editor({ id, name, value }) {
    if (value !== undefined && date(value) === null) return integer.editor({ id, name, value });
    let zone = zones.chosenZone();
    let moment = value === undefined ? null : Number(value);
    let isSecond = false; // of two moments that the clock shows alike, whether it is the later one
    const input = make("input", {
        id, type: "datetime-local", step: "0.001", min: "0001-01-01T00:00", max: "9999-12-31T23:59:59.999",
    });
    const note = make("span", { class: "note", role: "status" });
    const now = make("button", { type: "button", class: "quiet", onclick: () => {
        moment = Date.now();
        show();
        input.dispatchEvent(new Event("input", { bubbles: true }));
    } }, t("Now"));
    const twice = make("button", { type: "button", class: "quiet small", hidden: true, onclick: () => {
        isSecond = !isSecond;
        input.dispatchEvent(new Event("input", { bubbles: true }));
    } });

    /** Shows the moment as a clock in the zone does. */
    function show() {
        // A year outside of those of the input: UTC then has the moment.
        if (moment !== null && zones.wallText(moment, zone) === null) zone = "UTC";
        input.value = moment === null ? "" : zones.wallText(moment, zone);
        const same = moment === null ? [] : zones.moments(input.value, zone);
        isSecond = same.length > 1 && moment === same[1];
        explain(same);
    }
    function take() {
        const found = input.value === "" ? [] : zones.moments(input.value, zone);
        if (found.length < 2) isSecond = false;
        moment = found[isSecond ? 1 : 0] ?? null;
        explain(found);
    }
    function explain(found) {
        twice.hidden = found.length < 2;
        twice.textContent = isSecond ? t("Take the first one") : t("Take the second one");
        note.textContent = input.value !== "" && found.length === 0 ? t("This time is left out in {zone}: the clocks go forward.", { zone })
            : found.length > 1 ? t("The clocks show this time twice: {utc}, {offset}", {
                utc: new Date(moment).toISOString(), offset: zones.offsetText(moment, zone),
            })
                : moment === null ? "" : `${new Date(moment).toISOString()} · ${zones.offsetText(moment, zone)}`;
    }
    function read() {
        if (input.validity.badInput) throw new InputProblem(t("Write both a date and a time."), input);
        if (input.value === "") return undefined;
        if (moment === null) {
            throw new InputProblem(note.textContent || t("Write a date and a time, such as 2026-03-01 14:05."), input);
        }
        return new ExactNumber(moment);
    }
    input.addEventListener("input", take);
    show();
    const choice = zoneChoice(zone, (chosen) => {
        zone = chosen;
        zones.chooseZone(chosen);
        show();
    });
    return { element: make("div", { class: "together moment-editor" }, input, choice, now, twice, note), control: input, read };
}
