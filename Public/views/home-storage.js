// What takes space: the files of the server, and the records of each type as bars.

import { draw, make } from "../dom.js";
import { countText } from "../map/places.js";
import * as router from "../router.js";
import { sizeText } from "../sizes.js";
import { t, tn } from "../words.js";
import { columnTable } from "./table.js";

const mostTypes = 10;

/** A bar whose length is a part of the longest one. The numbers are beside it, so it is decoration. */
function bar(bytes, most) {
    return draw("svg", { class: "bar-line", "aria-hidden": "true" }, draw("rect", { width: `${100 * bytes / most}%`, height: "100%" }));
}

/** The content of the part for a response of `GET /storage`. */
export function storageView(storage) {
    const facts = [[t("Database"), storage.databaseBytes], [t("Write-ahead log"), storage.logBytes], [t("Files"), storage.assetBytes],
        [t("Free on the disk"), storage.freeBytes]];
    const types = storage.types.map((type) => ({ name: type.name, records: Number(type.records), bytes: Number(type.bytes), relation: type.relation }))
        .sort((one, other) => other.bytes - one.bytes || (one.name < other.name ? -1 : 1));
    const most = Math.max(1, ...types.map(({ bytes }) => bytes));
    const rows = types.slice(0, mostTypes).map(({ name, records, bytes, relation }) => make("tr", {},
        make("th", { scope: "row" }, make("a", { class: "value", href: router.address(["types", name]), title: name }, name)),
        make("td", { class: "number", "data-title": t("Records") }, countText({ total: { value: records, relation: relation ?? storage.relation } })),
        make("td", { class: "number", "data-title": t("Size") }, storage.relation === "estimate" ? t("about {size}", { size: sizeText(bytes) }) : sizeText(bytes)),
        make("td", { class: "bar-cell", "aria-hidden": "true" }, bar(bytes, most))));
    return [
        make("dl", { class: "facts" }, facts.map(([title, bytes]) => make("div", {}, make("dt", {}, title),
            make("dd", {}, sizeText(Number(bytes)))))),
        rows.length === 0 ? make("p", { class: "note" }, t("No types yet."))
            : columnTable({
                label: t("Storage by type"), style: "panel sizes", body: make("tbody", {}, rows),
                columns: [{ title: t("Type"), min: 8 }, { title: t("Records"), style: "number", min: 6 }, { title: t("Size"), style: "number", min: 5.5 },
                    { title: null, min: 4, ideal: 8, grow: 1, priority: 1 }],
            }),
        types.length <= mostTypes ? null : make("p", { class: "note" }, make("a", { href: "#/types" },
            tn("{count} more type", "{count} more types", types.length - mostTypes))),
    ];
}
