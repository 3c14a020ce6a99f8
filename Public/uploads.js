// Uploads files. `fetch` cannot report upload progress, so only this module uses XMLHttpRequest.

import * as api from "./api.js";
import * as json from "./json.js";
import * as scope from "./scope.js";
import * as session from "./session.js";
import { sizeText } from "./sizes.js";
import { t } from "./words.js";

const atOnce = 3;
let running = 0;
const waiting = [];
let largest; // a promise of the maximum size of a file, requested once

/** A file that did not arrive, though the server did not reject it. */
export class UploadBroken extends Error {
    constructor(sentence) {
        super(sentence);
        this.name = "UploadBroken";
    }
}

/**
 * Uploads a file and returns the value for its field, with a receipt. `progressed(sent)` is called repeatedly, first with 0;
 * files wait in a queue. Throws `api.Refusal`, `UploadBroken`, or the reason of the signal that canceled it.
 */
export async function upload(file, { progressed, signal }) {
    if (running >= atOnce) await new Promise((resolve) => waiting.push(resolve));
    else running += 1;
    try {
        await refuseIfTooLarge(file);
        progressed(0);
        signal.throwIfAborted();
        return await sendSignedIn(file, { progressed, signal });
    } finally {
        // Starts the next upload in the queue, or frees the slot.
        if (waiting.length > 0) waiting.shift()();
        else running -= 1;
    }
}

/** A server that rejects a file by its length closes the connection while the browser is still sending, so the error is lost. */
async function refuseIfTooLarge(file) {
    largest ??= api.limits().then((limits) => Number(limits?.assetBytes), () => undefined);
    const limit = await largest;
    if (limit === undefined) largest = undefined; // Still unknown; requested again next time.
    if (limit < file.size) {
        throw new UploadBroken(t("This file has {size}; the server takes files of up to {limit}.", {
            size: sizeText(file.size), limit: sizeText(limit),
        }));
    }
}

/** Sends a file, and once more after a sign-in. */
async function sendSignedIn(file, options) {
    try {
        return await send(file, options);
    } catch (error) {
        if (!(error instanceof api.Refusal) || error.status !== 401 || !(await api.renew())) throw error;
        options.signal.throwIfAborted();
        return send(file, options);
    }
}

function send(file, { progressed, signal }) {
    const { promise, resolve, reject } = settlement();
    const request = new XMLHttpRequest();
    const parameters = new URLSearchParams({ ...scope.current(), filename: file.name });
    const cancel = () => request.abort();

    request.open("POST", `${scope.base}/assets?${parameters}`);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", file.type === "" ? "application/octet-stream" : file.type);
    for (const [name, value] of Object.entries({ ...session.heads, ...session.identified() })) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => progressed(event.loaded));
    request.addEventListener("abort", () => reject(signal.reason));
    request.addEventListener("error", () => reject(new UploadBroken(
        t("The upload was interrupted: the server did not respond, or the file cannot be read. Try again."))));
    request.addEventListener("load", () => {
        try {
            resolve(value(request));
        } catch (error) {
            reject(error);
        }
    });
    signal.addEventListener("abort", cancel);
    request.send(file);
    return promise.finally(() => signal.removeEventListener("abort", cancel));
}

/** The asset in the response. Throws if it is an error. */
function value(request) {
    let answer = null;
    try {
        answer = json.parse(request.responseText);
    } catch {
        // A proxy may respond with an HTML page.
    }
    if (request.status < 200 || request.status > 299) {
        throw new api.Refusal(request.status, answer, request.getResponseHeader("X-Request-ID"));
    }
    if (typeof answer?.asset?.fileChecksum !== "string") throw new api.Unreadable();
    return answer.asset;
}

/** `Promise.withResolvers`, which some supported browsers lack. */
function settlement() {
    const result = {};
    result.promise = new Promise((resolve, reject) => Object.assign(result, { resolve, reject }));
    return result;
}
