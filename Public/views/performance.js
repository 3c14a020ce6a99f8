// What costs time: the costly queries and the index that helps each, indexes that are being built, and a query of one's own with its plan.

import * as api from "../api.js";
import { announce, freshID, introduce, make, whileBusy } from "../dom.js";
import * as indexes from "../indexes.js";
import * as router from "../router.js";
import * as calls from "../schema-calls.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { number, t, tn } from "../words.js";
import { cell } from "./cell.js";
import { showProblem } from "./problem.js";
import { queryPart } from "./query-plan.js";
import { repeat } from "./repeat.js";
import { columnTable } from "./table.js";
import { unusedIndexes } from "./unused-indexes.js";

const headings = ["query", "sent", "total", "each", "examined", "returned", "rejected", "index"];
const titles = {
    query: t("Query"), sent: t("Sent"), total: t("In all"), each: t("Each"), examined: t("Examined"), returned: t("Returned"),
    rejected: t("Rejected"), index: t("Index that helps"),
};

/** What the query asks, with a link that shows its plan. Its values are not known. */
function queryCell({ recordType, where, sort }) {
    const isAll = !where || where === "TRUEPREDICATE";
    const query = { type: recordType, ...(isAll ? {} : { where }), ...(sort ? { sort } : {}) };
    const text = (isAll ? t("all records") : String(where)) + (sort ? t(", sorted by {sort}", { sort }) : "");
    return make("th", { scope: "row", class: "short", title: text }, make("span", { class: "content" },
        make("a", { class: "note", href: router.address(["performance"], query) }, t("Plan")), " ",
        make("a", { href: router.address(["types", recordType, "schema"]) }, recordType), " ", make("span", { class: "code" }, text)));
}

/** The index of a costly query of this type: there, on the way, or a button that adds it. */
function indexCell(piece, type, add) {
    const { recordType, index: fields } = piece;
    if (!Array.isArray(fields)) return make("span", { class: "note" }, t("none would help more"));
    const title = fields.join(", ");
    const name = make("span", { class: "code" }, title);
    const found = indexes.helping(piece, type);
    if (found !== undefined) {
        const state = indexes.stateText(found);
        return [name, " ", make("span", { class: found.state === "failed" ? "state alarm" : "state" }, state === "" ? t("ready") : state)];
    }
    if (!session.covers("changeSchema")) return [name, " ", make("span", { class: "note" }, t("missing; your role cannot add it"))];
    const button = make("button", {
        type: "button", class: "small primary", "aria-label": t("Add the index {index} to {type}", { index: title, type: recordType }),
        onclick: () => whileBusy(button, () => add(recordType, fields)),
    }, t("Add {index}", { index: title }));
    return button;
}

function adviceTable(list, types, add) {
    const of = (key, content, style = "number") => cell(titles[key], content, style);
    const milliseconds = (value) => t("{time} ms", { time: number(value, { maximumFractionDigits: 1 }) });
    const widths = { query: { min: 9 }, index: { min: 8 } };
    return columnTable({
        label: t("Costly queries"), role: "group",
        columns: headings.map((key) => ({
            title: titles[key], ...(widths[key] ?? { style: "number" }), priority: ["examined", "returned"].includes(key) ? 2 : key === "each" ? 1 : 0,
        })),
        body: make("tbody", {}, list.map((piece) => make("tr", {}, queryCell(piece),
                of("sent", number(piece.count)), of("total", milliseconds(piece.milliseconds)),
                of("each", milliseconds(Number(piece.milliseconds) / Math.max(1, Number(piece.count)))),
                of("examined", number(piece.examinedRows)), of("returned", number(piece.returnedRows)),
                Number(piece.refused) === 0 ? of("rejected", "–") : of("rejected", number(piece.refused), "number alarm"),
                of("index", indexCell(piece, types.find(({ name }) => name === piece.recordType), add), null)))),
    });
}

/** The indexes of all types that are being built or have failed. */
function buildList(list) {
    if (list.length === 0) return make("p", { class: "note" }, t("All indexes are ready."));
    return make("ul", { class: "panel index-list" }, list.map(({ type, title, index }) => make("li", {},
        make("a", { href: router.address(["types", type, "schema"]) }, type), make("span", { class: "code" }, title),
        make("span", { class: index.state === "failed" ? "state alarm" : "state" }, indexes.stateText(index)))));
}

/**
 * The link to this room in the other environment, where other queries are counted. It says how many, once that is known. `null` for keys,
 * which belong to one environment.
 */
