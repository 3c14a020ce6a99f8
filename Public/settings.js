// The names of the settings, by which they are changed: in a file, in the environment, and on the command line.

const short = new Map([["data.path", "--data"], ["data.containers", "--containers"], ["data.container", "--container"],
    ["data.environment", "--environment"], ["public.path", "--public"]]);
const secrets = new Set(["admin.token"]);

/** `log` of `log.access` */
function sectionOf(key) {
    return key.split(".")[0];
}

export function isSecret(key) {
    return secrets.has(key);
}

/** The flag on the command line. That of a secret takes the path of a file. */
export function flagOf(key) {
    if (short.has(key)) return short.get(key);
    if (sectionOf(key) === "server") return "--" + key.slice("server.".length).replaceAll("_", "-");
    return "--" + key.replaceAll(/[._]/g, "-") + (isSecret(key) ? "-file" : "");
}

export function environmentName(key) {
    return "FOGBASE_" + key.toUpperCase().replaceAll(".", "_");
}

/** The settings that contain all words of the text in their name, value or explanation; with `onlyChanged` none with their default. */
export function found(settings, text, onlyChanged) {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
    return settings.filter((setting) => {
        const content = [setting.key, setting.value, setting.source, setting.help, flagOf(setting.key), environmentName(setting.key)]
            .join(" ").toLowerCase();
        return !(onlyChanged && setting.isDefault) && words.every((word) => content.includes(word));
    });
}

const sizes = { "": 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 };

/** The bytes of a size such as `9765625KiB`; `null` for settings that are no size. */
export function bytesOf({ key, value }) {
    const [, count, unit] = /_bytes$/.test(key) ? /^(\d+)(KiB|MiB|GiB|TiB)?$/.exec(value) ?? [] : [];
    return count === undefined ? null : Number(count) * sizes[unit ?? ""];
}

/** The settings by section, in their order: `[[section, [setting]]]`. */
export function bySection(settings) {
    const sections = new Map();
    for (const setting of settings) {
        const name = sectionOf(setting.key);
        sections.set(name, [...(sections.get(name) ?? []), setting]);
    }
    return [...sections];
}

/**
 * The limits as `[{name, count, unit}]`; the unit is in the name of a limit. Rates are `[{name, count, seconds, burst}]` with the names
 * of their settings.
 */
export function limitsOf(document) {
    const limits = Object.entries(document).filter(([name]) => name !== "rates").map(([name, count]) => ({
        name, count: Number(count),
        unit: /Bytes$/.test(name) ? "bytes" : /Milliseconds$/.test(name) ? "milliseconds" : /Seconds$/.test(name) ? "seconds" : "",
    }));
    const rates = Object.entries(document.rates ?? {}).map(([name, rate]) => ({
        name: "limits.rate_" + name.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase()),
        count: Number(rate.count), seconds: Number(rate.seconds), burst: Number(rate.burst),
    }));
    return { limits, rates };
}
