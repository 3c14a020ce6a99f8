import { make } from "../dom.js";
import * as places from "../places.js";
import * as router from "../router.js";
import * as session from "../session.js";
import { t } from "../words.js";

/**
 * The heading of a page of a type. On all of them, one sees only the name, so that it and the links beside it stay in their place;
 * `text` is for screen readers, as `tp` returns it with an element for the name.
 */
export function typeHeading(typeName, text) {
    return make("h1", { title: typeName }, text.map((part) => (typeof part === "string"
        ? make("span", { class: "visually-hidden" }, part) : part)));
}

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
