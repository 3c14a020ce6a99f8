import * as api from "../api.js";
import { make } from "../dom.js";
import * as router from "../router.js";

function cost({ count, refused, examinedRows, returnedRows, milliseconds }) {
    const asked = Number(count) === 1 ? "Asked once" : `Asked ${count} times`;
    return `${asked}, ${milliseconds} ms in all, ${examinedRows} records examined for ${returnedRows}`
        + (Number(refused) === 0 ? "" : `; refused ${Number(refused) === 1 ? "once" : `${refused} times`}`);
}

/**
 * The costly queries of one type or, with `null`, of all, and the index that would help each. `act` makes a button for
 * such an index. Without an answer there is no advice, and the page is none the worse.
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
        typeName !== null ? null : make("a", { href: router.address(["types", piece.recordType, "schema"]) }, piece.recordType),
        make("span", { class: "code" }, piece.where || "all records", piece.sort ? `, sorted by ${piece.sort}` : ""),
        make("span", { class: "note" }, cost(piece)),
        Array.isArray(piece.index) && act !== undefined ? act({ fields: piece.index }) : null)));
}