function otherLink(environment, signal) {
    if (session.current()?.isAdministrator === false) return null;
    const other = environment === "production" ? "development" : "production";
    const link = make("a", { class: "button small", href: scope.environmentAddress(other, "#/performance") },
        t("Performance of {environment}", { environment: other }));
    api.schemaAdvice(signal, { scope: calls.place(other) }).then((advice) => {
        link.textContent = tn("Performance of {environment}: {count} costly query", "Performance of {environment}: {count} costly queries",
            advice.length, { environment: other });
    }, () => {}); // The link does without the number.
    return link;
}

/** The choice to add indexes of production to development, too: `element`, and `add(type, fields)`, which does so if it is ticked. */
function companion() {
    const id = freshID("development");
    const tick = make("input", { type: "checkbox", id, checked: true });
    return {
        element: make("p", { class: "choice" }, tick,
            make("label", { for: id }, t("Add new indexes to development, too, so that the next promotion keeps them"))),
        /** Returns whether development has the index now. */
        async add(type, fields) {
            if (!tick.checked) return false;
            try {
                await api.addIndex(type, { fields }, { scope: calls.place("development") });
                return true;
            } catch (error) {
                if (!(error instanceof api.Refusal)) throw error;
                const reason = error.status === 404 ? t("development has no type {type}", { type }) : error.message;
                error.message = t("The index was added to production, but not to development: {reason}", { reason });
                error.advice = null;
                throw error;
            }
        },
    };
}

export async function show(visit, names, query) {
    const { signal, show: draw, fail } = visit;
    const [first, environment] = await Promise.all([api.schemaAdvice(signal), api.environment(), schema.load({ signal })]);
    let advice = first;
    let types = schema.all();
    const isOfBoth = environment === "production" && session.covers("changeSchema") && session.current()?.isAdministrator !== false;
    const also = isOfBoth ? companion() : null;
    const heading = make("h1", {}, t("Performance"));
    const problem = make("div", {});
    const list = make("section", { "aria-label": t("Costly queries") });
    const builds = make("section", { "aria-label": t("Index builds") });
    const unused = !session.covers("readMetrics") ? null
        : unusedIndexes({ environment, signal, fail, problem, heading, changed: refresh });
    let shown = "";

    function drawParts() {
        const unready = indexes.unready(types);
        const now = JSON.stringify([advice, types]);
        if (now === shown) return unready.some(({ index }) => index.state === "building");
        shown = now;
        const focused = document.activeElement?.getAttribute("aria-label");
        const hadFocus = list.contains(document.activeElement) || builds.contains(document.activeElement);
        list.replaceChildren(make("h2", {}, t("Costly queries")), advice.length === 0
            ? make("p", { class: "note" }, t("No query was costly or rejected in {environment} since the server started.", { environment }))
            : adviceTable(advice, types, add));
        builds.replaceChildren(make("h2", {}, t("Index builds")), buildList(unready));
        if (hadFocus) {
            const same = [...list.querySelectorAll("[aria-label]")].find((each) => each.getAttribute("aria-label") === focused);
            (same ?? list.querySelector(".panel") ?? heading).focus({ preventScroll: true });
        }
        return unready.some(({ index }) => index.state === "building");
    }
    async function refresh() {
        [advice, types] = await Promise.all([api.schemaAdvice(signal), api.schema({ signal })]);
        signal.throwIfAborted();
        return drawParts();
    }
    async function add(type, fields) {
        const title = fields.join(", ");
        try {
            await api.addIndex(type, { fields });
            problem.replaceChildren();
            let isInBoth = false;
            try {
                isInBoth = also !== null && await also.add(type, fields);
            } catch (error) {
                if (!signal.aborted) showProblem(problem, error);
            }
            await schema.load({ signal });
            const isBuilding = await refresh();
            if (problem.childElementCount > 0) return;
            announce(isInBoth ? t("Index added to production and development: {index}", { index: title })
                : isBuilding ? t("Added. The index is being built.") : t("Index added: {index}", { index: title }));
        } catch (error) {
            if (!signal.aborted) showProblem(problem, error);
        }
    }
    const own = queryPart(query, visit, add);
    drawParts();
    draw(make("div", { class: "page-head" }, heading, make("p", { class: "note" }, tn("{count} costly query since the server started",
        "{count} costly queries since the server started", advice.length)), make("p", { class: "actions" }, otherLink(environment, signal))),
    also?.element ?? null, problem, list, builds, own.element, unused?.element ?? null);
    introduce(heading);
    unused?.refresh();
    own.begin();
    repeat(async () => ((await refresh()) ? 1_000 : 5_000), 1_000, signal, fail);
}
