// The server's plan of a query as a tree: what each step reads, and what it hands to the step above it.

import { t } from "./words.js";

const count = (value) => (value === undefined ? undefined : Number(value));

/** The steps that find records: one scan, or several whose results are joined. */
function sources(plan, lines) {
    const scans = plan.access.map(({ index, condition, direction }) => ({
        title: t("Scan of {index}", { index: String(index) }), index: String(index),
        condition: condition === "TRUEPREDICATE" ? "" : String(condition ?? ""), isBackward: direction === "backward", children: [],
    }));
    const figures = { examined: count(plan.examinedRows), estimated: count(plan.estimatedRows) };
    if (scans.length === 1) return { ...scans[0], ...figures };
    const joined = /^(union|merge) of (\d+)$/.exec(lines.find((line) => /^(union|merge) of/.test(line)) ?? "");
    const isUnion = joined?.[1] !== "merge";
    const omitted = Number(joined?.[2] ?? scans.length) - scans.length;
    return {
        title: isUnion ? t("Union") : t("Merge in order"), ...figures, children: scans,
        note: omitted > 0 ? t("{count} further scans are not listed", { count: omitted }) : undefined,
    };
}

/**
 * The tree of a plan: `{title, condition?, note?, children}`, with the numbers that the server gives: `examined`, `estimated` and
 * `returned` rows, `milliseconds`. Time is known of the query as a whole, and rows of the step that reads them.
 */
export function tree(plan) {
    const lines = String(plan.text ?? "").split("\n");
    const access = Array.isArray(plan.access) ? plan.access : [];
    const shown = { ...plan, access };
    let node = access.length > 0 ? sources(shown, lines) : lines.includes("nothing can match")
        ? { title: t("Nothing can match, so nothing is read"), children: [] }
        : { title: t("Scans"), note: lines[0], children: [] };
    if (plan.residual !== undefined) {
        node = { title: t("Filter: test record by record"), condition: String(plan.residual), children: [node] };
    }
    for (const { condition, recordTypes, records, isNegated } of plan.targets ?? []) {
        node.children.push({
            title: t("Find in {types}", { types: (recordTypes ?? []).join(", ") }), condition: String(condition ?? ""), found: count(records),
            note: isNegated === true ? t("records that it finds fail the test") : undefined, children: [],
        });
    }
    const nearest = lines.find((line) => line.startsWith("nearest: "));
    if (nearest !== undefined) node = { title: t("Nearest first"), condition: nearest.slice(9), children: [node] };
    if (plan.sort === "sorted") {
        const sorted = lines.find((line) => line.startsWith("sort: "))?.slice(6) ?? "";
        node = { title: t("Sort all that was found"), condition: sorted, children: [node] };
    }
    return {
        title: t("Result"), returned: count(plan.returnedRows), milliseconds: count(plan.milliseconds), children: [node],
        note: plan.sort === "index" ? t("in the order of the index") : plan.sort === "none" ? t("in order of creation") : undefined,
        isOnPool: plan.ranOn === "pool",
    };
}

/** How many rows are examined for each one returned, if that is far more than needed; otherwise `null`. */
export function waste(plan) {
    const [examined, returned] = [Number(plan.examinedRows ?? 0), Number(plan.returnedRows ?? 0)];
    return examined > 1_000 + 10 * returned ? examined / Math.max(1, returned) : null;
}
