// Pictures: looked at before they are sent, uploaded, and shown.

import { sizeText } from "./dom.js";
import { call, heads, server, understand, Unreachable } from "./server.js";
import * as session from "./session.js";

/** What all browsers show. */
export const types = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const largest = 20_000_000; // bytes; enough for a camera's picture
const smallEdge = 96; // pixels

/** A file that the forum does not take; the message says what to do. */
export class Unsuitable extends Error {}

/** Makes the small picture that the post has in its own record, in base64. Throws `Unsuitable`. */
export async function shrink(file) {
    if (!types.includes(file.type)) {
        throw new Unsuitable(`“${file.name}” is no picture that every browser shows. `
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
    context.fillStyle = "white"; // JPEG would make transparent parts black.
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    return canvas.toDataURL("image/jpeg", 0.85).split(",")[1];
}

/** Asks before sending: a server that refuses a file by its length hangs up while the browser is still sending. */
async function refuseIfTooLarge(file) {
    const { assetBytes = largest } = await call("GET", "/limits");
    const limit = Math.min(largest, assetBytes);
    if (file.size > limit) {
        throw new Unsuitable(`“${file.name}” has ${sizeText(file.size)}; at most ${sizeText(limit)} are possible. `
            + "Save it smaller, or choose another one.");
    }
}

/**
 * Uploads a file, and answers the value for an asset's field. `progressed(part)` is called as it goes, from 0 to 1.
 * `fetch` could not tell, so this is the one place with XMLHttpRequest. Throws as `call` does.
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

/** The address of a small picture. Browsers look at the bytes, so any picture of pixels may be called PNG here. */
export function smallAddress(image) {
    return `data:image/png;base64,${image}`;
}

/** The address of a photo, or of what the server makes of it. It is good for an hour, and needs no token. */
export function photoAddress(photo, parameters = {}) {
    // It is relative to the server where that does not know what it is called.
    const address = new URL(photo.downloadURL.startsWith("/") ? server + photo.downloadURL : photo.downloadURL);
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return address.href;
}
