import * as api from "../api.js";
import { introduce, make } from "../dom.js";
import * as indexes from "../indexes.js";
import { countText } from "../map/places.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { number, t } from "../words.js";
import { readersText, rightsLine } from "./rights.js";
import { newType } from "./sidebar.js";
import { columnTable } from "./table.js";

/** The numbers of records are asked for so many types at most, and so many at a time. */
const mostCounts = 60;
const atOnce = 4;

function row(type) {
    const names = Object.keys(type.fields);
    const list = names.length === 0 ? t("no fields yet") : names.join(", ");
    const count = make("td", { class: "number", "data-title": t("Records"), "data-count": type.name });
    return make("tr", {},
        make("th", { scope: "row" }, make("a", { href: router.address(["types", type.name]), title: type.name }, type.name)),
        count,
        make("td", { class: "number", "data-title": t("Fields") }, number(names.length)),
        make("td", { class: "names", "data-title": t("Names"), title: list }, make("span", { class: "value note" }, list)),
        make("td", { class: "number", "data-title": t("Indexes") }, make("a", {
            href: router.address(["types", type.name, "schema"]), "aria-label": t("Schema of {type}", { type: type.name }),
        }, number(indexes.count(type))), indexes.isBuilding(type) ? make("span", { class: "state" }, " ", t("building")) : null),
        make("td", { "data-title": t("Who reads"), title: rightsLine(type) }, readersText(type)));
}

/** Fills in about how many records each type has, as the answers come. */
async function count(table, types, signal) {
    const waiting = types.slice(0, mostCounts);
    async function work() {
        for (let type = waiting.shift(); type !== undefined; type = waiting.shift()) {
            const { name } = type;
            try {
                const total = await api.total(name, signal);
                const cell = [...table.querySelectorAll("[data-count]")].find((each) => each.dataset.count === name);
                if (cell !== undefined && total !== undefined) cell.textContent = countText({ total });
            } catch {
                if (signal.aborted) return; // Otherwise the cell stays empty.
            }
        }
    }
    await Promise.all(Array.from({ length: atOnce }, work));
}

/** All types as a table. */
export async function show({ signal, show: draw }) {
    await schema.load({ signal });
    const types = schema.all();
    const heading = make("h1", {}, t("Types"));
    const table = columnTable({
        label: t("Types"), body: make("tbody", {}, types.map(row)),
        columns: [{ title: t("Name"), min: 8 }, { title: t("Records"), style: "number", min: 6 }, { title: t("Fields"), style: "number", priority: 1 },
            { title: t("Names"), min: 8, priority: 2 }, { title: t("Indexes"), style: "number" }, { title: t("Who reads"), min: 7 }],
    });
    draw(make("div", { class: "page-head" }, heading, make("p", { class: "actions" }, session.covers("writeRecords")
        ? [make("a", { class: "button", href: router.address(["import"]) }, t("Import…")),
            make("button", { type: "button", class: "primary", onclick: newType }, t("New type"))] : null)),
    types.length === 0 ? make("div", { class: "empty" },
        make("p", { class: "lead" }, t("Nothing but fog so far.")),
        make("p", {}, scope.environment() === "production" ? t("In production, types come with the schema of development.")
            : session.covers("writeRecords") ? t("The first record creates a type: press “New type”.")
            : session.reason(t("creating one"))))
        : table);
    introduce(heading);
    count(table, types, signal);
}
