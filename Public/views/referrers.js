// What refers to a record: the fields of all types that can, and how many records do.

import * as api from "../api.js";
import { make, whileBusy } from "../dom.js";
import * as references from "../references.js";
import * as schema from "../schema.js";
import * as searches from "../search.js";
import * as session from "../session.js";
import { t, tn } from "../words.js";
import { columnTitle } from "./column-titles.js";

const together = 4; // requests at a time

/** A part of the page that counts when it is opened. */
export function referrers(recordType, recordName, signal) {
    const place = make("ul", { class: "panel referrers" });
    const element = make("details", { class: "whole", ontoggle: () => {
        if (element.open && place.childElementCount === 0) load();
    } }, make("summary", {}, t("What refers to this record")), place);

    function line(each) {
        const state = make("span", { role: "status" });
        const item = make("li", {}, make("span", { class: "code" }, `${each.type} · ${columnTitle(each.field)}`), " ", state);
        async function count() {
            state.textContent = "…";
            try {
                const answer = await api.query({ recordType: each.type, where: each.where, limit: 1, fields: [], count: true }, signal);
                const number = Number(answer.count);
                state.replaceChildren(number === 0 ? t("no record") : make("a", {
                    href: searches.address(each.type, { ...searches.cleared({ view: "", by: "", period: "", as: "" }), where: each.where }),
                }, tn("{count} record", "{count} records", number)));
            } catch (error) {
                if (!signal.aborted) state.textContent = error.message;
            }
        }
        /** Counting without an index would add one, so the user decides. */
        function offer() {
            if (!session.covers("changeSchema")) {
                state.textContent = t("cannot be counted: the field has no index");
                return;
            }
            const button = make("button", { type: "button", class: "small", onclick: () => whileBusy(button, async () => {
                try {
                    await api.addIndex(each.type, { fields: [each.field] });
                    await schema.load();
                } catch (error) {
                    state.textContent = error.message;
                    return;
                }
                await count();
            }) }, t("Add the index {index}", { index: each.field }));
            state.replaceChildren(t("not counted: the field has no index."), " ", button);
        }
        return { item, start: each.isIndexed ? count : offer };
    }
    async function load() {
        const lines = references.referring(recordType, recordName).map(line);
        place.replaceChildren(...lines.length === 0 ? [make("li", {}, t("No type has a field for references."))] : lines.map(({ item }) => item));
        const waiting = lines.map(({ start }) => start);
        await Promise.all(Array.from({ length: together }, async () => {
            while (waiting.length > 0) await waiting.shift()();
        }));
    }
    return element;
}
