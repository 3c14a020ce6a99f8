import { make } from "../dom.js";
import * as places from "../places.js";
import * as router from "../router.js";
import * as session from "../session.js";
import { t } from "../words.js";

/** The links between the pages of a type. The one to the records leads to the page that was open last. */
export function typeTabs(typeName, current) {
    const records = router.address(["types", typeName]);
    const pages = [["records", t("Records"), current === "records" ? records : places.list(typeName, records)],
        ["schema", t("Schema"), router.address(["types", typeName, "schema"])],
        ...(session.covers("readRights") ? [["security", t("Security"), router.address(["security", "types", typeName])]] : [])];
    return make("nav", { class: "tabs", "aria-label": typeName }, pages.map(([key, title, href]) => make("a", {
        href, "aria-current": key === current ? "page" : null, onclick: key === "records" ? router.returns : null,
    }, title)));
}
