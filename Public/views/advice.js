import * as api from "../api.js";
import { make } from "../dom.js";
import * as indexes from "../indexes.js";
import * as router from "../router.js";

/**
 * What the server advises on indexes, for one type or all. `act` makes the buttons of one piece of advice. Without an
 * answer there is no advice, and the page is none the worse.
 */
export async function adviceList(typeName, signal, act) {
    let advice;
    try {
        advice = await api.schemaAdvice(signal);
    } catch (error) {
        if (signal?.aborted || (error instanceof api.Refusal && error.status === 401)) throw error;
        return make("p", { class: "note" }, "Advice on indexes could not be read.");
    }
    const pieces = advice.filter((piece) => typeName === null || piece.recordType === typeName);
    if (pieces.length === 0) return null;
    return make("ul", { class: "panel advice-list" }, pieces.map((piece) => make("li", {},
        make("span", {}, piece.action === "drop" ? "Drop " : "Add ",
            typeName !== null ? null : make("a", { href: router.address(["types", piece.recordType, "schema"]) }, piece.recordType),
            typeName !== null ? null : ": ",
            make("span", { class: "code" }, indexes.title(piece.index ?? {}))),
        make("span", { class: "note" }, String(piece.reason ?? "")),
        act === undefined ? null : act(piece))));
}
