// When something expires: in so many days, never, or at the end of a day of the calendar.

import { localText } from "../dates.js";
import { freshID, make } from "../dom.js";
import * as expiry from "../expiry.js";
import { InputProblem } from "../fields/problem.js";
import { t, tn } from "../words.js";
import { group } from "./form-dialog.js";

/**
 * `days` are the presets, `preset` is the first one, `current` the present expiry of something that exists. `read()` returns the
 * milliseconds, `null` for never, or `undefined` if nothing changes.
 */
export function expiryField({ days, preset, current, canBeNever = true, latest }) {
    const id = freshID("expiry");
    const today = () => expiry.dayText(Date.now());
    const options = [
        ...(current === undefined ? []
            : [["keep", current === null ? t("As it is: never") : t("As it is: {time}", { time: localText(current) })]]),
        ...days.map((count) => [String(count), tn("In {count} day", "In {count} days", count)]),
        ["date", t("At the end of a day…")],
        ...(canBeNever ? [["never", t("Never")]] : []),
    ];
    const select = make("select", { id, "aria-describedby": `${id}-note`, onchange: follow },
        options.map(([value, title]) => make("option", { value }, title)));
    select.value = current === undefined ? String(preset) : "keep";
    const date = make("input", {
        type: "date", "aria-label": t("Expires at the end of"), min: today(), value: expiry.dayText(Date.now() + 30 * expiry.day),
        max: latest === undefined ? null : expiry.dayText(latest), onchange: follow, oninput: follow,
    });
    const note = make("p", { class: "note", id: `${id}-note` });

    function moment() {
        switch (select.value) {
        case "keep": return undefined;
        case "never": return null;
        case "date": return expiry.endOfDay(date.value) ?? undefined;
        default: return Date.now() + Number(select.value) * expiry.day;
        }
    }
    function follow() {
        date.hidden = select.value !== "date";
        const chosen = moment();
        note.textContent = typeof chosen === "number" ? localText(chosen) : "";
    }
    follow();
    return {
        ...group({ legend: t("Expires"), name: "expiresAt", control: select, content: make("div", {},
            make("label", { for: id, class: "visually-hidden" }, t("Expires")), make("div", { class: "joined" }, select, date), note) }),
        read() {
            const chosen = moment();
            if (select.value !== "date") return chosen;
            if (chosen === undefined) throw new InputProblem(t("Choose a day."), select);
            if (chosen <= Date.now()) throw new InputProblem(t("This day is over. Choose a later one."), select);
            return chosen;
        },
    };
}
