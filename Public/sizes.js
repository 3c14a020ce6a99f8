import { number, tn } from "./words.js";

/** A number of bytes as people read it: `1 byte`, `47.1 KiB`. */
export function sizeText(count) {
    if (count < 1024) return tn("{count} byte", "{count} bytes", count);
    const units = ["KiB", "MiB", "GiB", "TiB"];
    const power = Math.min(units.length, Math.floor(Math.log2(count) / 10));
    return `${number(count / 1024 ** power, { maximumFractionDigits: 1 })} ${units[power - 1]}`;
}
