import { make } from "../dom.js";
import * as plans from "../plan-tree.js";
import { number, t, tn } from "../words.js";

function figures(node) {
    const list = [
        node.returned === undefined ? null : tn("{count} row returned", "{count} rows returned", node.returned),
        node.found === undefined ? null : tn("{count} record found", "{count} records found", node.found),
        node.examined === undefined ? null : tn("{count} row examined", "{count} rows examined", node.examined),
        node.estimated === undefined ? null : t("about {count} expected", { count: node.estimated }),
        node.milliseconds === undefined ? null : t("{time} ms", { time: number(node.milliseconds, { maximumFractionDigits: 3 }) }),
    ];
    return list.filter((each) => each !== null);
}

function branch(node) {
    return make("li", {},
        make("div", { class: "node" }, make("strong", {}, node.title),
            node.isBackward ? make("span", { class: "note" }, t("backward")) : null,
            node.condition ? make("span", { class: "code" }, node.condition) : null,
            node.note === undefined ? null : make("span", { class: "note" }, node.note),
            node.isOnPool ? make("span", { class: "note" }, t("on a thread for long queries")) : null,
            make("span", { class: "figures number" }, figures(node).join(" · "))),
        node.children.length === 0 ? null : make("ul", {}, node.children.map(branch)));
}

/** A plan as a tree, with its text for people who want to quote it. */
export function planTree(plan) {
    const waste = plans.waste(plan);
    return make("div", { class: "panel plan" },
        make("ul", { class: "plan-tree", "aria-label": t("Plan") }, branch(plans.tree(plan))),
        waste === null ? null : make("p", {},
            t("It examines {count} rows for each one that it returns. An index on the tested fields would help.", { count: Math.round(waste) })),
        make("details", {}, make("summary", {}, t("The plan as text")),
            make("pre", { tabindex: "0", "aria-label": t("The plan as text") }, String(plan.text ?? ""))));
}
