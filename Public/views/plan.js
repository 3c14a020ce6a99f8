import { make } from "../dom.js";
import { t, tp } from "../words.js";
import { columnTable } from "./table.js";

const figures = [
    ["estimatedRows", t("estimated")], ["examinedRows", t("examined")], ["returnedRows", t("returned")],
    ["milliseconds", t("milliseconds")],
];

/**
 * The server's notices: indexes that a query added, so that users know why the schema has changed. `drop` is a button that removes
 * them again, or `null`.
 */
export function noticeBox(notices, drop) {
    if (!Array.isArray(notices) || notices.length === 0) return null;
    return make("ul", { class: "panel notices", role: "status", "aria-label": t("Notices") }, notices.map((notice, at) => make("li", {},
        make("span", {}, notice.code !== "INDEX_ADDED" ? `${notice.code}: ${notice.index ?? ""}`
            : tp("Index added: {index}", { index: make("span", { class: "code" }, String(notice.index)) })),
        notice.reason === undefined ? null : make("span", { class: "note" }, notice.reason),
        at === 0 ? drop : null)));
}

function access(rows) {
    return columnTable({
        label: t("Index scans"), style: "", tableStyle: "lines", columns: [{ title: t("Scanned") }, { title: t("Condition"), min: 8 }, { title: t("Direction") }],
        body: make("tbody", {}, rows.map((row) => make("tr", {},
                make("td", { class: "code" }, String(row.index ?? "")),
                make("td", { class: "code" }, row.condition === "TRUEPREDICATE" ? t("all records") : String(row.condition ?? "")),
                make("td", {}, String(row.direction ?? ""))))),
    });
}

/** How the server found the result. */
export function planView(plan) {
    if (plan === null || typeof plan !== "object") return null;
    const facts = figures.filter(([key]) => plan[key] !== undefined).map(([key, title]) => [title, String(plan[key])]);
    if (plan.sort !== undefined) facts.unshift([t("sort"), String(plan.sort)]);
    return make("details", { class: "panel plan", open: true },
        make("summary", {}, t("Plan")),
        make("pre", { tabindex: "0", "aria-label": t("The plan as text") }, String(plan.text ?? "")),
        Array.isArray(plan.access) && plan.access.length > 0 ? access(plan.access) : null,
        plan.residual === undefined ? null
            : make("p", {}, tp("Tested record by record: {condition}", {
                condition: make("span", { class: "code" }, String(plan.residual)),
            })),
        make("dl", { class: "facts" }, facts.map(([key, value]) => make("div", {}, make("dt", {}, key), make("dd", {}, value)))));
}
