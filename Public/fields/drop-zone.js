import { make } from "../dom.js";
import { t } from "../words.js";

/** Whether a drag contains files. */
function carriesFiles(event) {
    return event.dataTransfer?.types.includes("Files") === true;
}

// If a file were dropped outside of the zone, the browser would replace the page with it, and unsaved changes would be lost.
for (const name of ["dragover", "drop"]) {
    window.addEventListener(name, (event) => {
        if (!carriesFiles(event) || event.defaultPrevented) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "none";
    });
}

/** The files of a drop. A directory looks like a file but cannot be uploaded. */
function filesIn(transfer) {
    const items = [...transfer.items].filter((item) => item.kind === "file");
    const files = items.filter((item) => item.webkitGetAsEntry?.()?.isDirectory !== true)
        .map((item) => item.getAsFile()).filter((file) => file !== null);
    return { files, hasFolders: files.length < items.length };
}

/**
 * A button that opens the browser's file chooser and accepts dropped files. `take(files)` gets at least
 * one file, and only one unless `many` is set. `rename(title)` changes its title.
 */
export function dropZone({ id, title, many = false, take }) {
    const input = make("input", { type: "file", hidden: true, multiple: many, tabindex: "-1", "aria-hidden": "true" });
    const label = make("span", {}, title);
    const button = make("button", { type: "button", id, class: "drop-zone", onclick: () => input.click() },
        label, make("span", { class: "note" }, many ? t("or drop files here") : t("or drop one here")));

    const problem = make("p", { class: "problem", role: "alert" });

    function choose(files, hasFolders = false) {
        const isTooMany = !many && files.length > 1;
        problem.textContent = hasFolders ? t("Directories cannot be uploaded: choose the files in them.")
            : isTooMany ? t("This field takes one file; these are several.") : "";
        if (files.length > 0 && !isTooMany) take(files);
    }
    // Choosing a file does not change the field yet; its value changes when the upload is complete.
    input.addEventListener("input", (event) => event.stopPropagation());
    input.addEventListener("change", () => {
        choose([...input.files]);
        input.value = ""; // so that the same file can be chosen again
    });
    for (const name of ["dragenter", "dragover"]) {
        button.addEventListener(name, (event) => {
            if (!carriesFiles(event)) return;
            event.preventDefault();
            event.dataTransfer.dropEffect = "copy";
            button.classList.add("over");
        });
    }
    button.addEventListener("dragleave", () => button.classList.remove("over"));
    button.addEventListener("drop", (event) => {
        button.classList.remove("over");
        if (!carriesFiles(event)) return;
        event.preventDefault();
        const { files, hasFolders } = filesIn(event.dataTransfer);
        choose(files, hasFolders);
    });
    return { element: make("div", {}, button, problem, input), control: button, rename: (text) => { label.textContent = text; } };
}
