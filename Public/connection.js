// Whether the server can be reached. One watcher serves all rooms: each response and each failure of a call tells it.

const quietTime = 5_000; // milliseconds without a response after which a visible page asks
const pause = 2_000; // milliseconds between two attempts while there is no connection
const patience = 5_000; // milliseconds

/**
 * Follows the connection. `system` has `probe()`, which resolves to whether the server responds, `now()` in milliseconds,
 * `setTimeout(work, milliseconds)`, and `isVisible()`.
 */
export function watcher(system) {
    const listeners = new Set();
    let [since, heard, isProbing, isWatching] = [null, system.now(), false, false];

    function tell() {
        for (const listener of [...listeners]) listener(since);
    }
    async function probe() {
        if (isProbing) return;
        isProbing = true;
        const isThere = await system.probe();
        isProbing = false;
        if (isThere) reached();
        else lost();
    }
    /** The server has responded. */
    function reached() {
        heard = system.now();
        if (since === null) return;
        since = null;
        tell();
    }
    /** A call got no response from the server. */
    function lost() {
        if (since !== null) return;
        since = system.now();
        tell();
    }
    function watch() {
        system.setTimeout(async () => {
            const isDue = since !== null || system.now() - heard >= quietTime;
            if (isDue && system.isVisible()) await probe();
            watch();
        }, pause);
    }
    return {
        reached, lost,
        /** Something has ended that a lost connection also ends. */
        doubt: probe,
        /** The time in milliseconds since 1970 at which the connection was lost; `null` if there is one. */
        since: () => since,
        /** Calls `listener(since)` at each change until `signal` is aborted. */
        listen(listener, signal) {
            listeners.add(listener);
            signal?.addEventListener("abort", () => listeners.delete(listener), { once: true });
        },
        /** Begins to ask from time to time, for rooms that call nothing by themselves. */
        begin() {
            if (isWatching) return;
            isWatching = true;
            watch();
        },
    };
}

/** A small file of the console, which is in no log of requests. */
async function probe() {
    try {
        const { status } = await fetch(new URL("fog.svg", document.baseURI), {
            method: "HEAD", cache: "no-store", credentials: "omit", redirect: "error", signal: AbortSignal.timeout(patience),
        });
        return status < 500;
    } catch {
        return false;
    }
}

export const connection = watcher({
    probe, now: () => Date.now(), setTimeout: (work, milliseconds) => setTimeout(work, milliseconds), isVisible: () => !document.hidden,
});

/** Calls `work()` once when the server is reached again, unless `signal` is aborted before. */
export function whenBack(signal, work) {
    const end = new AbortController();
    signal.addEventListener("abort", () => end.abort(), { once: true });
    connection.listen((since) => {
        if (since !== null || end.signal.aborted) return;
        end.abort();
        work();
    }, end.signal);
}
