// The signed-in user.
//
// A token is equivalent to a password. So it is in no URL, since URLs end up in histories and logs, and in no cookie, which
// browsers send automatically. Scripts of this origin can read it here. Therefore no script may come from elsewhere, which
// the content security policy ensures, and user content is added to the page only as text. The token is deleted with the
// tab, unless the user chooses to stay signed in on this device.

const key = "forum.session";
const listeners = new EventTarget();

/** `{token, user: {name, userRecordName}}`, or `null` for a guest. */
export function current() {
    return JSON.parse(sessionStorage.getItem(key) ?? localStorage.getItem(key));
}

export function token() {
    return current()?.token ?? null;
}

/** Whether the signed-in user created this post. It decides which buttons are shown; the server checks by itself. */
export function isOwn(post) {
    return post.creator !== undefined && post.creator === current()?.user.userRecordName;
}

export function begin({ token, user }, stays) {
    (stays ? localStorage : sessionStorage).setItem(key, JSON.stringify({ token, user }));
    listeners.dispatchEvent(new Event("change"));
}

/** Forgets the token, unless there is a newer one: a late error must not sign out a user who has just signed in. */
export function end(refused) {
    if (refused !== token()) return;
    sessionStorage.removeItem(key);
    localStorage.removeItem(key);
    listeners.dispatchEvent(new Event("change"));
}

/** Calls `listener` whenever somebody has signed in or out, in this tab or in another one. */
export function onChange(listener) {
    listeners.addEventListener("change", listener);
    addEventListener("storage", (event) => { if (event.key === key) listener(); });
}
