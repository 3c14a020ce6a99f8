// The console's pages are the part of the address behind `#`: `#/types/Post/record/sea%2F1?page=2`.

/** An address for raw segments and query values. */
export function address(segments, query = {}) {
    const text = new URLSearchParams(query).toString();
    return "#/" + segments.map(encodeURIComponent).join("/") + (text === "" ? "" : "?" + text);
}

/** The raw segments and the query of the current address. A broken escape leads to the first page. */
export function place() {
    const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
    try {
        const segments = path.split("/").filter((part) => part !== "").map(decodeURIComponent);
        return { segments, query: new URLSearchParams(query) };
    } catch {
        return { segments: [], query: new URLSearchParams() };
    }
}

let mayLeave = async () => true;
let isDirty = () => false;

/** Guards the page that is shown: `dirty()` says whether something is unsaved, `ask()` whether to leave it anyway. */
export function guard(dirty, ask) {
    isDirty = dirty;
    mayLeave = ask;
}

export function unguard() {
    isDirty = () => false;
    mayLeave = async () => true;
}

/** Whether the page may be left, asking if something on it is unsaved. */
export async function canLeave() {
    return !isDirty() || mayLeave();
}

/** Goes to an address without asking. */
export function go(to) {
    unguard();
    if (location.hash === to) {
        window.dispatchEvent(new HashChangeEvent("hashchange"));
    } else {
        location.hash = to;
    }
}

/** Calls `show` now and whenever the address changes. Returns a function that ends it. */
export function follow(show) {
    let shown = location.hash;
    let asking = false;

    async function changed() {
        const wanted = location.hash;
        if (asking || (wanted === shown && isDirty())) return;
        if (isDirty()) {
            asking = true;
            history.pushState(null, "", shown || "#/");
            const leave = await mayLeave();
            asking = false;
            if (!leave) return;
            unguard();
            history.replaceState(null, "", wanted);
        }
        unguard();
        shown = location.hash;
        show();
    }

    function closing(event) {
        if (isDirty()) event.preventDefault();
    }

    window.addEventListener("hashchange", changed);
    window.addEventListener("beforeunload", closing);
    show();
    return () => {
        window.removeEventListener("hashchange", changed);
        window.removeEventListener("beforeunload", closing);
    };
}
