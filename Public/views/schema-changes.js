// The differences between two schemas as a table, and what a dry run warns of.

import { make } from "../dom.js";
import * as diff from "../schema-diff.js";
import { number, t, tn } from "../words.js";
import { people, words } from "./rights.js";
import { columnTable } from "./table.js";

const changes = { added: t("added"), changed: t("changed"), removed: t("removed") };
const signs = { added: "+", changed: "±", removed: "−" };
const kinds = {
    type: t("Type"), name: t("Name"), field: t("Field"), marks: t("Index options"), index: t("Index"), grant: t("Rights"), reads: t("Who reads the field"),
    writes: t("Who writes the field"), list: t("List of new records"), required: t("List required"),
};

/** More differences than this are shown on request. */
const mostRows = 200;

function roleText(role) {
    return people[role] ?? role;
}

function nameText({ kind, name }) {
    return kind === "grant" ? roleText(name) : name;
}

/** The state of a part for people; an empty string if its existence is all. */
function stateText({ kind }, text) {
    if (text === undefined || text === "") return "";
    if (kind === "grant") return text.split(", ").map((word) => words[word] ?? word).join(", ");
    return kind === "reads" || kind === "writes" ? text.split(", ").map(roleText).join(", ") : text;
}

function row(each) {
    const style = diff.isOfRights(each) && each.kind !== "list" ? "long" : "code long";
    const cell = (title, text, style) => make("td", { "data-title": title, class: style, title: text === "" ? null : text }, text);
    return make("tr", { class: each.change, "data-change": `${each.change} ${each.kind} ${each.type} ${each.name}` },
        make("th", { scope: "row", title: each.type }, each.type),
        make("td", { "data-title": t("Change") }, make("span", { class: `change ${each.change}` },
            make("span", { "aria-hidden": "true" }, `${signs[each.change]} `), changes[each.change])),
        cell(t("Part"), kinds[each.kind]),
        cell(t("Name"), each.kind === "type" ? "" : nameText(each), each.kind === "grant" ? "" : "code"),
        cell(t("Before"), stateText(each, each.before), style), cell(t("After"), stateText(each, each.after), style));
}

/** “3 added, 1 changed, 2 removed.” */
export function summary(list) {
    const { added, changed, removed } = diff.counts(list);
    return t("{added} added, {changed} changed, {removed} removed.", { added, changed, removed });
}

/** The differences as a table with its summary. */
export function changesTable(list) {
    const body = make("tbody", {}, list.slice(0, mostRows).map(row));
    const rest = list.slice(mostRows);
    const more = rest.length === 0 ? null : make("button", { type: "button", class: "small", onclick: () => {
        body.append(...rest.map(row));
        more.remove();
    } }, tn("Show {count} more change", "Show {count} more changes", rest.length));
    return make("div", { class: "schema-changes" },
        make("p", { class: "summary" }, summary(list)),
        columnTable({
            label: t("Changes"), role: "group", body,
            columns: [t("Type"), t("Change"), t("Part"), t("Name"), t("Before"), t("After")].map((title) => ({ title })),
        }), more);
}

/** An index that gets lost: `Post (title, -likes)`, or `Post (title: SORTABLE)` for options of a field. */
export function lostName({ type, name, lost }) {
    return `${type} (${lost === undefined ? name : `${name}: ${lost.join(", ")}`})`;
}

/** What a change removes or allows, in sentences. */
export function dangers(list) {
    const goes = ({ change, kind }) => change === "removed" && kind === "type";
    const isNew = ({ type }) => list.some(({ change, kind, type: other }) => change === "added" && kind === "type" && other === type);
    const removedFields = list.filter((each) => goes(each) || (each.change === "removed" && each.kind === "field"
        && !list.some((other) => goes(other) && other.type === each.type)));
    const lost = diff.lostIndexes(list);
    const rights = [...new Set(list.filter((each) => diff.isOfRights(each) && !isNew(each)
        && !list.some((other) => goes(other) && other.type === each.type)).map(({ type }) => type))];
    return [
        removedFields.length === 0 ? null
            : t("Programs that still use these types and fields get errors: {names}.", {
                names: removedFields.map(({ type, kind, name }) => (kind === "type" ? type : `${type}.${name}`)).join(", "),
            }),
        lost.length === 0 ? null : t("Removed indexes: {names}. Queries that need them become slower or are rejected.", {
            names: lost.map(lostName).join(", "),
        }),
        rights.length === 0 ? null : t("Changed rights: {types}.", { types: rights.join(", ") }),
    ].filter((each) => each !== null);
}

/**
 * What a change does besides the differences, and what it costs, in sentences; `changes` is that of the server's response. `warnings`
 * are what comes first, by default `dangers`.
 */
export function remarks({ records = {}, roles = [], kept = [], deletedRecords = 0 }, list, warnings = dangers(list)) {
    const read = Object.entries(records).filter(([, count]) => Number(count) > 0);
    return [
        ...warnings,
        read.length === 0 ? null : t("New indexes are built from existing records: {types}. Until then, queries do not use them.", {
            types: read.map(([type, count]) => `${type} (${number(count)})`).join(", "),
        }),
        roles.length === 0 ? null
            : t("New roles: {roles}. They begin without members, so nobody has their rights until you add members under Security.", {
                roles: roles.join(", "),
            }),
        ...kept.map((sentence) => t("Stays as it is: {reason}.", { reason: sentence })),
        Number(deletedRecords) === 0 ? null : tn("{count} record was deleted.", "{count} records were deleted.", Number(deletedRecords)),
    ].filter((each) => each !== null);
}

/** The remarks, texts or nodes, as a list; `null` if there are none. */
export function remarkList(sentences) {
    return sentences.length === 0 ? null
        : make("ul", { class: "remarks", "aria-label": t("Remarks") }, sentences.map((sentence) => make("li", {}, sentence)));
}

/** Why the server rejects a change: all sentences, if it lists them. */
export function refusalSentences(error) {
    const listed = error.details?.refused;
    return Array.isArray(listed) && listed.length > 0 ? listed.map(String) : [error.message];
}
