import { make } from "../dom.js";
import { sizeText } from "./bytes.js";

export const isGroup = true;

export function summary(value) {
    const size = value?.size === undefined ? null : sizeText(Number(value.size));
    return [value?.filename ?? "file", size].filter((part) => part !== null).join(", ");
}

/** The download address, if it is one a browser may open. */
function download(value) {
    try {
        const url = new URL(value.downloadURL, location.origin);
        return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
    } catch {
        return null;
    }
}

/** A file: its name, size and checksum, and a way to fetch it. Files are uploaded by the program that owns them. */
export function editor({ value }) {
    if (value === undefined) {
        return { element: make("p", { class: "note" }, "No file. Upload one with POST /assets, then paste the answer on the JSON side."),
            control: null, read: () => undefined };
    }
    const url = typeof value.downloadURL === "string" ? download(value) : null;
    const element = make("div", {},
        make("p", {}, summary(value),
            url === null ? null : [" – ", make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, "Download")]),
        make("p", { class: "note code" }, `checksum ${value.fileChecksum ?? "unknown"}`));
    return { element, control: null, read: () => value };
}
