// First passwords for others: random, and easy to read aloud and to type.

/** 32 characters without those that look alike, so that each random byte gives one without a bias. */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
const groups = 5;
const groupLength = 4;

/** 20 characters in groups, with 100 random bits. `random` fills an array with random bytes. */
export function generate(random = (bytes) => crypto.getRandomValues(bytes)) {
    const bytes = random(new Uint8Array(groups * groupLength));
    const text = [...bytes].map((byte) => alphabet[byte & 31]).join("");
    return Array.from({ length: groups }, (_, at) => text.slice(at * groupLength, (at + 1) * groupLength)).join("-");
}

export function byteCount(text) {
    return new TextEncoder().encode(text).length;
}
