// Files to and from the user's device.

import { make } from "./dom.js";

const lifetime = 60_000; // milliseconds

/** Saves a text as a file. */
export function save(text, name, mediaType) {
    const address = URL.createObjectURL(new Blob([text], { type: `${mediaType};charset=utf-8` }));
    const link = make("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), lifetime);
}

/** Lets the user choose a file; `take(file)` is called with it. `accept` is a list of endings and media types. */
export function choose(accept, take) {
    const input = make("input", { type: "file", accept, hidden: true, onchange: () => {
        input.remove();
        if (input.files.length > 0) take(input.files[0]);
    }, oncancel: () => input.remove() });
    document.body.append(input);
    input.click();
}

/** The text of a file in UTF-8 without byte order mark; `null` if it is in another encoding. */
export async function read(file) {
    try {
        return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    } catch (error) {
        if (error instanceof TypeError) return null;
        throw error;
    }
}
