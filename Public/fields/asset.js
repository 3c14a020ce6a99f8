import { make } from "../dom.js";
import { sizeText } from "./bytes.js";

export const isGroup = true;

/** The server takes no files yet, so the form offers none. */
export const isReadOnly = true;

export const unavailable =
    "Files (ASSET) cannot be stored in this version of the server. Small contents fit into a BYTES field.";

export function summary(value) {
    const size = value?.size === undefined ? null : sizeText(Number(value.size));
    return [value?.filename ?? "file", size].filter((part) => part !== null).join(", ");
}

/** The download address, if it is one a browser may open. */
function download(value) {
    if (typeof value.downloadURL !== "string") return null;
    try {
        const url = new URL(value.downloadURL, location.origin);
        return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
    } catch {
        return null;
    }
}

function description(value) {
    if (value === undefined) return [];
    const url = download(value);
    return [
        make("p", {}, summary(value),
            url === null ? null : [" – ", make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, "Download")]),
        make("p", { class: "note code" }, `checksum ${value.fileChecksum ?? "unknown"}`),
    ];
}

/** A file that is there already: what it is, and a way to fetch it. It goes back as it came. */
export function editor({ value }) {
    return {
        element: make("div", {}, description(value), make("p", { class: "note" }, unavailable)),
        control: null, read: () => value,
    };
}
