// Ticks on the rows of the grid.

import { make } from "../dom.js";
import { t } from "../words.js";

/**
 * Ticks for these records, which are in `selection.names` while they are set; `selection.changed()` is called after each change.
 * Returns `all`, the box in the head, `box(at)` for a row, and `refresh()`, which sets them by the selection.
 */
export function rowTicks(records, selection) {
    const boxes = [];
    let last = null; // the row that was ticked last; with the shift key, all rows up to the next one are ticked
    const all = make("input", {
        type: "checkbox", "aria-label": t("Select all records of this page"), onchange: () => set(0, records.length - 1, all.checked),
    });

    function set(from, to, isChecked) {
        for (const { recordName } of records.slice(from, to + 1)) {
            if (isChecked) selection.names.add(recordName);
            else selection.names.delete(recordName);
        }
        refresh();
    }
    function refresh() {
        for (const { input, name } of boxes) {
            input.checked = selection.names.has(name);
            input.closest("tr")?.classList.toggle("ticked", input.checked);
        }
        all.checked = boxes.length > 0 && boxes.every(({ input }) => input.checked);
        all.indeterminate = !all.checked && boxes.some(({ input }) => input.checked);
        selection.changed();
    }
    return {
        all, refresh,
        box(at) {
            const { recordName } = records[at];
            const input = make("input", {
                type: "checkbox", "aria-label": t("Select {name}", { name: recordName }), onclick: (event) => {
                    const start = event.shiftKey && last !== null ? last : at;
                    last = at;
                    set(Math.min(start, at), Math.max(start, at), input.checked);
                },
            });
            boxes.push({ input, name: recordName });
            return input;
        },
    };
}
