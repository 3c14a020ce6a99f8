import { announce, make, sizeText, whileDisabled } from "../dom.js";
import { photoAddress, smallAddress } from "../pictures.js";
import { read } from "../posts.js";

const edge = 640; // pixels

/** The picture of a post: a thumbnail, and the whole picture on request; `null` without one. */
export function photo(post) {
    const alt = `Picture of “${post.title}”`;
    if (post.photo === undefined) {
        if (post.image === undefined) return null;
        return make("figure", {}, make("img", { src: smallAddress(post.image), alt }));
    }
    const image = make("img", { alt });
    const note = make("p", { class: "wrong", role: "alert" });
    const button = make("button", { type: "button", onclick: () => whileDisabled(button, showWhole) },
        `Show the whole picture (${sizeText(post.photo.size)})`);

    // If the server creates no thumbnails, the small picture in the record stays.
    image.addEventListener("error", () => {
        if (post.image !== undefined) image.src = smallAddress(post.image);
    }, { once: true });
    image.src = photoAddress(post.photo, { width: edge, height: edge, fit: "contain" });

    async function showWhole() {
        note.textContent = "";
        try {
            // A URL is valid for an hour, and this page may be older.
            const now = await read(post.name);
            const whole = new Image();
            whole.src = photoAddress(now.photo ?? post.photo);
            await whole.decode();
            image.src = whole.src;
            button.remove();
            announce("This is the whole picture.");
        } catch {
            note.textContent = "The picture could not be loaded. Check your connection, then press again.";
        }
    }
    return make("figure", {}, image, make("figcaption", {}, button, note));
}
