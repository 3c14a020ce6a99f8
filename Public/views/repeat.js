import { Refusal } from "../api.js";

/**
 * Calls `work` again and again while the page is open and visible, first after `first` milliseconds, then after as many as it returns;
 * `null` ends that. Errors are tried again, except that the session has ended, which `fail` gets.
 */
export function repeat(work, first, signal, fail) {
    let timer;
    function wait(milliseconds) {
        timer = setTimeout(async () => {
            let pause = milliseconds;
            try {
                if (document.visibilityState === "visible") pause = await work();
            } catch (error) {
                if (signal.aborted) return;
                if (error instanceof Refusal && error.status === 401) {
                    fail(error);
                    return;
                }
                pause = Math.max(4_000, milliseconds);
            }
            if (!signal.aborted && pause !== null) wait(pause);
        }, milliseconds);
    }
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    wait(first);
}
