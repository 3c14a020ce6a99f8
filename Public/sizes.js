/** A number of bytes as people read it: `1 byte`, `47.1 KiB`. */
export function sizeText(count) {
    if (count === 1) return "1 byte";
    if (count < 1024) return `${count} bytes`;
    const units = ["KiB", "MiB", "GiB", "TiB"];
    const power = Math.min(units.length, Math.floor(Math.log2(count) / 10));
    return `${(count / 1024 ** power).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${units[power - 1]}`;
}
