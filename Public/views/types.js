import { introduce, make } from "../dom.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as session from "../session.js";
import { showAdvice } from "./advice.js";
import { rightsLine } from "./rights.js";

function card(type) {
    const names = Object.keys(type.fields);
    return make("li", {},
        make("a", { class: "panel card", href: router.address(["types", type.name]) },
            make("span", { class: "card-name" }, type.name),
            make("span", { class: "note" }, names.length === 0 ? "no fields yet" : names.join(", ")),
            make("span", { class: "note grants" }, rightsLine(type))));
}

/** The first page: a list of all types. */
export async function showTypes({ signal, show }) {
    await schema.load({ signal });
    const heading = make("h1", {}, "Types");
    const types = schema.all();
    const advice = make("section", { "aria-label": "Costly queries" });
    show(heading, types.length === 0
        ? make("div", { class: "empty" },
            make("p", { class: "lead" }, "Nothing but fog so far."),
            make("p", {}, session.covers("writeRecords") ? "The first record creates a type: enter a name under “New type”."
                : session.reason("creating one")))
        : make("ul", { class: "cards" }, types.map(card)), advice);
    introduce(heading);
    if (types.length > 0) showAdvice(advice, null, signal);
}
