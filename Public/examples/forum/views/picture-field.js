import { announce, make, sizeText } from "../dom.js";
import { shrink, smallAddress, types, Unsuitable, upload } from "../pictures.js";
import { problemBox } from "./problem.js";

/**
 * The part of a form that takes a picture, which is uploaded as soon as it is chosen. `picture` is the previous
 * `{image, photo}`. `value()` is the current one: `{}` if unchanged, `{image: null, photo: null}` if removed.
 */
export function pictureField(picture) {
    let value = {};
    let uploading = null;
    const shown = make("div");
    const problem = make("div");
    // The browser's own control would still say that no file is chosen.
    const input = make("input", {
        id: "picture", type: "file", hidden: true, "aria-label": "Choose a picture", accept: types.join(","),
        onchange: () => take(input.files[0]),
    });
    const chooser = make("button", { type: "button", onclick: () => input.click() });
    const element = make("fieldset", {}, make("legend", {}, "Picture"), shown, make("p", {}, chooser), input, problem);

    function show({ image, photo }) {
        const has = image !== undefined && image !== null;
        chooser.textContent = has ? "Choose another picture" : "Choose a picture";
        shown.replaceChildren(...(has ? [
            make("img", { class: "small", src: smallAddress(image), alt: "The chosen picture", width: 72, height: 72 }),
            make("span", {}, photo ? ` ${photo.filename ?? "picture"}, ${sizeText(photo.size)} ` : " "),
            make("button", { type: "button", onclick: takeAway }, "Remove the picture"),
        ] : []));
    }
    function takeAway() {
        value = { image: null, photo: null };
        show(value);
        chooser.focus();
    }
    async function take(file) {
        uploading?.abort();
        if (file === undefined) return;
        const mine = uploading = new AbortController();
        const bar = make("progress", { "aria-label": `Uploading ${file.name}`, max: 1, value: 0 });
        const cancel = make("button", { type: "button", onclick: () => mine.abort() }, "Cancel");
        problem.replaceChildren();
        try {
            const image = await shrink(file);
            mine.signal.throwIfAborted();
            shown.replaceChildren(make("span", { class: "upload" }, bar, cancel));
            const photo = await upload(file, { signal: mine.signal, progressed: (part) => { bar.value = part; } });
            value = { image, photo };
            announce(`“${file.name}” is uploaded.`);
        } catch (error) {
            const again = error instanceof Unsuitable ? undefined : () => take(file);
            if (!mine.signal.aborted) problem.replaceChildren(problemBox(error, again));
        }
        if (uploading !== mine) return; // Another picture was chosen in the meantime.
        uploading = null;
        input.value = ""; // So that the same file can be chosen again.
        show("image" in value ? value : picture);
    }
    show(picture);
    return { element, value: () => value, isUploading: () => uploading !== null, stop: () => uploading?.abort() };
}
