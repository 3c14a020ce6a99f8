import * as api from "../api.js";
import { localText } from "../dates.js";
import { introduce, make, whileBusy } from "../dom.js";
import { kind, understand } from "../fields/kinds.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as searches from "../search.js";
import { deleteMatching } from "./delete-set.js";
import { noticeBox, planView } from "./plan.js";
import { problemBox } from "./problem.js";
import { searchForm } from "./search-form.js";
import { grantLines } from "./types.js";

const pageSize = 50;
const longestText = 140;

/** The cursors of the pages seen so far, per search: the third of a trail leads to the third page. */
const trails = new Map();

export function forgetTrails() {
    trails.clear();
}

function shortened(text) {
    return text.length > longestText ? text.slice(0, longestText).trimEnd() + "…" : text;
}

function isNumeric(type) {
    return type === "INT64" || type === "DOUBLE";
}

function cell(column, written, schemaType) {
    if (written === undefined || written === null) {
        const style = isNumeric(schemaType) ? "absent number" : "absent";
        return make("td", { role: "cell", class: style, "data-title": column },
            make("span", { class: "visually-hidden" }, "not set"));
    }
    const { type, value } = understand(written, schemaType);
    const shape = kind(type ?? "");
    const picture = shape.picture?.(value) ?? null;
    const text = shortened(shape.summary(value));
    return make("td", { role: "cell", class: isNumeric(type) ? "number" : null, "data-title": column },
        picture ?? make("span", { class: "value" }, text === "" ? "“”" : text));
}

function row(typeName, record, columns) {
    return make("tr", { role: "row" },
        make("th", { scope: "row", role: "rowheader" },
            make("a", { href: router.address(["types", typeName, "record", record.recordName]) }, record.recordName)),
        [...columns].map(([column, type]) => cell(column, record.fields?.[column], type)),
        make("td", { role: "cell", class: "moment", "data-title": "modified" },
            record.modified === undefined ? "" : localText(record.modified.timestamp)));
}

function table(typeName, records, columns) {
    const head = (text, type) => make("th", {
        scope: "col", role: "columnheader", class: isNumeric(type) ? "number" : null,
    }, text);
    return make("div", { class: "panel table", role: "region", tabindex: "0", "aria-label": `Records of ${typeName}` },
        make("table", { role: "table" },
            make("caption", { class: "visually-hidden" }, `Records of ${typeName}`),
            make("thead", { role: "rowgroup" }, make("tr", { role: "row" },
                head("recordName"), [...columns].map(([name, type]) => head(name, type)), head("modified"))),
            make("tbody", { role: "rowgroup" }, records.map((record) => row(typeName, record, columns)))));
}

function pager(typeName, search, page, answer) {
    function step(title, to, relation) {
        if (to === null) return make("span", { class: "button", "aria-disabled": "true" }, title);
        return make("a", { class: "button", rel: relation, href: searches.address(typeName, search, to) }, title);
    }
    const count = answer.records.length;
    const all = answer.count === undefined ? "" : ` of ${answer.count}`;
    return make("nav", { class: "pager", "aria-label": "Pages" },
        step("← Previous", page > 1 ? page - 1 : null, "prev"),
        make("span", {}, `Page ${page}, ${count === 1 && all === "" ? "1 record" : `${count}${all} records`}`),
        step("Next →", answer.cursor !== undefined ? page + 1 : null, "next"));
}

function emptiness(page, isPlain) {
    const [lead, note] = page > 1 ? ["No more records.", "The ones that were here are gone."]
        : isPlain ? ["No records here.", "Create the first one with “New record”."]
            : ["Nothing was found.", "No record meets the condition."];
    return make("div", { class: "empty" }, make("p", { class: "lead" }, lead), make("p", {}, note));
}

/** The first page may be refused for what the search says; the others also since their cursor has expired. */
function refused(error, form, typeName, search, page) {
    const again = make("button", { type: "button", onclick: () => router.go(location.hash) }, "Try again");
    form.explain(error, page > 1
        ? [make("a", { class: "button", href: searches.address(typeName, search) }, "Back to the first page")]
        : error.status === 503 ? [again] : []);
}

/**
 * The records of a type, a page at a time: in creation order, or what the search in the address asks for. A page that
 * cannot be found again is the first one.
 */
export async function showRecords(typeName, query, { signal, show, isOver, signedOut }) {
    const search = searches.fromAddress(query);
    const isPlain = searches.isPlain(search);
    const identity = searches.identity(typeName, search);
    const trail = trails.get(identity) ?? [undefined];
    trails.set(identity, trail);
    const wantedPage = Number(query.get("page") ?? 1);
    const page = Number.isInteger(wantedPage) && wantedPage >= 1 && wantedPage <= trail.length ? wantedPage : 1;
    const heading = make("h1", {}, typeName);
    const actions = make("p", { class: "actions" },
        make("a", { class: "button primary", href: router.address(["types", typeName, "new"]) }, "New record"),
        make("a", { class: "button quiet", href: router.address(["types", typeName, "schema"]) }, "Schema"),
        make("button", { type: "button", class: "quiet", onclick: () => router.go(location.hash) }, "Refresh"));
    const top = make("div", { class: "page-head" }, heading, actions);
    const deleteButton = make("button", {
        type: "button", class: "danger", onclick: () => whileBusy(deleteButton, removeMatching),
    }, "Delete what is found…");
    const form = searchForm(typeName, search, search.where === "" ? null : deleteButton);

    async function removeMatching() {
        try {
            if (await deleteMatching(typeName, search.where) && !isOver()) router.go(searches.address(typeName, search));
        } catch (error) {
            if (error instanceof api.Refusal && error.status === 401) signedOut("Sign in again to go on.");
            else form.explain(error);
        }
    }

    let answer;
    try {
        answer = isPlain ? await api.list(typeName, trail[page - 1], pageSize, signal)
            : await api.query(searches.content(typeName, search, trail[page - 1], pageSize), signal);
        const names = answer.records.flatMap((record) => Object.keys(record.fields ?? {}));
        if (!schema.covers(typeName, names) || schema.type(typeName).isNew || answer.notices !== undefined) {
            await schema.load({ signal });
        }
    } catch (error) {
        const isTold = error instanceof api.Refusal && error.status !== 401 && (page > 1 || !isPlain);
        if (!isTold) throw error;
        trail.length = 1;
        show(top, form.element);
        introduce(heading);
        refused(error, form, typeName, search, page);
        return;
    }

    trail.length = page;
    if (typeof answer.cursor === "string") trail.push(answer.cursor);
    const columns = schema.fields(typeName);
    for (const record of answer.records) {
        for (const name of Object.keys(record.fields ?? {})) if (!columns.has(name)) columns.set(name, undefined);
    }
    const grants = grantLines(schema.type(typeName).grants);
    const isEmpty = answer.records.length === 0;
    show(top,
        make("p", { class: "note" }, grants.length === 0 ? "Administrators only" : grants.join(" · ")),
        form.element, noticeBox(answer.notices), planView(answer.plan ?? null),
        isEmpty ? emptiness(page, isPlain) : table(typeName, answer.records, columns),
        page === 1 && answer.cursor === undefined && isEmpty ? null : pager(typeName, search, page, answer));
    introduce(heading);
}
