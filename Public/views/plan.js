import { make } from "../dom.js";

const figures = [
    ["estimatedRows", "estimated"], ["examinedRows", "examined"], ["returnedRows", "returned"],
    ["milliseconds", "milliseconds"],
];

/** The server's notices: indexes that a query added, so that users know why the schema has changed. */
export function noticeBox(notices) {
    if (!Array.isArray(notices) || notices.length === 0) return null;
    return make("ul", { class: "panel notices", role: "status", "aria-label": "Notices" }, notices.map((notice) => make("li", {},
        notice.code === "INDEX_ADDED" ? "Index added: " : `${notice.code}: `,
        notice.index === undefined ? null : make("span", { class: "code" }, String(notice.index)),
        notice.reason === undefined ? null : make("span", { class: "note" }, ` ${notice.reason}`))));
}

function access(rows) {
    const head = (text) => make("th", { scope: "col" }, text);
    return make("div", { class: "table", role: "region", tabindex: "0", "aria-label": "Index scans" },
        make("table", {},
            make("thead", {}, make("tr", {}, head("Scanned"), head("Condition"), head("Direction"))),
            make("tbody", {}, rows.map((row) => make("tr", {},
                make("td", { class: "code" }, String(row.index ?? "")),
                make("td", { class: "code" }, row.condition === "TRUEPREDICATE" ? "all records" : String(row.condition ?? "")),
                make("td", {}, String(row.direction ?? "")))))));
}

/** How the server found the result. */
export function planView(plan) {
    if (plan === null || typeof plan !== "object") return null;
    const facts = figures.filter(([key]) => plan[key] !== undefined).map(([key, title]) => [title, String(plan[key])]);
    if (plan.sort !== undefined) facts.unshift(["sort", String(plan.sort)]);
    return make("details", { class: "panel plan", open: true },
        make("summary", {}, "Plan"),
        make("pre", { tabindex: "0", "aria-label": "The plan as text" }, String(plan.text ?? "")),
        Array.isArray(plan.access) && plan.access.length > 0 ? access(plan.access) : null,
        plan.residual === undefined ? null
            : make("p", {}, "Tested record by record: ", make("span", { class: "code" }, String(plan.residual))),
        make("dl", { class: "facts" }, facts.map(([key, value]) => make("div", {}, make("dt", {}, key), make("dd", {}, value)))));
}
