import { make } from "../dom.js";
import * as schema from "../schema.js";
import * as session from "../session.js";
import { t } from "../words.js";
import { accountMenu } from "./account-menu.js";
import { connectionStrip } from "./connection-strip.js";
import { scopeMenu } from "./scope-form.js";
import { sidebar } from "./sidebar.js";

/** The main frame: header, sidebar, and the place for a page. Returns that place and `mark(room, names)` for the current room. */
export function showFrame(root, signOut) {
    const content = make("main", { id: "content", tabindex: "-1" });
    const account = accountMenu(signOut);
    const side = sidebar();
    const button = make("button", {
        type: "button", class: "rooms-button", "aria-label": t("Rooms"), "aria-expanded": "false", "aria-controls": side.element.id,
        onclick: () => open(!side.element.classList.contains("open")),
    }, "☰");

    function open(isOpen) {
        side.element.classList.toggle("open", isOpen);
        button.setAttribute("aria-expanded", String(isOpen));
    }
    schema.listen(side.refresh);
    session.listen(() => {
        account.refresh();
        side.refresh();
    });
    account.refresh();
    root.replaceChildren(
        make("header", {}, button,
            make("a", { class: "brand", href: "#/", "aria-label": "Fogbase" },
                make("img", { src: "fog.svg", alt: "", width: "28", height: "28" }), make("span", {}, "Fogbase")),
            scopeMenu(), account.element), connectionStrip(),
        make("div", { class: "house" }, side.element, content));
    side.refresh();
    return {
        content,
        mark(room, names) {
            open(false);
            side.mark(room, names);
        },
    };
}
