import * as api from "../api.js";
import { localText } from "../dates.js";
import { introduce, make } from "../dom.js";
import { kind, understand } from "../fields/kinds.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import { problemBox } from "./problem.js";
import { grantLines } from "./types.js";

const pageSize = 50;
const longestText = 140;

/** The cursors of the pages seen so far, per type: `trails.get("Post")[2]` leads to the third page. */
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
    const text = shortened(kind(type ?? "").summary(value));
    return make("td", { role: "cell", class: isNumeric(type) ? "number" : null, "data-title": column },
        make("span", { class: "value" }, text === "" ? "“”" : text));
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

function pager(typeName, page, count, hasNext) {
    function step(title, to, relation) {
        if (to === null) return make("span", { class: "button", "aria-disabled": "true" }, title);
        const href = router.address(["types", typeName], to === 1 ? {} : { page: String(to) });
        return make("a", { class: "button", rel: relation, href }, title);
    }
    return make("nav", { class: "pager", "aria-label": "Pages" },
        step("← Previous", page > 1 ? page - 1 : null, "prev"),
        make("span", {}, `Page ${page}, ${count === 1 ? "1 record" : `${count} records`}`),
        step("Next →", hasNext ? page + 1 : null, "next"));
}

/** The records of a type in creation order, a page at a time. A page that cannot be found again is the first one. */
export async function showRecords(content, typeName, wantedPage, signal) {
    const trail = trails.get(typeName) ?? [undefined];
    trails.set(typeName, trail);
    const page = Number.isInteger(wantedPage) && wantedPage >= 1 && wantedPage <= trail.length ? wantedPage : 1;
    const heading = make("h1", {}, typeName);
    const actions = make("p", { class: "actions" },
        make("a", { class: "button primary", href: router.address(["types", typeName, "new"]) }, "New record"),
        make("button", { type: "button", class: "quiet", onclick: () => router.go(location.hash) }, "Refresh"));
    const top = make("div", { class: "page-head" }, heading, actions);

    let answer;
    try {
        answer = await api.list(typeName, trail[page - 1], pageSize, signal);
        const names = answer.records.flatMap((record) => Object.keys(record.fields ?? {}));
        if (!schema.covers(typeName, names) || schema.type(typeName).isNew) await schema.load({ signal });
    } catch (error) {
        if (page === 1 || !(error instanceof api.Refusal) || error.status === 401) throw error;
        trail.length = 1;
        content.replaceChildren(top, problemBox(error, [
            make("a", { class: "button", href: router.address(["types", typeName]) }, "Back to the first page"),
        ]));
        introduce(heading);
        return;
    }

    trail.length = page;
    if (typeof answer.cursor === "string") trail.push(answer.cursor);
    const columns = schema.fields(typeName);
    for (const record of answer.records) {
        for (const name of Object.keys(record.fields ?? {})) if (!columns.has(name)) columns.set(name, undefined);
    }
    const grants = grantLines(schema.type(typeName).grants);
    content.replaceChildren(top,
        make("p", { class: "note" }, grants.length === 0 ? "Administrators only" : grants.join(" · ")),
        answer.records.length > 0 ? table(typeName, answer.records, columns)
            : make("div", { class: "empty" },
                make("p", { class: "lead" }, page === 1 ? "No records here." : "No more records."),
                make("p", {}, page === 1 ? "Create the first one with “New record”." : "The ones that were here are gone.")),
        page === 1 && answer.cursor === undefined && answer.records.length === 0 ? ""
            : pager(typeName, page, answer.records.length, answer.cursor !== undefined));
    introduce(heading);
}
