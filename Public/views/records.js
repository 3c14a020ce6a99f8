import * as api from "../api.js";
import { localText } from "../dates.js";
import { announce, introduce, make, whileBusy } from "../dom.js";
import { kind, understand } from "../fields/kinds.js";
import * as places from "../places.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as searches from "../search.js";
import * as session from "../session.js";
import { nameOf } from "../users.js";
import { deleteMatching } from "./delete-set.js";
import { noticeBox, planView } from "./plan.js";
import { waitBox, waitingTime } from "./problem.js";
import { rightsLine } from "./rights.js";
import { searchForm } from "./search-form.js";

const pageSize = 50;
const longestText = 140;

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
        picture ?? make("span", { class: "value", title: text }, text === "" ? "“”" : text));
}

/** The link to a record. A user's record has a number as its name, so the account's name follows if it is known. */
function nameCell(typeName, recordName) {
    const link = make("a", { href: router.address(["types", typeName, "record", recordName]), title: recordName }, recordName);
    const cell = make("th", { scope: "row", role: "rowheader" }, link);
    if (typeName !== "Users") return cell;
    nameOf(recordName).then((name) => {
        if (name !== null) cell.prepend(make("strong", { class: "account" }, name));
    });
    return cell;
}

function row(typeName, record, columns) {
    return make("tr", { role: "row" },
        nameCell(typeName, record.recordName),
        [...columns].map(([column, type]) => cell(column, record.fields?.[column], type)),
        make("td", { role: "cell", class: "moment", "data-title": "modified" },
            record.modified === undefined ? "" : localText(record.modified.timestamp)));
}

function table(typeName, records, columns) {
    const head = (text, type) => make("th", {
        scope: "col", role: "columnheader", class: isNumeric(type) ? "number" : null,
    }, text);
    return make("div", { class: "panel table records", role: "region", tabindex: "0", "aria-label": `Records of ${typeName}` },
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
    const [lead, note] = page > 1 ? ["No more records.", "The records of this page were deleted."]
        : isPlain ? ["No records here.", session.covers("writeRecords") ? "Create the first one with “New record”."
            : session.reason("creating one")]
            : ["Nothing was found.", "No record matches."];
    return make("div", { class: "empty" }, make("p", { class: "lead" }, lead), make("p", {}, note));
}

/** The columns of the index that a rejected query lacks, or `null`. The server's sentence contains them. */
function missingIndex({ details, message }) {
    if (details?.cause !== "NOT_INDEXED") return null;
    const columns = /"fields":\[([^\]]*)\]/.exec(message)?.[1].split(",").map((each) => each.trim().replace(/^"|"$/g, ""));
    return columns ?? (typeof details.field === "string" ? [details.field] : null);
}

/**
 * The records of a type, page by page: in creation order, or the results of the search in the URL. If a page
 * is no longer reachable, the first page is shown with a note.
 */
