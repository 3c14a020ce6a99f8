// The administrator's token lives in this tab's sessionStorage and nowhere else: closing the tab forgets it.

const key = "fogbase.token";

/** The token of this tab, or `null` when nobody is signed in. */
export function token() {
    return sessionStorage.getItem(key);
}

export function keep(newToken) {
    sessionStorage.setItem(key, newToken);
}

export function forget() {
    sessionStorage.removeItem(key);
}

/** Whether the text can travel in an HTTP header at all. */
export function isPlausible(text) {
    return /^[\x21-\x7e]{1,4096}$/.test(text);
}
