import { introduce, make } from "../dom.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import { showAdvice } from "./advice.js";

/** The grants as short lines: `everyone: read`. */
export function grantLines(grants) {
    const people = { _world: "everyone", _icloud: "signed in", _creator: "creator" };
    return Object.entries(grants)
        .filter(([, rights]) => Array.isArray(rights) && rights.length > 0)
        .map(([role, rights]) => `${people[role] ?? role}: ${rights.join(", ").toLowerCase()}`);
}

function card(type) {
    const names = Object.keys(type.fields);
    const lines = grantLines(type.grants);
    return make("li", {},
        make("a", { class: "panel card", href: router.address(["types", type.name]) },
            make("span", { class: "card-name" }, type.name),
            make("span", { class: "note" }, names.length === 0 ? "no fields yet" : names.join(", ")),
            make("span", { class: "note grants" }, lines.length === 0 ? "administrators only" : lines.join(" · "))));
}

/** The first page: all types at a glance. */
export async function showTypes({ signal, show }) {
    await schema.load({ signal });
    const heading = make("h1", {}, "Types");
    const types = schema.all();
    const advice = make("section", { "aria-label": "Costly queries" });
    show(heading, types.length === 0
        ? make("div", { class: "empty" },
            make("p", { class: "lead" }, "Nothing but fog so far."),
            make("p", {}, "A type begins with its first record: name one under “New type”."))
        : make("ul", { class: "cards" }, types.map(card)), advice);
    introduce(heading);
    if (types.length > 0) showAdvice(advice, null, signal);
}
