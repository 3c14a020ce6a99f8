import * as api from "../api.js";
import * as columns from "../columns.js";
import { withDrawn } from "../conditions.js";
import { announce, introduce, make, whileBusy } from "../dom.js";
import { shownFields } from "../exports.js";
import * as indexes from "../indexes.js";
import { countText } from "../map/places.js";
import * as places from "../places.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as references from "../references.js";
import * as searches from "../search.js";
import * as session from "../session.js";
import { t, tn } from "../words.js";
import { chooseUser, gridBand } from "./as-user.js";
import { changeMatching, deleteMatching, namesCondition } from "./bulk.js";
import { filterPanel } from "./filter-panel.js";
import { gridLive } from "./grid-live.js";
import { groupForm, groupTable } from "./groups.js";
import { enlarge } from "./larger.js";
import { mapView } from "./map.js";
import { command } from "./menu.js";
import { noticeBox, planView } from "./plan.js";
import { waitBox, waitingTime } from "./problem.js";
import { neededWidth, recordTable } from "./record-table.js";
import { rightsLine } from "./rights.js";
import { toolbar } from "./toolbar.js";
import { typeTabs } from "./type-tabs.js";

const pageSize = 50;
const mostPlaces = 500;
const scrollBar = 16; // pixels
let largestPage; // the server's limit, once it is known

function pager(typeName, search, page, answer) {
    function step(title, to, relation) {
        if (to === null) return make("span", { class: "button", "aria-disabled": "true" }, title);
        return make("a", { class: "button", rel: relation, href: searches.address(typeName, search, to) }, title);
    }
    const records = tn("{count} record", "{count} records", answer.records.length);
    return make("nav", { class: "pager", "aria-label": t("Pages") },
        step(t("← Previous"), page > 1 ? page - 1 : null, "prev"),
        make("span", {}, t("Page {page}, {records}", { page, records })),
        step(t("Next →"), answer.cursor !== undefined ? page + 1 : null, "next"));
}

function emptiness(page, isPlain, importLink) {
    const [lead, note] = page > 1 ? [t("No more records."), t("The records of this page were deleted.")]
        : isPlain ? [t("No records here."), session.covers("writeRecords") ? t("Create the first one with “New record”.")
            : session.reason(t("creating one"))]
            : [t("Nothing was found."), t("No record matches.")];
    return make("div", { class: "empty" }, make("p", { class: "lead" }, lead), make("p", {}, note),
        page === 1 && isPlain && importLink !== null ? make("p", {}, importLink) : null);
}

/** The fields with places, of which the map shows one. */
function placeFields(typeName) {
    return [...schema.fields(typeName)].filter(([, type]) => /^LOCATION(_LIST)?$/.test(type)).map(([name]) => name);
}

