// Pictures: checked before the upload, uploaded, and shown.

import { sizeText } from "./dom.js";
import { call, heads, server, understand, Unreachable } from "./server.js";
import * as session from "./session.js";

/** The formats that all browsers show. */
export const types = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const largest = 20_000_000; // bytes; enough for a camera's picture
const smallEdge = 96; // pixels

/** A file that the forum does not accept; the message says what to do. */
export class Unsuitable extends Error {}

/** Creates the small picture for the post's own record, in Base64. Throws `Unsuitable`. */
export async function shrink(file) {
    if (!types.includes(file.type)) {
        throw new Unsuitable(`“${file.name}” is not a picture that every browser can show. `
            + "Choose a JPEG, PNG, GIF or WebP file.");
    }
    await refuseIfTooLarge(file);
    const picture = await createImageBitmap(file).catch(() => {
        throw new Unsuitable(`“${file.name}” cannot be read as a picture. It may be damaged; choose another one.`);
    });
    const scale = Math.min(1, smallEdge / Math.max(picture.width, picture.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    const context = canvas.getContext("2d");
    context.fillStyle = "white"; // In JPEG, transparent parts would become black.
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    return canvas.toDataURL("image/jpeg", 0.85).split(",")[1];
}

/** Checks the size before the upload: a server that rejects a file by its length closes the connection while the browser is sending. */
async function refuseIfTooLarge(file) {
    const { assetBytes = largest } = await call("GET", "/limits");
    const limit = Math.min(largest, assetBytes);
    if (file.size > limit) {
        throw new Unsuitable(`“${file.name}” has ${sizeText(file.size)}; the limit is ${sizeText(limit)}. `
            + "Make it smaller, or choose another one.");
    }
}

/**
 * Uploads a file and returns the value for an asset's field. `progressed(part)` is called repeatedly, from 0 to 1.
 * `fetch` cannot report progress, so only this function uses XMLHttpRequest. Throws as `call` does.
 */
export function upload(file, { progressed, signal }) {
    const token = session.token();
    const request = new XMLHttpRequest();
    request.open("POST", `${server}/assets?${new URLSearchParams({ filename: file.name })}`);
    for (const [name, value] of Object.entries(heads(token, { "Content-Type": file.type }))) {
        request.setRequestHeader(name, value);
    }
    signal.addEventListener("abort", () => request.abort());
    return new Promise((resolve, reject) => {
        request.upload.addEventListener("progress", (event) => progressed(event.loaded / Math.max(1, event.total)));
        request.addEventListener("abort", () => reject(signal.reason));
        request.addEventListener("error", () => reject(new Unreachable()));
        request.addEventListener("load", () => {
            try {
                resolve(understand(request.status, request.responseText, token).asset);
            } catch (error) {
                reject(error);
            }
        });
        request.send(file);
    });
}

/** The URL of a small picture. Browsers detect the format from the bytes, so any bitmap may be called PNG here. */
export function smallAddress(image) {
    return `data:image/png;base64,${image}`;
}

/** The URL of a photo, or of its thumbnail. It is valid for an hour and needs no token. */
export function photoAddress(photo, parameters = {}) {
    // If the server does not know its public URL, this URL is relative to the server.
    const address = new URL(photo.downloadURL.startsWith("/") ? server + photo.downloadURL : photo.downloadURL);
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return address.href;
}
