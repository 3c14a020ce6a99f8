import { announce, freshID, make } from "../dom.js";
import { sizeText } from "../sizes.js";
import { InputProblem } from "./problem.js";
import { t } from "../words.js";

const largestHex = 64 * 1024; // bytes; longer ones are shown as Base64

/** The number of bytes that a Base64 text encodes, or `null` if it is not Base64. */
export function size(text) {
    if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
    return text.length / 4 * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
}

/** Base64 as pairs of hexadecimal digits, sixteen in a line. */
export function hexOf(base64) {
    const pairs = [...atob(base64)].map((sign) => sign.charCodeAt(0).toString(16).padStart(2, "0"));
    const lines = Array.from({ length: Math.ceil(pairs.length / 16) }, (_, at) => pairs.slice(at * 16, at * 16 + 16).join(" "));
    return lines.join("\n");
}

/** Hexadecimal digits as Base64, or `null` if they are not pairs of such digits. */
export function base64Of(hex) {
    const digits = hex.replace(/\s+/g, "");
    if (!/^([0-9A-Fa-f]{2})*$/.test(digits)) return null;
    return btoa((digits.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join(""));
}

export function summary(value) {
    const count = size(String(value));
    return count === null ? t("not base64") : sizeText(count);
}

/** Bytes as their size and their Base64 or hexadecimal digits, line breaks allowed. They can be saved as a file. */
export function editor({ id, name = "bytes", value }) {
    let isHex = false;
    const group = freshID("form");
    const area = make("textarea", {
        id, rows: "2", spellcheck: "false", class: "code", autocomplete: "off", value: value ?? "",
    });
    const note = make("span", { class: "note" });
    const forms = [[false, "base64"], [true, t("hex")]].map(([hex, title]) => {
        const radio = make("input", { type: "radio", id: freshID("form"), name: group, checked: hex === isHex, onchange: () => turn(hex) });
        return [radio, make("label", { for: radio.id }, title)];
    });
    const sides = make("span", { class: "sides", role: "group", "aria-label": t("Show as") }, forms);
    sides.addEventListener("input", (event) => event.stopPropagation()); // The form is no part of the value.
    const save = make("button", { type: "button", class: "quiet small", onclick: download }, t("Download"));

    /** What is typed as Base64, or `null` if it is neither that nor hexadecimal. */
    function base64() {
        const text = area.value.replace(/\s+/g, "");
        return isHex ? base64Of(text) : size(text) === null ? null : text;
    }
    function turn(hex) {
        const text = base64();
        if (text === null || (hex && size(text) > largestHex)) {
            forms.forEach(([radio], at) => { radio.checked = (at === 1) === isHex; });
            announce(text === null ? t("Correct the bytes first.") : t("These are too many bytes to show in hex."));
            return;
        }
        isHex = hex;
        area.value = hex ? hexOf(text) : text;
        explain();
    }
    function explain() {
        const text = base64();
        const form = isHex ? t("hex") : "base64";
        save.hidden = text === null || text === "";
        note.textContent = area.value === "" ? form : text === null ? t("not {form} yet", { form })
            : t("{size}, as {form}", { size: sizeText(size(text)), form });
    }
    function download() {
        const bytes = Uint8Array.from(atob(base64()), (sign) => sign.charCodeAt(0));
        const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
        make("a", { href: address, download: `${name}.bin` }).click();
        setTimeout(() => URL.revokeObjectURL(address), 60_000);
    }
    function read() {
        const text = base64();
        if (text === null) {
            throw new InputProblem(isHex ? t("Hex is made of pairs of 0–9 and a–f.")
                : t("Base64 is made of A–Z, a–z, 0–9, + and /, in groups of four, with = at the end."), area);
        }
        return text;
    }
    area.addEventListener("input", explain);
    explain();
    return { element: make("div", {}, area, make("div", { class: "together" }, sides, save, note)), control: area, read };
}
