/** Copies a text. Browsers offer their clipboard only to pages of https and of this machine; others need a selected text. */
export async function copy(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        const before = document.activeElement;
        const area = document.createElement("textarea");
        area.value = text;
        area.className = "visually-hidden";
        (document.querySelector("dialog[open]") ?? document.body).append(area);
        area.select();
        const isDone = document.execCommand("copy");
        area.remove();
        before?.focus({ preventScroll: true });
        return isDone;
    }
}
