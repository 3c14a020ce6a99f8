// A choice between all names and some of them, such as the types of a key.

import { freshID, make } from "../dom.js";
import { t, tn } from "../words.js";
import { group } from "./form-dialog.js";

/** With more names than this, a box filters them. */
const mostNames = 10;

/**
 * `chosen` is `null` for all names. Chosen names that are not in `names` are listed too. `canBeAll` is false for callers that have only
 * some of them. `read()` returns `null` for all, or the ticked names, those of `chosen` in their order first.
 */
export function nameList({ legend, names, chosen, name, all, some, canBeAll = true, note }) {
    const listed = [...names, ...(chosen ?? []).filter((each) => !names.includes(each))];
    const shared = freshID("names");
    const isAll = canBeAll && chosen === null;
    const radio = (value, isChecked) => make("input", {
        type: "radio", id: freshID("names"), name: shared, value, checked: isChecked, onchange: follow,
    });
    const [every, several] = [radio("all", isAll), radio("some", !isAll)];
    const ticks = new Map(listed.map((each) => [each, make("input", {
        type: "checkbox", id: freshID("name"), checked: (chosen ?? []).includes(each), onchange: count,
    })]));
    const lines = new Map(listed.map((each) => [each, make("div", { class: "choice" }, ticks.get(each),
        make("label", { for: ticks.get(each).id, title: each }, each))]));
    const filter = make("input", {
        type: "text", class: "filter", "aria-label": t("Filter the names"), placeholder: t("Filter the names"), autocomplete: "off",
        spellcheck: "false", hidden: listed.length <= mostNames, oninput: narrow,
    });
    const number = make("p", { class: "note" });
    const box = make("div", { class: "names-box" }, filter, make("div", { class: "ticks" }, [...lines.values()]), number);

    function follow() {
        box.hidden = every.checked;
    }
    function narrow() {
        const wanted = filter.value.trim().toLowerCase();
        for (const [each, line] of lines) line.hidden = !each.toLowerCase().includes(wanted);
    }
    function count() {
        const ticked = [...ticks.values()].filter((each) => each.checked).length;
        number.textContent = listed.length === 0 ? t("There are none yet.") : tn("{count} chosen", "{count} chosen", ticked);
    }
    follow();
    count();
    const choice = (input, title) => [input, make("label", { for: input.id }, title)];
    const content = make("div", {}, canBeAll ? make("div", { class: "sides" }, choice(every, all), choice(several, some)) : null, box);
    return {
        ...group({ legend, content, control: !canBeAll ? [...ticks.values()][0] : isAll ? every : several, name, note }),
        read: () => (every.checked ? null : [...new Set([...(chosen ?? []), ...listed])].filter((each) => ticks.get(each).checked)),
    };
}
