import * as api from "../api.js";
import { withDrawn } from "../conditions.js";
import { announce, introduce, make, whileBusy } from "../dom.js";
import * as places from "../places.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as searches from "../search.js";
import * as session from "../session.js";
import { deleteMatching } from "./delete-set.js";
import { groupForm, groupTable } from "./groups.js";
import { mapView } from "./map.js";
import { noticeBox, planView } from "./plan.js";
import { waitBox, waitingTime } from "./problem.js";
import { recordTable } from "./record-table.js";
import { rightsLine } from "./rights.js";
import { searchForm } from "./search-form.js";

const pageSize = 50;
const mostPlaces = 500;
let largestPage; // the server's limit, once it is known

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

/** The fields with places, of which the map shows one. */
function placeFields(typeName) {
    return [...schema.fields(typeName)].filter(([, type]) => /^LOCATION(_LIST)?$/.test(type)).map(([name]) => name);
}

/** The links to the table, the maps and the groups of the search. */
function viewLinks(typeName, search) {
    const maps = placeFields(typeName);
    const choices = [["Table", "", ""],
        ...maps.map((field) => [maps.length === 1 ? "Map" : `Map of ${field}`, "map", field]),
        ["Groups", "groups", search.view === "groups" ? search.by : ""]];
    return make("nav", { class: "views", "aria-label": "Show as" }, choices.map(([title, view, by]) => make("a", {
        href: searches.address(typeName, { ...search, view, by, period: view === "groups" ? search.period : "" }),
        "aria-current": search.view === view && (view !== "map" || search.by === by) ? "true" : null,
    }, title)));
}

/** The search in the URL. A map without a field of places is the table, and one without a field has the first one. */
function searchOf(typeName, query) {
    const search = searches.fromAddress(query);
    if (search.view !== "map" || search.by !== "") return search;
    const [by] = placeFields(typeName);
    return by === undefined ? { ...search, view: "" } : { ...search, by };
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
    const search = searchOf(typeName, query);
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
    const links = viewLinks(typeName, search);
    const results = make("div", {});
    let isShown = false;

    /** Searches within a circle or box that was drawn on the map, with what the form has now. The map stays where it is. */
    function findDrawn(condition) {
        const now = form.current();
        const found = searches.address(typeName, { ...now, where: withDrawn(now.where, search.by, condition) });
        places.keepScroll(found, window.scrollY);
        router.returns();
        router.go(found);
    }
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
    async function ask(cursor) {
        if (isPlain) return api.list(typeName, cursor, pageSize, signal);
        if (search.view === "map") {
            largestPage ??= Number((await api.limits(signal)).pageSize);
            return api.query(searches.mapContent(typeName, search, cursor, Math.min(mostPlaces, largestPage)), signal);
        }
        return api.query(searches.content(typeName, search, cursor, pageSize), signal);
    }
    async function fetchPage() {
        const answer = await ask(trail[page - 1] ?? undefined);
        const names = answer.records.flatMap((record) => Object.keys(record.fields ?? {}));
        if (!schema.covers(typeName, names) || schema.type(typeName).isNew || answer.notices !== undefined) {
            await schema.load({ signal });
        }
        return answer;
    }
    /** Groups have no pages. Until a field is chosen there is only the form for it. */
    async function loadGroups() {
        const answer = search.by === "" ? null : await api.groups(searches.groupContent(typeName, search), signal);
        if (answer?.notices !== undefined) await schema.load({ signal });
        form.explain(null);
        draw(links, groupForm(typeName, search, form.current), noticeBox(answer?.notices), planView(answer?.plan ?? null),
            answer === null ? null : groupTable(typeName, search, answer));
    }
    async function load() {
        let answer;
        try {
            if (search.view === "groups") {
                await loadGroups();
                return;
            }
            answer = await fetchPage();
        } catch (error) {
            refused(error);
            return;
        }
        form.explain(null);
        trail.length = page;
        if (typeof answer.cursor === "string") trail.push(answer.cursor);
        places.save();
        const isEmpty = answer.records.length === 0;
        draw(links, noticeBox(answer.notices), planView(answer.plan ?? null),
            search.view === "map" ? mapView(typeName, search.by, answer, findDrawn)
                : isEmpty ? emptiness(page, isPlain) : recordTable(typeName, answer.records),
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
        draw(links, search.view === "groups" ? groupForm(typeName, search, form.current) : null);
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
