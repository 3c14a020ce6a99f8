import { make } from "../dom.js";
import { dropZone } from "./drop-zone.js";
import { fileSummary, fileView, isPicture, thumbnail } from "./file-view.js";
import { uploadLine } from "./upload-line.js";

export const isGroup = true;

/** The file has a button of its own to be removed. */
export const clearsItself = true;

export const summary = fileSummary;

/** The picture that stands for the value in a table, or `null`. */
export const picture = (value) => (isPicture(value) ? thumbnail(value) : null);

/** In a list of files, what adds items: one for each file, in the order in which they were chosen. */
export function adder(append, changed) {
    return dropZone({ title: "Choose files", many: true, take: (files) => {
        files.forEach((file) => append({ file }));
        changed();
    } });
}

/**
 * A file: what is there, and a zone that takes another, whose value replaces the old one once it has arrived. A value
 * goes back as it came. In a list (`isItem`) the item has no zone: it begins with a value or with a `file` to upload,
 * and `leave()` takes it away when the upload is given up.
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
        } }, "Remove");
        place.replaceChildren(...[value === undefined ? null : fileView(value, remove), line?.element ?? null]
            .filter((part) => part !== null));
        zone?.rename(value === undefined ? "Choose a file" : "Choose another file");
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
    /** Shows the field as it is now; the focus stays where people can go on. */
    function settle() {
        const hadFocus = place.contains(document.activeElement);
        refresh();
        if (hadFocus) (zone?.control ?? place.querySelector("a, button"))?.focus();
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
    };
}
