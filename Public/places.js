// Positions: the cursors of the pages of a list, the list from which a record was opened, and the scroll position of each
// page. Stored in this tab for the database in the URL, so that reloading and going back restore the position.

const stem = "fogbase.places";
const key = stem + location.search;
const empty = () => ({ trails: {}, lists: {}, scrolls: {} });
let kept = empty();
try {
    kept = { ...empty(), ...JSON.parse(sessionStorage.getItem(key)) };
} catch {
    // Unreadable data is discarded.
}

export function save() {
    try {
        sessionStorage.setItem(key, JSON.stringify(kept));
    } catch {
        // If the storage is full, positions last until the next reload.
    }
}

export function forget() {
    kept = empty();
    for (const each of Object.keys(sessionStorage)) if (each.startsWith(stem)) sessionStorage.removeItem(each);
}

/** The cursors of the pages of a search visited so far. The third leads to the third page; the first is `null`. */
export function trail(identity) {
    return kept.trails[identity] ??= [null];
}

/** The page of a type's list that was visited last; `otherwise` if there is none. */
export function list(typeName, otherwise) {
    return Object.hasOwn(kept.lists, typeName) ? kept.lists[typeName] : otherwise;
}

export function keepList(typeName, address) {
    kept.lists[typeName] = address;
    save();
}

/** The scroll position of the page at a URL, in pixels. */
export function scroll(address) {
    return Object.hasOwn(kept.scrolls, address) ? kept.scrolls[address] : 0;
}

export function keepScroll(address, y) {
    kept.scrolls[address] = Math.round(y);
    save();
}
