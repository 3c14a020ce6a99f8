import { make } from "../dom.js";
import { t } from "../words.js";

/** The links between the pages of the interface. */
export function apiTabs(current) {
    return make("nav", { class: "tabs", "aria-label": t("API") }, [["routes", t("Routes"), "#/api"], ["code", t("Code"), "#/api/code"]]
        .map(([key, title, href]) => make("a", { href, "aria-current": key === current ? "page" : null }, title)));
}
