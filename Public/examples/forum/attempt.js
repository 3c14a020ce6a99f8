// Writes that may be sent again.

import { Refusal } from "./server.js";

/**
 * A function that sends a write: `attempt(content, send)` calls `send(key)`. While nobody knows whether it has taken
 * place, the same content has the same key, and the server performs it once. After an answer, or with other content,
 * the key is a new one.
 */
export function repeatable() {
    let key = null;
    let last = null;
    return async (content, send) => {
        const text = JSON.stringify(content);
        if (key === null || text !== last) [key, last] = [newKey(), text];
        try {
            const answer = await send(key);
            key = null;
            return answer;
        } catch (error) {
            // A 5xx may be of something between here and the server.
            if (error instanceof Refusal && error.status < 500) key = null;
            throw error;
        }
    };
}

/** 128 random bits. (`crypto.randomUUID` is there on https alone.) */
function newKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
