// Who is signed in is known by a cookie that no script can read. This tab only remembers that somebody was, to say why the
// door is shown when nobody is any more.

const key = "fogbase.entered";

/** Without it the server does not look at the cookie: no other page can send it here. */
export const heads = Object.freeze({ "X-Fogbase-Console": "1" });

export function wasEntered() {
    return sessionStorage.getItem(key) !== null;
}

export function enter() {
    sessionStorage.setItem(key, "1");
}

export function forget() {
    sessionStorage.removeItem(key);
}

/** Whether the text can travel in an HTTP header at all. */
export function isPlausible(text) {
    return /^[\x21-\x7e]{1,4096}$/.test(text);
}
