// A file for display: its facts, a picture or a player if the browser can show one, and a download link.

import { make } from "../dom.js";
import { sizeText } from "../sizes.js";
import { t } from "../words.js";

/** All thumbnails have one size, so that the server creates only one per picture. */
const thumbnailEdge = 160;
/** So many pixels has the picture that is shown on hover. */
const largeEdge = 640;
/** The maximum size in bytes of a whole picture that is shown if there is no thumbnail. */
const smallPicture = 512 * 1024;
/** A list shows many pictures, which would fill the log of requests. */
const unlogged = { log: "false" };
const shownByBrowsers = /^image\/(jpeg|png|gif|webp|avif)$/;

/** The name and the size in one line. */
export function fileSummary(value) {
    const size = value?.size === undefined ? null : sizeText(Number(value.size));
    return [value?.filename ?? t("file"), size].filter((part) => part !== null).join(", ");
}

/** The download URL with these parameters, or `null` if a browser may not open it. */
function address(value, parameters = {}) {
    if (typeof value?.downloadURL !== "string") return null;
    try {
        const url = new URL(value.downloadURL, location.origin);
        if (url.protocol !== "https:" && url.protocol !== "http:") return null;
        for (const [key, text] of Object.entries(parameters)) url.searchParams.set(key, text);
        return url.href;
    } catch {
        return null;
    }
}

function mediaType(value) {
    return String(value?.contentType ?? "").split(";", 1)[0].trim().toLowerCase();
}

/** Width and height as displayed: pictures with EXIF orientations 5 to 8 are stored on their side. */
function pixels(value) {
    if (value?.width === undefined || value.height === undefined) return null;
    const isTurned = Number(value.orientation ?? 1) >= 5;
    const [width, height] = isTurned ? [value.height, value.width] : [value.width, value.height];
    return t("{width} × {height} pixels", { width: String(width), height: String(height) });
}

export function isPicture(value) {
    return mediaType(value).startsWith("image/") && pixels(value) !== null && address(value) !== null;
}

/**
 * A thumbnail, loaded when it scrolls into view; the whole picture if it is small and the server creates no thumbnails. It is a button, so
 * that `views/larger.js` can show more of it to the keyboard, too.
 */
export function thumbnail(value) {
    const edge = String(thumbnailEdge);
    const image = make("img", {
        class: "thumbnail", alt: fileSummary(value), loading: "lazy", decoding: "async", width: edge, height: edge,
    });
    let whole = shownByBrowsers.test(mediaType(value)) && Number(value.size) <= smallPicture ? address(value, unlogged) : null;
    image.addEventListener("error", () => {
        if (whole === null) image.replaceWith(make("span", { class: "thumbnail none" }, fileSummary(value)));
        else [image.src, whole] = [whole, null];
    });
    image.src = address(value, { width: edge, height: edge, fit: "cover", ...unlogged });
    const large = whole ?? address(value, { width: largeEdge, height: largeEdge, ...unlogged });
    return make("button", { type: "button", class: "zoom", "data-large": large, "aria-label": t("Picture {name}", { name: fileSummary(value) }) }, image);
}

function player(value) {
    const [kind] = mediaType(value).split("/");
    const source = address(value);
    if (source === null || (kind !== "audio" && kind !== "video")) return null;
    const element = make(kind, {
        controls: true, preload: kind === "video" ? "metadata" : "none", src: source, "aria-label": fileSummary(value),
    });
    if (element.canPlayType(mediaType(value)) === "") return null;
    element.addEventListener("error", () => element.remove());
    return element;
}

/** The full view of a file; `actions` are buttons next to the download link. */
export function fileView(value, actions = []) {
    const size = value.size === undefined ? null : sizeText(Number(value.size));
    const facts = [value.contentType, size, pixels(value)].filter((part) => part !== undefined && part !== null);
    const link = address(value, { download: "true" });
    return make("div", { class: "file" },
        isPicture(value) ? thumbnail(value) : null,
        make("div", { class: "about-file" },
            make("p", { class: "file-name" }, value.filename ?? t("file without a name")),
            facts.length === 0 ? null : make("p", { class: "note" }, facts.join(" · ")),
            player(value),
            make("p", { class: "actions" },
                link === null ? null : make("a", { class: "button small", href: link, download: true }, t("Download")),
                actions)));
}
