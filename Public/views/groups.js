import { both } from "../conditions.js";
import { draw, freshID, make } from "../dom.js";
import { kind } from "../fields/kinds.js";
import * as groups from "../groups.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as searches from "../search.js";
import { nameOf } from "../users.js";
import { number, t, tn } from "../words.js";
import { columnTable } from "./table.js";

const longestTitle = 140;
const titles = { "": t("each time"), day: t("day"), week: t("week"), month: t("month"), year: t("year") };

function select(id, options, value, listener) {
    const element = make("select", { id, onchange: listener },
        options.map(([name, title]) => make("option", { value: name }, title)));
    element.value = value;
    return element;
}

/** The form that chooses the field and, for a time, the period. `current()` returns the search as it is in its form. */
export function groupForm(typeName, search, current) {
    const fields = groups.groupable(schema.fields(typeName));
    const [fieldID, periodID] = [freshID("group-by"), freshID("period")];
    const field = select(fieldID, [["", t("choose a field")], ...[...fields.keys()].map((name) => [name, name])],
        fields.has(search.by) ? search.by : "", follow);
    const period = select(periodID, ["", ...groups.periods].map((each) => [each, titles[each]]),
        search.by === "" ? "month" : search.period);
    const periodPart = make("div", {}, make("label", { for: periodID }, t("Period")), period);
    const isTime = () => fields.get(field.value) === "TIMESTAMP";

    function follow() {
        periodPart.hidden = !isTime();
    }
    function submit(event) {
        event.preventDefault();
        const chosen = { by: field.value, period: isTime() ? period.value : "" };
        router.go(searches.address(typeName, { ...current(), view: "groups", ...chosen }));
    }
    follow();
    return make("form", { class: "grouping", "aria-label": t("Group the records"), onsubmit: submit },
        make("div", {}, make("label", { for: fieldID }, t("Group by")), field), periodPart,
        make("button", { type: "submit" }, t("Group")));
}

function titleOf(key, type, period) {
    if (key === null) return t("not set");
    if (period !== "") return groups.periodTitle(Number(key), period);
    const text = type === "REFERENCE" || type === "USER" ? String(key) : kind(type ?? "").summary(key);
    if (text === "") return "“”";
    return text.length > longestTitle ? text.slice(0, longestTitle).trimEnd() + "…" : text;
}

/** A link to the records of a group. A user's group begins with the account's name if that is known. */
function groupLink(typeName, search, type, key) {
    const { by, period } = search;
    const text = key === null ? null : String(key);
    const where = both(search.where, groups.condition({ by, period }, type, text));
    const link = make("a", {
        class: key === null ? "unset" : null, title: text,
        href: searches.address(typeName, { ...search, where, view: "", by: "", period: "" }),
    }, titleOf(key, type, period));
    if (type === "USER" && key !== null) {
        nameOf(text).then((name) => {
            if (name !== null) link.prepend(make("strong", { class: "account" }, name), " ");
        });
    }
    return link;
}

/** A bar whose length is a part of the longest one. The number is beside it, so it is decoration. */
function bar(count, most) {
    const length = `${100 * count / most}%`;
    return draw("svg", { class: "bar-line", "aria-hidden": "true" }, draw("rect", { width: length, height: "100%" }));
}

function summary(counts, hasMore) {
    const records = tn("{count} record", "{count} records", counts.reduce((sum, each) => sum + each, 0));
    const what = tn("{count} group with {records}", "{count} groups with {records}", counts.length, { records });
    return hasMore ? t("The first {groups}. There are more groups: narrow the search.", { groups: what }) : t("{groups}.", { groups: what });
}

/** The groups of the records that match the search, with their numbers of records. Each leads to its records. */
export function groupTable(typeName, search, answer) {
    const type = groups.groupable(schema.fields(typeName)).get(search.by);
    const key = groups.term(search);
    const rows = answer.groups.map((group) => ({ key: group.key[key] ?? null, count: Number(group.values.count) }));
    const counts = rows.map(({ count }) => count);
    const most = Math.max(...counts);
    const title = search.period === "" ? search.by : t("{field} by {period}", { field: search.by, period: titles[search.period] });
    if (rows.length === 0) {
        return make("div", { class: "empty" }, make("p", { class: "lead" }, t("No groups.")), make("p", {}, t("No record matches.")));
    }
    return make("div", { class: "groups-view" },
        make("p", { class: "note" }, summary(counts, answer.moreGroups === true),
            search.period === "" ? null : " " + t("Each {period} begins in the time zone {zone}.", {
                period: titles[search.period], zone: groups.timeZone(),
            })),
        columnTable({
            label: t("Groups of {type}", { type: typeName }), style: "panel groups", hasRoles: true,
            caption: make("caption", { class: "visually-hidden" }, t("Records of {type} by {field}", { type: typeName, field: title })),
            columns: [{ title, min: 8 }, { title: t("records"), style: "number" }, { title: null, min: 8, ideal: 24, grow: 1 }],
            body: make("tbody", { role: "rowgroup" }, rows.map(({ key, count }) => make("tr", { role: "row" },
                    make("th", { scope: "row", role: "rowheader" }, groupLink(typeName, search, type, key)),
                    make("td", { role: "cell", class: "number", "data-title": t("records") }, number(count)),
                    make("td", { class: "bar-cell", "aria-hidden": "true" }, bar(count, most))))),
        }));
}
