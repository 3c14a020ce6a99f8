import { make } from "../dom.js";
import * as router from "../router.js";
import { t } from "../words.js";

const pages = {
    types: { title: t("Types"), load: () => import("./schema-types.js") },
    text: { title: t("Text"), load: () => import("./schema-text.js") },
    promotion: { title: t("Promotion"), load: () => import("./schema-promotion.js") },
};

/** The URL of a page of the room. */
function address(page) {
    return router.address(["schema"], page === "types" ? {} : { view: page });
}

/** The schema: its types, its text, and how it comes to production. Each page gets `head(heading)`, the links between them. */
export async function show(visit, _, query) {
    const wanted = query.get("view") ?? "";
    const current = Object.hasOwn(pages, wanted) ? wanted : "types";
    const page = await pages[current].load();
    visit.signal.throwIfAborted();
    await page.show(visit, (heading, ...controls) => make("div", { class: "page-head" }, heading,
        make("nav", { class: "tabs", "aria-label": t("Schema") }, Object.entries(pages).map(([key, { title }]) => make("a", {
            href: address(key), "aria-current": key === current ? "page" : null,
        }, title))), make("p", { class: "actions" }, controls)));
}
