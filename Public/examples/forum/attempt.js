// Writes that can be repeated.

import { Refusal } from "./server.js";

/**
 * Returns a function that sends a write: `attempt(content, send)` calls `send(key)`. As long as it is unknown whether the
 * write took place, the same content gets the same key, and the server executes it once. After a response, or with other
 * content, the key is a new one.
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
            // A 5xx may come from a proxy in between.
            if (error instanceof Refusal && error.status < 500) key = null;
            throw error;
        }
    };
}

/** 128 random bits. (`crypto.randomUUID` exists only with HTTPS.) */
function newKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
