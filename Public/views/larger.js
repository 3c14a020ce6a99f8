// A larger preview of a small picture, while the mouse or the focus is on it.

import { make } from "../dom.js";

const gap = 8; // pixels between the picture and its preview

/** Lets the thumbnails in `root` show a larger picture on hover and focus. Escape closes it. */
export function enlarge(root, signal) {
    let shown = null;
    let from = null;

    function close() {
        shown?.remove();
        [shown, from] = [null, null];
    }
    function open(thumbnail) {
        if (thumbnail === from) return;
        close();
        const image = thumbnail.querySelector("img");
        if (image === null) return;
        from = thumbnail;
        const large = make("img", { alt: "", decoding: "async" });
        large.addEventListener("error", close); // The server makes no thumbnails, and the picture is too large to load.
        large.addEventListener("load", () => { if (shown !== null && from === thumbnail) place(thumbnail); });
        large.src = thumbnail.dataset.large;
        shown = make("div", { class: "larger", "aria-hidden": "true" }, large);
        document.body.append(shown);
        place(thumbnail);
    }
    /** Beside the thumbnail, where there is more room. */
    function place(thumbnail) {
        const box = thumbnail.getBoundingClientRect();
        const { width, height } = shown.getBoundingClientRect();
        const right = box.right + gap + width <= innerWidth ? box.right + gap : Math.max(gap, box.left - gap - width);
        shown.style.left = `${right}px`;
        shown.style.top = `${Math.max(gap, Math.min(box.top, innerHeight - height - gap))}px`;
    }
    const of = (event) => event.target.closest?.("[data-large]") ?? null;
    const enter = (event) => {
        const thumbnail = of(event);
        if (thumbnail !== null) open(thumbnail);
    };
    const leave = (event) => {
        if (from !== null && !from.contains(event.relatedTarget)) close();
    };
    root.addEventListener("pointerover", enter);
    root.addEventListener("focusin", enter);
    root.addEventListener("pointerout", leave);
    root.addEventListener("focusout", leave);
    root.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || shown === null) return;
        event.stopPropagation();
        close();
    });
    root.addEventListener("scroll", close, { capture: true, passive: true });
    signal?.addEventListener("abort", close);
}
