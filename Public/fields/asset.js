import * as api from "../api.js";
import { freshID, make } from "../dom.js";
import { sizeText } from "./bytes.js";
import { InputProblem } from "./problem.js";

export const isGroup = true;

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

/** A file: what it is, a way to fetch it, and a box to choose another, which is uploaded at once and linked on saving. */
export function editor({ value, changed }) {
    const id = freshID("file");
    const about = make("div", {});
    const note = make("p", { class: "note", role: "status" });
    let chosen = value;
    let uploading = 0; // counts the choices, so that only the last one counts
    let isUploading = false;

    async function choose() {
        const [file] = input.files;
        if (file === undefined) return;
        const turn = (uploading += 1);
        isUploading = true;
        changed(); // From here on the field counts as touched, so that saving asks `read`, which waits.
        note.textContent = `Uploading ${file.name}, ${sizeText(file.size)} …`;
        try {
            const asset = await api.upload(file);
            if (turn !== uploading) return;
            chosen = asset;
            note.textContent = "Uploaded; it becomes part of the record when you save.";
            about.replaceChildren(...description(chosen));
            changed();
        } catch (error) {
            if (turn !== uploading) return;
            input.value = "";
            note.textContent = `Not uploaded. ${error.message}`;
        }
        isUploading = false;
    }
    function read() {
        if (isUploading) throw new InputProblem("The file is still being uploaded. Wait for it, then save.", input);
        return chosen;
    }

    const input = make("input", { id, type: "file", onchange: choose });
    about.append(...description(value));
    return {
        element: make("div", {}, about,
            make("label", { for: id }, value === undefined ? "Choose a file" : "Replace by"), input, note),
        control: input, read,
    };
}
