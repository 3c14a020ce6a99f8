// The dialog that exports what a list shows.

import { announce, make } from "../dom.js";
import { exportBody } from "../exports.js";
import * as router from "../router.js";
import { feedCondition } from "../search.js";
import { startExport } from "../transfers.js";
import { t } from "../words.js";
import { askForm, radioGroup, selectField, tickGroup } from "./form-dialog.js";
import { address } from "./jobs.js";

/**
 * Asks how to export the records of a search, starts the job and goes to its page. `shown` are the fields that the list shows;
 * `isChosen` is whether the user has chosen its columns.
 */
export async function exportList(typeName, search, shown, isChosen) {
    const format = radioGroup({
        legend: t("Format"), name: "format", value: "table", changed: drawTable, options: [
            { value: "table", title: t("Table (CSV)"), note: t("One row for each record. Fogbase reads it again without a mapping.") },
            { value: "jsonLines", title: t("JSON lines"), note: t("One record in each line, as the interface writes it.") },
        ],
    });
    const separator = selectField({
        label: t("Separator"), name: "table", value: ",", options: [[",", t("comma")], [";", t("semicolon")], ["\t", t("tab")]],
    });
    const excel = tickGroup({ legend: t("Program"), options: [
        { value: "excel", title: t("For Excel"), note: t("With a byte order mark, without which Excel misreads letters such as ü.") },
    ] });
    const fields = radioGroup({
        legend: t("Columns"), name: "fields", value: isChosen ? "shown" : "all", options: [
            { value: "all", title: t("All fields"), note: t("With the times and users of creation and change.") },
            { value: "shown", title: t("The fields that the list shows"), note: shown.length === 0 ? t("None: only the record name.") : shown.join(", ") },
        ],
    });
    function drawTable() {
        const isTable = format.read() === "table";
        for (const each of [separator, excel]) each.element.hidden = !isTable;
    }
    const condition = feedCondition(search);
    const job = await askForm({
        title: t("Export {type}", { type: typeName }), submit: t("Export"), fields: [format, separator, excel, fields],
        intro: make("div", {}, condition === undefined ? make("p", {}, t("All records that you can read."))
            : [make("p", {}, t("All records that match this condition:")), make("pre", { class: "marked" }, condition)],
        search.sort === "" ? null : make("p", { class: "note" }, t("In the order {sort}.", { sort: search.sort }))),
        send: () => startExport(exportBody(typeName, search, {
            format: format.read(), separator: separator.read(), isForExcel: excel.read().includes("excel"),
            fields: fields.read() === "shown" ? shown : null,
        })),
    });
    if (job === null) return;
    announce(t("The export has begun."), { isCarried: true });
    router.go(address(job));
}
