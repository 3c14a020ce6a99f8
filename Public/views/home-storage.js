// What takes space: the files of the server, and the records of each type as bars.

import { draw, make } from "../dom.js";
import * as router from "../router.js";
import { sizeText } from "../sizes.js";
import { number, t, tn } from "../words.js";

const mostTypes = 10;

/** A bar whose length is a part of the longest one. The numbers are beside it, so it is decoration. */
function bar(bytes, most) {
    return draw("svg", { class: "bar-line", "aria-hidden": "true" }, draw("rect", { width: `${100 * bytes / most}%`, height: "100%" }));
}

/** The content of the part for a response of `GET /storage`. */
export function storageView(storage) {
    const facts = [[t("Database"), storage.databaseBytes], [t("Write-ahead log"), storage.logBytes], [t("Files"), storage.assetBytes],
        [t("Free on the disk"), storage.freeBytes]];
    const types = storage.types.map((type) => ({ name: type.name, records: Number(type.records), bytes: Number(type.bytes) }))
        .sort((one, other) => other.bytes - one.bytes || (one.name < other.name ? -1 : 1));
    const most = Math.max(1, ...types.map(({ bytes }) => bytes));
    const head = (text, style) => make("th", { scope: "col", class: style }, text);
    const rows = types.slice(0, mostTypes).map(({ name, records, bytes }) => make("tr", {},
        make("th", { scope: "row" }, make("a", { class: "value", href: router.address(["types", name]), title: name }, name)),
        make("td", { class: "number", "data-title": t("Records") }, number(records)),
        make("td", { class: "number", "data-title": t("Size") }, sizeText(bytes)),
        make("td", { class: "bar-cell", "aria-hidden": "true" }, bar(bytes, most))));
    return [
        make("dl", { class: "facts" }, facts.map(([title, bytes]) => make("div", {}, make("dt", {}, title),
            make("dd", {}, sizeText(Number(bytes)))))),
        rows.length === 0 ? make("p", { class: "note" }, t("No types yet."))
            : make("div", { class: "panel table sizes", role: "region", tabindex: "0", "aria-label": t("Storage by type") },
                make("table", { class: "lines cards" },
                    make("thead", {}, make("tr", {}, head(t("Type")), head(t("Records"), "number"), head(t("Size"), "number"),
                        make("td", { "aria-hidden": "true" }))),
                    make("tbody", {}, rows))),
        types.length <= mostTypes ? null : make("p", { class: "note" }, make("a", { href: "#/types" },
            tn("{count} more type", "{count} more types", types.length - mostTypes))),
        storage.relation === "estimate" && rows.length > 0
            ? make("p", { class: "note" }, t("The sizes of types are estimated from a sample of records.")) : null,
    ];
}
