// Signing up, in and out. Lists of sessions show the label, so that users can tell their sessions apart.

import { call } from "./server.js";
import * as session from "./session.js";

const label = "Forum in a browser";

/** Creates an account and signs in to it. `stays` keeps the session when the tab is closed. */
export async function signUp(name, password, stays) {
    session.begin(await call("POST", "/users", { body: { name, password, label } }), stays);
}

export async function signIn(name, password, stays) {
    session.begin(await call("POST", "/sessions", { body: { name, password, label } }), stays);
}

/** Always forgets the token. The session also ends on the server if the server can be reached. */
export async function signOut() {
    const token = session.token();
    try {
        await call("DELETE", "/sessions/current");
    } finally {
        session.end(token);
    }
}
