// Where the person was: the cursors of the pages of a list, the list that a record was opened from, and how far a page was
// scrolled. Kept in this tab for the database in the address, so that a reload and the way back lead to the same place.

const stem = "fogbase.places";
const key = stem + location.search;
const empty = () => ({ trails: {}, lists: {}, scrolls: {} });
let kept = empty();
try {
    kept = { ...empty(), ...JSON.parse(sessionStorage.getItem(key)) };
} catch {
    // What cannot be read is forgotten.
}

export function save() {
    try {
        sessionStorage.setItem(key, JSON.stringify(kept));
    } catch {
        // Without room, places last until the next reload.
    }
}

export function forget() {
    kept = empty();
    for (const each of Object.keys(sessionStorage)) if (each.startsWith(stem)) sessionStorage.removeItem(each);
}

/** The cursors of the pages seen so far of a search: the third leads to the third page; the first is `null`. */
export function trail(identity) {
    return kept.trails[identity] ??= [null];
}

/** The page of a type's list that was seen last; `otherwise` before any was. */
export function list(typeName, otherwise) {
    return Object.hasOwn(kept.lists, typeName) ? kept.lists[typeName] : otherwise;
}

export function keepList(typeName, address) {
    kept.lists[typeName] = address;
    save();
}

/** How far the page at an address was scrolled, in pixels. */
export function scroll(address) {
    return Object.hasOwn(kept.scrolls, address) ? kept.scrolls[address] : 0;
}

export function keepScroll(address, y) {
    kept.scrolls[address] = Math.round(y);
    save();
}
