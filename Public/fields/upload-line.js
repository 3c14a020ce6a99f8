import { Refusal } from "../api.js";
import { announce, make } from "../dom.js";
import { sizeText } from "../sizes.js";
import { upload } from "../uploads.js";
import { InputProblem } from "./problem.js";
import { t } from "../words.js";

/** The largest picture in bytes that is shown while it is uploaded. */
const largestPreview = 8 << 20;

/** The picture in a file that is not uploaded yet, or `null`. */
function preview(file) {
    if (!/^image\/(jpeg|png|gif|webp|avif)$/.test(file.type) || file.size > largestPreview) return null;
    const image = make("img", { class: "upload-picture", alt: "" });
    const reader = new FileReader();
    reader.addEventListener("load", () => { image.src = reader.result; });
    reader.readAsDataURL(file);
    image.addEventListener("error", () => image.remove());
    return image;
}

/** The server's sentence, or if there is none, the meaning of the status. */
function reasonOf(error) {
    const isBare = error instanceof Refusal && error.code === `HTTP ${error.status}`;
    return isBare && error.advice !== null ? `${error.message} ${error.advice}` : error.message;
}

/**
 * One upload: name, progress bar, percentage, bytes, and a button to cancel. After a failure, the reason and a button to retry.
 * `arrived(value)` or `givenUp()` is called once, at the end. The upload stops if the line is removed from the page. `sentence` is announced
 * at its end.
 */
export function uploadLine(file, { arrived, givenUp, sentence = t("“{file}” is uploaded. Save to keep it.", { file: file.name }) }) {
    const size = sizeText(file.size);
    const bar = make("progress", { role: "progressbar", max: "100", value: "0", "aria-label": t("Uploading {file}", { file: file.name }) });
    const count = make("span", { class: "note number" });
    // The bar moves many times a second; screen readers get only the quarters.
    const spoken = make("span", { class: "visually-hidden", role: "status" });
    const problem = make("p", { class: "problem", role: "alert" });
    const again = make("button", { type: "button", class: "small", hidden: true, onclick: begin }, t("Try again"));
    const stop = make("button", { type: "button", class: "quiet small", onclick: () => {
        controller.abort();
        givenUp();
    } }, t("Cancel"));
    const element = make("div", { class: "upload", role: "group", tabindex: "-1", "aria-label": t("Upload of {file}", { file: file.name }) },
        preview(file), make("p", { class: "file-name" }, file.name),
        make("div", { class: "together" }, bar, count, again, stop), problem, spoken);
    let controller;
    let hasFailed = false;

    function show(sent) {
        const share = file.size === 0 ? 1 : Math.min(1, sent / file.size);
        const percent = Math.floor(share * 100);
        bar.value = percent;
        const text = t("{percent} %, {sent} of {size}", { percent, sent: sizeText(Math.round(share * file.size)), size });
        bar.setAttribute("aria-valuetext", text);
        count.textContent = text;
        const quarters = t("{percent} % of {file} uploaded", { percent: Math.floor(percent / 25) * 25, file: file.name });
        if (spoken.textContent !== quarters) spoken.textContent = quarters;
    }
    function turn(error) {
        hasFailed = error !== null;
        problem.textContent = hasFailed ? reasonOf(error) : "";
        if (hasFailed) spoken.textContent = "";
        element.classList.toggle("failed", hasFailed);
        for (const part of [bar, count]) part.hidden = hasFailed;
        again.hidden = !hasFailed;
        stop.textContent = hasFailed ? t("Dismiss") : t("Cancel");
        stop.setAttribute("aria-label", `${stop.textContent} ${file.name}`);
    }
    async function begin() {
        controller = new AbortController();
        const { signal } = controller;
        const hadFocus = document.activeElement === again;
        turn(null);
        show(0);
        if (hadFocus) stop.focus();
        function progressed(sent) {
            if (element.isConnected) show(sent);
            else controller.abort();
        }
        try {
            const value = await upload(file, { progressed, signal });
            if (!element.isConnected) return;
            announce(sentence);
            arrived(value);
        } catch (error) {
            if (!signal.aborted) turn(error);
        }
    }
    begin();
    return {
        element,
        /** Why the field cannot be saved yet. */
        problem: () => new InputProblem(hasFailed
            ? t("“{file}” was not uploaded: try again, or dismiss it.", { file: file.name })
            : t("“{file}” is still being uploaded: wait for it, or cancel it.", { file: file.name }), element),
    };
}
