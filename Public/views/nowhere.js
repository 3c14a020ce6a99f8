// The page of an address that names no room.

import { introduce, make } from "../dom.js";
import * as rooms from "../rooms.js";
import * as router from "../router.js";
import { t } from "../words.js";

export async function show({ show: draw }) {
    const { segments } = router.place();
    const heading = make("h1", {}, t("There is no such page"));
    const links = rooms.similar(segments);
    draw(heading, make("div", { class: "empty" },
        make("p", { class: "lead" }, t("Nothing is at this address.")),
        make("p", {}, make("span", { class: "code", translate: "no" }, location.hash)),
        make("p", { class: "actions centered" }, links.map(({ title, href }) => make("a", { class: "button", href }, title)),
            make("a", { class: "button", href: "#/" }, t("Home")))));
    introduce(heading);
}
