import * as api from "../api.js";
import { make } from "../dom.js";
import * as router from "../router.js";
import { t, tn } from "../words.js";

/** The server's text for a predicate that every record matches. */
function isAll(where) {
    return !where || where === "TRUEPREDICATE";
}

function cost({ count, refused, examinedRows, returnedRows, milliseconds }) {
    const asked = tn("Sent once, {milliseconds} ms in all, {examined} records examined for {returned}",
        "Sent {count} times, {milliseconds} ms in all, {examined} records examined for {returned}", Number(count),
        { milliseconds: Number(milliseconds), examined: Number(examinedRows), returned: Number(returnedRows) });
    return Number(refused) === 0 ? asked : `${asked}; ${tn("rejected once", "rejected {count} times", Number(refused))}`;
}

/**
 * Fills `place` with the expensive queries of one type or, with `null`, of all types, and an index that would help each. `act`
 * creates a button for such an index of a type. No page waits for the advice.
 */
export async function showAdvice(place, typeName, signal, act) {
    const heading = typeName !== null ? t("Costly queries") : make("a", { href: "#/performance" }, t("Costly queries"));
    let list;
    try {
        list = adviceList(await api.schemaAdvice(signal), typeName, act);
    } catch {
        if (signal.aborted) return;
        list = make("p", { class: "note" }, t("Advice on indexes could not be loaded."));
    }
    place.replaceChildren(...(list === null ? [] : [make("h2", {}, heading), list]));
}

function adviceList(advice, typeName, act) {
    const pieces = advice.filter((piece) => typeName === null || piece.recordType === typeName);
    if (pieces.length === 0) return null;
    return make("ul", { class: "panel advice-list" }, pieces.map((piece) => make("li", {},
        typeName !== null ? null : make("a", { href: router.address(["types", piece.recordType, "schema"]) }, piece.recordType),
        make("span", { class: "code" }, isAll(piece.where) ? t("all records") : piece.where,
            piece.sort ? t(", sorted by {sort}", { sort: piece.sort }) : ""),
        make("span", { class: "note" }, cost(piece)),
        Array.isArray(piece.index) && act !== undefined ? act({ fields: piece.index }, piece.recordType) : null)));
}