/** The links to the table, the maps and the groups of the search. */
function viewLinks(typeName, search) {
    const maps = placeFields(typeName);
    const choices = [[t("Table"), "", ""],
        ...maps.map((field) => [maps.length === 1 ? t("Map") : t("Map of {field}", { field }), "map", field]),
        [t("Groups"), "groups", search.view === "groups" ? search.by : ""]];
    return make("nav", { class: "tabs views", "aria-label": t("Show as") }, choices.map(([title, view, by]) => make("a", {
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

/**
 * The records of a type, page by page: in creation order, or the results of the search in the URL. If a page
 * is no longer reachable, the first page is shown with a note.
 */
export async function show(visit, { type: typeName }, query) {
    const { signal, show: place, isOver, fail } = visit;
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
    const hasCondition = search.where !== "" && search.words === "";
    const heading = make("h1", { title: typeName }, typeName);
    const top = make("div", { class: "page-head" }, heading, typeTabs(typeName, "records"), viewLinks(typeName, search),
        make("p", { class: "note", title: rightsLine(schema.type(typeName)) }, rightsLine(schema.type(typeName))),
        canCreate ? make("a", { class: "button primary", href: router.address(["types", typeName, "new"]) }, t("New record")) : null);
    const panel = filterPanel(typeName, search, (found) => router.go(searches.address(typeName, found)));
    let settings = columns.settings(typeName);
    let last = null; // the response in the table
    let table = null; // the grid with it
    let targets = null; // a promise of the targets of its references
    let live = null; // follows its changes
    let judged = null; // what the user `search.as` may do with them
    const bar = toolbar({
        typeName, search, filterButton: panel.button, commands: commands(), fields: tableFields, settings: () => settings,
        changed(next) {
            settings = next === null ? columns.settings(typeName) : { ...next, isFirst: false };
            if (next !== null) columns.keep(typeName, settings);
            drawTable();
        },
    });
    const results = make("div", {
        class: "results", role: "region", tabindex: "0", "aria-label": t("Records of {type}", { type: typeName }), "data-scrolls": true,
    });
    const [grid, chosenBar, pages] = [make("div", {}), make("div", { class: "chosen", hidden: true }), make("div", {})];
    enlarge(grid, signal);
    const above = make("div", { class: "bands" });
    const selection = canWrite ? { names: new Set(), changed: drawChosen } : null;
    let isShown = false;

    function commands() {
        const toggled = (key) => () => router.go(searches.address(typeName, { ...search, [key]: !search[key] }));
        return [
            command(t("Refresh"), () => router.go(location.hash)),
            command(search.count ? t("Count about") : t("Count exactly"), toggled("count")),
            command(search.explain ? t("Hide the plan") : t("Show the plan"), toggled("explain")),
            ...(search.view === "" && session.covers("readRights") ? [command(t("See as a user…"), seeAs)] : []),
            // A user's response is not the caller's own, which an export has.
            ...(searches.reader(search) === undefined ? [command(t("Export…"), exportAll)] : []),
            ...(canCreate ? [command(t("Import…"), () => router.go(router.address(["import"], { type: typeName })))] : []),
            ...(hasCondition && canWrite ? [
                command(t("Change all that match…"), () => act(() => changeMatching(typeName, search.where))),
                command(t("Delete all that match…"), () => act(() => deleteMatching(typeName, search.where)), "danger")] : []),
        ];
    }
    /** Does something to many records, then shows the list again. */
    async function act(work) {
        try {
            if (await work() && !isOver()) router.go(location.hash);
        } catch (error) {
            if (!isOver()) panel.explain(error);
        }
    }
    async function exportAll() {
        const { exportList } = await import("./export.js");
        if (!isOver()) exportList(typeName, search, shownFields(schema.fields(typeName), settings), settings.isFirst !== true);
    }
    async function seeAs() {
        const user = await chooseUser();
        if (user !== null && !isOver()) router.go(searches.address(typeName, { ...search, as: user }, page));
    }
    function drawChosen() {
        const count = selection.names.size;
        chosenBar.hidden = count === 0;
        if (count === 0) return;
        const condition = namesCondition([...selection.names]);
        const button = (title, style, work) => {
            const element = make("button", {
                type: "button", class: `small ${style}`, onclick: () => whileBusy(element, () => act(work)),
            }, title);
            return element;
        };
        chosenBar.replaceChildren(make("strong", { role: "status" }, tn("{count} selected", "{count} selected", count)),
            button(t("Change…"), "", () => changeMatching(typeName, condition)),
            button(t("Delete…"), "danger", () => deleteMatching(typeName, condition)),
            make("button", { type: "button", class: "small quiet", onclick: () => {
                selection.names.clear();
                drawTable();
            } }, t("Deselect")));
    }
    /** The fields of the type, and further ones of the records. */
    function tableFields() {
        const fields = schema.fields(typeName);
        for (const record of last?.records ?? []) {
            for (const name of Object.keys(record.fields ?? {})) if (!fields.has(name)) fields.set(name, undefined);
        }
        return fields;
    }
    function drawCount(answer) {
        const count = countText(answer);
        bar.setCount(count === null ? "" : t("{records} in all", { records: count }));
    }
    /** Counts again after others have created or deleted records. */
    async function recount() {
        const { fields, syncToken, cursor, ...content } = searches.content(typeName, search, undefined, 1);
        const answer = await api.query({ ...content, sort: undefined, explain: undefined, fields: [] }, signal);
        signal.throwIfAborted();
        drawCount(answer);
    }
    /** The width for the table in pixels. At the first drawing, its place is not on the page yet. */
    function room() {
        return (document.getElementById("content")?.clientWidth ?? 0) - scrollBar;
    }
    function drawTable() {
        if (last === null || last.records.length === 0 || search.view !== "") return;
        const [fields, records] = [tableFields(), last.records];
        settings = columns.fitted(settings, (wider) => neededWidth({ typeName, records, fields, search, settings: wider }) <= room());
        table = recordTable({
            typeName, records, fields, search, settings, selection, targets,
            resized(widths) {
                settings = { ...settings, isFirst: false, widths: { ...settings.widths, ...widths } };
                columns.keep(typeName, settings);
            },
        });
        live?.mark(table);
        if (judged !== null) table.judge(...judged);
        grid.replaceChildren(table.element);
    }
    /** What is above the table: what a user may do with the records, and that there are new ones. */
    function bands(answer) {
        if (search.view !== "") return [];
        const band = search.as === "" ? null : gridBand({
            user: search.as, typeName, records: answer?.records ?? null, signal, isOwnResponse: searches.reader(search) !== undefined,
            address: (change) => searches.address(typeName, { ...search, ...change }),
            draw(...found) {
                judged = found;
                table?.judge(...found);
            },
        });
        // The changes that this caller follows are not those that the user sees.
        if (searches.reader(search) !== undefined) return [band];
        live = gridLive({
            typeName, search, answer, signal, table: () => table,
            replaced(record) {
                last.records = last.records.map((each) => (each.recordName === record.recordName ? record : each));
            },
            refresh: () => router.go(searches.address(typeName, search)), recount,
        });
        return [band, live.element];
    }
    /** Searches within a circle or box that was drawn on the map. The map stays where it is. */
    function findDrawn(condition) {
        const now = panel.current();
        const found = searches.address(typeName, { ...now, where: withDrawn(now.where, search.by, condition) });
        places.keepScroll(found, router.scrolled());
        router.returns();
        router.go(found);
    }
    /** Shows these nodes below the toolbar. The filters keep their input. */
    function draw(...nodes) {
        signal.throwIfAborted();
        results.replaceChildren(...[panel.problem, ...nodes].filter((node) => node !== null));
        if (isShown) return;
        isShown = true;
        place(make("div", { class: "grid-room" }, top,
            isKnown ? null : make("p", { class: "note page-head" }, t("Page {page} can only be reached from the one before it; "
                + "this is the first page.", { page: query.get("page") })),
            bar.element, panel.element, above, results, chosenBar, pages));
        introduce(heading);
    }
    async function ask(cursor) {
        if (search.view === "map") {
            largestPage ??= Number((await api.limits(signal)).pageSize);
            return api.query(searches.mapContent(typeName, search, cursor, Math.min(mostPlaces, largestPage)), signal);
        }
        return api.query(searches.content(typeName, search, cursor, pageSize), signal, searches.reader(search));
    }
    async function fetchPage() {
        const before = schema.type(typeName);
        const answer = await ask(trail[page - 1] ?? undefined);
        const names = answer.records.flatMap((record) => Object.keys(record.fields ?? {}));
        if (!schema.covers(typeName, names) || before.isNew || answer.notices !== undefined) await schema.load({ signal });
        return { answer, notice: noticeOf(answer, before) };
    }
    /** The notices, with a button that drops the indexes that the query has added. */
    function noticeOf(answer, before) {
        const undo = answer.notices === undefined || before.isNew || !session.covers("changeSchema") ? null
            : indexes.undoing(before, schema.type(typeName));
        const button = undo === null ? null : make("button", { type: "button", class: "small", onclick: () => whileBusy(button, async () => {
            try {
                await indexes.change(typeName, undo);
                await schema.load();
                announce(t("Dropped. The same search would add it again."));
                box.remove();
            } catch (error) {
                panel.explain(error);
            }
        }) }, t("Drop it"));
        const box = noticeBox(answer.notices, button);
        return box;
    }
    /** Groups have no pages. Until a field is chosen there is only the form for it. */
    async function loadGroups() {
        const before = schema.type(typeName);
        const answer = search.by === "" ? null : await api.groups(searches.groupContent(typeName, search), signal);
        if (answer?.notices !== undefined) await schema.load({ signal });
        panel.explain(null);
        draw(groupForm(typeName, search, panel.current), answer === null ? null : noticeOf(answer, before), planView(answer?.plan ?? null),
            answer === null ? null : groupTable(typeName, search, answer));
    }
    async function load() {
        try {
            if (search.view === "groups") await loadGroups();
            else drawPage(await fetchPage());
        } catch (error) {
            refused(error);
        }
    }
    function drawPage({ answer, notice }) {
        panel.explain(null);
        trail.length = page;
        if (typeof answer.cursor === "string") trail.push(answer.cursor);
        places.save();
        last = answer;
        // The titles of targets are what this caller may read, so a user's response is shown with names alone.
        targets = search.view === "" && searches.reader(search) === undefined ? references.targetsOf(typeName, answer.records, signal) : null;
        const isEmpty = answer.records.length === 0;
        drawCount(answer);
        drawTable();
        above.replaceChildren(...bands(answer).filter((each) => each !== null));
        draw(notice, planView(answer.plan ?? null), search.view === "map" ? mapView(typeName, search.by, answer, findDrawn)
            : isEmpty ? emptiness(page, isPlain, canCreate ? make("a", { href: router.address(["import"], { type: typeName }) }, t("Import…")) : null) : grid);
        pages.replaceChildren(...(page === 1 && answer.cursor === undefined && isEmpty ? [] : [pager(typeName, search, page, answer)]));
    }
    /** The first page may be rejected because of the search; the others also because their cursor has expired. */
    function refused(error) {
        if (!signal.aborted && waitingTime(error) !== null) {
            panel.explain(null);
            draw(waitBox(error, visit, load));
            return;
        }
        const isOfUser = searches.reader(search) !== undefined;
        const isTold = error instanceof api.Refusal && (isOfUser ? error.code !== "AUTHENTICATION_FAILED"
            : error.status !== 401 && (page > 1 || !isPlain));
        if (!isTold) throw error;
        trail.length = 1;
        places.save();
        if (isOfUser) above.replaceChildren(...bands(null));
        draw(search.view === "groups" ? groupForm(typeName, search, panel.current) : null);
        panel.explain(error, [
            page > 1 ? make("a", { class: "button", href: searches.address(typeName, search) }, t("Back to the first page"))
                : error.status === 503 ? make("button", { type: "button", onclick: () => router.go(location.hash) }, t("Try again")) : null,
            addButton(error),
        ]);
    }
    /** Adds the index that a query lacks, if the caller's role allows it, and repeats the query. */
    function addButton(error) {
        const missing = indexes.missing(error);
        if (missing === null || !session.covers("changeSchema")) return null;
        const title = missing.join(", ");
        const button = make("button", { type: "button", class: "primary", onclick: () => whileBusy(button, async () => {
            try {
                await api.addIndex(typeName, { fields: missing });
                announce(t("Index added: {index}", { index: title }));
                await load();
            } catch (failure) {
                if (failure instanceof api.Refusal) panel.explain(failure);
                else fail(failure);
            }
        }) }, t("Add the index {index}", { index: title }));
        return button;
    }
    await load();
}
