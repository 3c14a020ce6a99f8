// Who is signed in.
//
// Whoever has the token is the user. So it is in no address, which would end in histories and logs, and in no cookie,
// which browsers send along unasked. Scripts of this origin can read it where it is. So none may come from elsewhere,
// which the content security policy sees to, and what people write gets into the page as text alone. The token is gone
// with the tab, unless somebody on a device of their own wants to stay signed in.

const key = "forum.session";
const listeners = new EventTarget();

/** `{token, user: {name, userRecordName}}`, or `null` for a guest. */
export function current() {
    return JSON.parse(sessionStorage.getItem(key) ?? localStorage.getItem(key));
}

export function token() {
    return current()?.token ?? null;
}

/** Whether the signed-in user has made this post. It decides which buttons there are; the server judges by itself. */
export function isOwn(post) {
    return post.creator !== undefined && post.creator === current()?.user.userRecordName;
}

export function begin({ token, user }, stays) {
    (stays ? localStorage : sessionStorage).setItem(key, JSON.stringify({ token, user }));
    listeners.dispatchEvent(new Event("change"));
}

/** Forgets the token, unless there is another one by now: a late refusal must not sign out who has just signed in. */
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
