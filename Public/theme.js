// Light or dark: what the system says, or a choice kept on this device.

const key = "fogbase.theme";
const themes = ["light", "dark"];

/** `light`, `dark`, or an empty string for the system's. */
export function current() {
    const kept = localStorage.getItem(key) ?? "";
    return themes.includes(kept) ? kept : "";
}

function apply() {
    const theme = current();
    if (theme === "") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
}

export function choose(theme) {
    if (theme === "") localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
    apply();
}

apply();
