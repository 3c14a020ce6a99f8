// The rows that an import has rejected, page by page.

import { make } from "../dom.js";
import { rejections } from "../transfers.js";
import { number, t } from "../words.js";
import { collection } from "./collection.js";

/** The rows that the import has rejected: `element`, and `refresh(job)`, which shows them as soon as there are some. */
export function rejectionList(job, visit) {
    const list = collection({
        label: t("Rejected rows"), key: ({ line }) => line, name: ({ line }) => number(line), visit, empty: null,
        columns: [{ title: t("Line"), style: "number", min: 4, cell: ({ line }) => number(line) },
            { title: t("Reason"), style: "wide", min: 12, grow: 1, cell: ({ reason }) => String(reason) },
            { title: t("Code"), style: "code", min: 8, cell: ({ serverErrorCode, details }) => String(details?.cause ?? serverErrorCode) }],
        async load(cursor, signal) {
            const { rejections: items, cursor: next } = await rejections(job.id, cursor, signal);
            element.hidden = items.length === 0 && cursor === undefined;
            return { items, ...(next === undefined ? {} : { cursor: next }) };
        },
    });
    const element = make("section", { class: "rejections", hidden: true, "aria-label": t("Rejected rows") }, make("h2", {}, t("Rejected rows")), list.element);
    let shown = "";
    return {
        element,
        refresh({ state, skipped = 0, skipReasons }) {
            // While rows are read, the first ones are enough; the end shows whether there are more. Other callers' rows have no reasons.
            const now = Number(skipped) === 0 || skipReasons === undefined ? "" : ["succeeded", "failed", "cancelled"].includes(state) ? "end" : "some";
            if (now === shown || now === "") return;
            shown = now;
            list.run(() => undefined);
        },
    };
}
