// Which types differ between development and production.

import { make } from "../dom.js";
import * as observation from "../observation.js";
import * as diff from "../schema-diff.js";
import { t, tn } from "../words.js";

const mostTypes = 8;

function countsText(list) {
    const { added, changed, removed } = diff.counts(list);
    return [[added, t("{count} added", { count: added })], [changed, t("{count} changed", { count: changed })],
        [removed, t("{count} removed", { count: removed })]].filter(([count]) => count > 0).map(([, text]) => text).join(", ");
}

/** The content of the part. */
export async function load(signal) {
    const [development, production] = await Promise.all(["development", "production"].map((name) => observation.types(name, signal)));
    const list = diff.differences(production, diff.promoted(production, development));
    const names = [...new Set(list.map(({ type }) => type))];
    const link = make("a", { href: "#/schema?view=promotion" }, t("Promotion"));
    if (names.length === 0) return [make("p", { class: "note" }, t("Production has the schema of development."), " ", link)];
    return [
        make("p", {}, tn("{count} type of development differs from production.", "{count} types of development differ from production.",
            names.length), " ", link),
        make("ul", { class: "panel differing" }, names.slice(0, mostTypes).map((name) => {
            const own = list.filter(({ type }) => type === name);
            const whole = own.find(({ kind }) => kind === "type");
            const text = whole?.change === "added" ? t("only in development") : whole?.change === "removed" ? t("only in production")
                : countsText(own);
            return make("li", {}, make("span", { class: "value", title: name }, name), make("span", { class: "note" }, text));
        })),
        names.length <= mostTypes ? null : make("p", { class: "note" },
            tn("{count} more type", "{count} more types", names.length - mostTypes)),
    ];
}
