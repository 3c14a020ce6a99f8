import { make } from "../dom.js";
import { dropZone } from "./drop-zone.js";
import { fileSummary, fileView, isPicture, thumbnail } from "./file-view.js";
import { uploadLine } from "./upload-line.js";
import { t } from "../words.js";

export const isGroup = true;

/** The file has its own button for removal. */
export const clearsItself = true;

export const summary = fileSummary;

/** The picture of the value in a table, or `null`. */
export const picture = (value) => (isPicture(value) ? thumbnail(value) : null);

/** In a list of files, adds items: one for each file, in the order of selection. */
export function adder(append, changed) {
    return dropZone({ title: t("Choose files"), many: true, take: (files) => {
        files.forEach((file) => append({ file }));
        changed();
    } });
}

/**
 * A file and a zone that takes another file. The new value replaces the old one when the upload is complete. An unchanged
 * value is sent back as it was. In a list (`isItem`) the item has no zone: it starts with a value or with a `file` to upload,
 * and `leave()` removes it when the upload is canceled.
 */
export function editor({ id, value, file, changed, isItem = false, leave }) {
    let line = null;
    const place = make("div", {});
    const zone = isItem ? null : dropZone({ id, title: "", take: ([chosen]) => {
        begin(chosen);
        changed();
    } });

    function refresh() {
        const remove = isItem ? [] : make("button", { type: "button", class: "quiet small", onclick: () => {
            value = undefined;
            settle();
        } }, t("Remove"));
        place.replaceChildren(...[value === undefined ? null : fileView(value, remove), line?.element ?? null]
            .filter((part) => part !== null));
        zone?.rename(value === undefined ? t("Choose a file") : t("Choose another file"));
    }
    function begin(chosen) {
        const given = { arrived: (uploaded) => {
            value = uploaded;
            line = null;
            settle();
        }, givenUp: () => {
            line = null;
            if (isItem) leave();
            else settle();
        } };
        line = uploadLine(chosen, given);
        refresh();
    }
    /** Shows the current state of the field. Keeps the focus on a useful element. */
    function settle() {
        const hadFocus = place.contains(document.activeElement);
        refresh();
        if (hadFocus) (zone?.control ?? place.querySelector("a, button:not(.zoom)"))?.focus();
        changed();
    }
    function read() {
        if (line !== null) throw line.problem();
        return value;
    }

    if (file !== undefined) begin(file);
    else refresh();
    return {
        element: make("div", {}, place, zone?.element), control: zone?.control ?? null, read,
        isEmpty: () => value === undefined && line === null,
        upload([chosen]) {
            begin(chosen);
            changed();
        },
    };
}