export async function showRecords(typeName, query, visit) {
    const { signal, show, isOver, fail } = visit;
    const search = searches.fromAddress(query);
    const isPlain = searches.isPlain(search);
    const trail = places.trail(searches.identity(typeName, search));
    const wantedPage = Number(query.get("page") ?? 1);
    const isKnown = Number.isInteger(wantedPage) && wantedPage >= 1 && wantedPage <= trail.length;
    const page = isKnown ? wantedPage : 1;
    if (!isKnown) router.correct(searches.address(typeName, search));
    places.keepList(typeName, location.hash);

    const canWrite = session.covers("writeRecords");
    const canCreate = canWrite && typeName !== "Users"; // User records are created with their accounts.
    const heading = make("h1", {}, typeName);
    const top = make("div", { class: "page-head" }, heading, make("p", { class: "actions" },
        canCreate ? make("a", { class: "button primary", href: router.address(["types", typeName, "new"]) }, "New record") : null,
        make("a", { class: "button quiet", href: router.address(["types", typeName, "schema"]) }, "Schema"),
        make("button", { type: "button", class: "quiet", onclick: () => router.go(location.hash) }, "Refresh")));
    const deleteButton = make("button", {
        type: "button", class: "danger", onclick: () => whileBusy(deleteButton, removeMatching),
    }, "Delete what is found…");
    const form = searchForm(typeName, search, search.where === "" || search.words !== "" || !canWrite ? null : deleteButton);
    const results = make("div", {});
    let isShown = false;

    async function removeMatching() {
        try {
            if (await deleteMatching(typeName, search.where) && !isOver()) router.go(searches.address(typeName, search));
        } catch (error) {
            form.explain(error);
        }
    }
    /** Shows these nodes below the form. The form keeps its input. */
    function draw(...nodes) {
        signal.throwIfAborted();
        results.replaceChildren(...nodes.filter((node) => node !== null));
        if (isShown) return;
        isShown = true;
        show(top, make("p", { class: "note" }, rightsLine(schema.type(typeName))),
            isKnown ? null : make("p", { class: "note" }, `Page ${query.get("page")} can only be reached from the one before it; `
                + "this is the first page."),
            form.element, results);
        introduce(heading);
    }
    async function fetchPage() {
        const cursor = trail[page - 1] ?? undefined;
        const answer = isPlain ? await api.list(typeName, cursor, pageSize, signal)
            : await api.query(searches.content(typeName, search, cursor, pageSize), signal);
        const names = answer.records.flatMap((record) => Object.keys(record.fields ?? {}));
        if (!schema.covers(typeName, names) || schema.type(typeName).isNew || answer.notices !== undefined) {
            await schema.load({ signal });
        }
        return answer;
    }
    async function load() {
        let answer;
        try {
            answer = await fetchPage();
        } catch (error) {
            refused(error);
            return;
        }
        form.explain(null);
        trail.length = page;
        if (typeof answer.cursor === "string") trail.push(answer.cursor);
        places.save();
        const columns = schema.fields(typeName);
        for (const record of answer.records) {
            for (const name of Object.keys(record.fields ?? {})) if (!columns.has(name)) columns.set(name, undefined);
        }
        const isEmpty = answer.records.length === 0;
        draw(noticeBox(answer.notices), planView(answer.plan ?? null),
            isEmpty ? emptiness(page, isPlain) : table(typeName, answer.records, columns),
            page === 1 && answer.cursor === undefined && isEmpty ? null : pager(typeName, search, page, answer));
    }
    /** The first page may be rejected because of the search; the others also because their cursor has expired. */
    function refused(error) {
        if (!signal.aborted && waitingTime(error) !== null) {
            form.explain(null);
            draw(waitBox(error, visit, load));
            return;
        }
        const isTold = error instanceof api.Refusal && error.status !== 401 && (page > 1 || !isPlain);
        if (!isTold) throw error;
        trail.length = 1;
        places.save();
        draw();
        form.explain(error, [
            page > 1 ? make("a", { class: "button", href: searches.address(typeName, search) }, "Back to the first page")
                : error.status === 503 ? make("button", { type: "button", onclick: () => router.go(location.hash) }, "Try again") : null,
            addButton(error),
        ]);
    }
    /** Adds the index that a query lacks, if the caller's role allows it, and repeats the query. */
    function addButton(error) {
        const columns = missingIndex(error);
        if (columns === null || !session.covers("changeSchema")) return null;
        const button = make("button", { type: "button", class: "primary", onclick: () => whileBusy(button, async () => {
            try {
                await api.addIndex(typeName, { fields: columns });
                announce(`Index added: ${columns.join(", ")}`);
                await load();
            } catch (failure) {
                if (failure instanceof api.Refusal) form.explain(failure);
                else fail(failure);
            }
        }) }, `Add the index ${columns.join(", ")}`);
        return button;
    }
    await load();
}
