// Reads the numbers of `GET /metrics`, the text format of Prometheus.

/** The samples as `[{name, labels, value}]`. Comments are skipped. */
export function samples(text) {
    return text.split("\n").flatMap((line) => {
        const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
        if (found === null) return [];
        const labels = Object.fromEntries([...(found[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
            .map(([, key, value]) => [key, value.replace(/\\(.)/g, (_, sign) => (sign === "n" ? "\n" : sign))]));
        return [{ name: found[1], labels, value: Number(found[3]) }];
    });
}

/** The sum of the samples with this name whose labels pass `test`; `undefined` if there are none. */
export function sum(list, name, test = () => true) {
    const found = list.filter((each) => each.name === name && test(each.labels));
    return found.length === 0 ? undefined : found.reduce((total, { value }) => total + value, 0);
}
