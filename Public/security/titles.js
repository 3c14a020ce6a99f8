// The names of roles and rights for people.

import { people, words } from "../views/rights.js";

/** `everyone`, or the name of a custom role. */
export function roleTitle(role) {
    return people[role] ?? role;
}

/** `read` */
export function rightTitle(right) {
    return words[right] ?? right;
}
