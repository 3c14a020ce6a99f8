// The settings of the server as they are in effect, with their sources, and its limits. They are changed at the server.

import * as api from "../api.js";
import { freshID, introduce, make } from "../dom.js";
import * as observation from "../observation.js";
import * as router from "../router.js";
import * as settings from "../settings.js";
import { sizeText } from "../sizes.js";
import { number, t, tn } from "../words.js";
import { codeBlock } from "./code-block.js";
import { factList, openRow } from "./log-parts.js";
import { part } from "./part.js";
import { columnTable } from "./table.js";

const columns = 4;

const titles = {
    server: t("Server"), http: "HTTP", data: t("Data"), public: t("Console and public URL"), assets: t("Files"), admin: t("Administrator's token"),
    accounts: t("Accounts"), metrics: t("Metrics"), cors: t("Origins (CORS)"), audit: t("Audit log"), webhooks: t("Webhooks"), log: t("Logs"),
    limits: t("Limits"), quota: t("Quotas"), timeouts: t("Timeouts"), gzip: t("Compression"),
};

function sourceText({ source, isDefault }) {
    return isDefault ? t("default") : source;
}

/** A value as a word of a command line. */
function quoted(text) {
    return /^[\w./:@,=+-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** How to change one setting. */
function details({ key, value, help, source, isDefault }) {
    const isSecret = settings.isSecret(key);
    const example = value === "" || isSecret ? t("VALUE") : value;
    return make("div", { class: "entry-details" },
        make("p", { class: "entry-reason", lang: "en" }, help),
        factList([
            [t("Value"), value === "" ? t("empty") : make("span", { translate: "no" }, value), "code"], [t("Source"), sourceText({ source, isDefault }), isDefault ? "" : "code"],
            [t("In the configuration file"), `${key} = ${example}`, "code"],
            [t("In the environment"), `${settings.environmentName(key)}=${quoted(example)}`, "code"],
            [t("On the command line"), `${settings.flagOf(key)} ${isSecret ? t("FILE") : quoted(example)}`, "code"],
        ]));
}

/** A size in a form that can be read, if the value is not one: `5000000000`, `9765625KiB`. */
function sizeNote(setting) {
    const bytes = settings.bytesOf(setting);
    const isReadable = bytes === null || bytes === 0 || /^\d{1,4}(?:KiB|MiB|GiB|TiB)$/.test(setting.value) || bytes < 1024;
    return isReadable ? null : make("span", { class: "note" }, ` ${sizeText(bytes)}`);
}

function row(setting) {
    const cell = (title, content, style) => make("td", { "data-title": title, class: style }, content);
    const value = setting.value === "" ? make("span", { class: "note" }, t("empty"))
        : make("span", { class: "value" }, make("span", { class: "code", translate: "no" }, setting.value), sizeNote(setting));
    return openRow({
        title: setting.key, label: t("How to change {key}", { key: setting.key }), columns, content: () => details(setting),
        style: setting.isDefault ? "" : "changed",
        cells: [cell(t("Value"), value, "wide value-cell"),
            cell(t("Source"), make("span", { class: setting.isDefault ? "note" : "value code", }, sourceText(setting)), "wide"),
            cell(t("Meaning"), make("span", { class: "value note", lang: "en" }, setting.help), "wide path-cell")],
    });
}

function sectionTable(name, list) {
    const title = titles[name] ?? name;
    return make("section", { "aria-label": title }, make("h2", {}, title), columnTable({
        label: title, role: "group", style: "panel log settings", body: make("tbody", {}, list.flatMap(row)),
        columns: [{ title: t("Setting"), min: 11, ideal: 18.5 }, { title: t("Value"), min: 6.5, ideal: 14 },
            { title: t("Source"), min: 6, ideal: 10, priority: 1 }, { title: t("Meaning"), min: 12, ideal: 30, grow: 1 }],
    }));
}

function limitText({ count, unit }) {
    switch (unit) {
    case "bytes": return sizeText(count);
    case "milliseconds": return t("{count} ms", { count: number(count) });
    case "seconds": return count % 86_400 === 0 ? tn("{count} day", "{count} days", count / 86_400)
        : count % 3_600 === 0 ? tn("{count} hour", "{count} hours", count / 3_600) : t("{seconds} s", { seconds: count });
    default: return number(count);
    }
}

/** The limits that apply to requests, and the rates. */
function limitTables(document) {
    const { limits, rates } = settings.limitsOf(document);
    const table = (title, entries) => columnTable({
        label: title, role: "group", tableStyle: "lines", columns: [{ title, min: 8 }, { title: t("At most"), style: "number" }],
        body: make("tbody", {}, entries.map(([name, text]) => make("tr", {},
            make("th", { scope: "row", class: "code" }, name), make("td", { class: "number" }, text)))),
    });
    const half = Math.ceil(limits.length / 2);
    const rows = limits.map((limit) => [limit.name, limitText(limit)]);
    return [
        make("p", { class: "note" }, t("What the server accepts from requests. The manual's page “The HTTP interface” explains each.")),
        make("div", { class: "limit-tables" }, table(t("Limit"), rows.slice(0, half)), table(t("Limit"), rows.slice(half)),
            rates.length === 0 ? null : table(t("Requests of one sender"), rates.map(({ name, count, seconds, burst }) => [name,
                t("{count} in {seconds} s, {burst} at once", { count, seconds, burst })]))),
        rates.length === 0 ? make("p", { class: "note" }, t("Rates are not limited.")) : null,
    ];
}

/** How settings are changed. */
function howTo() {
    return make("details", { class: "panel how-to" }, make("summary", {}, t("How to change a setting")),
        make("p", {}, t("Settings are changed at the server, not here: in its configuration file, in its environment, or on its command line. The command line overrides the environment, and the environment overrides the file. Then restart the server.")),
        make("p", {}, t("Check the file before the restart: a start with an invalid setting fails.")),
        codeBlock(t("Check and restart"),
            "sudo -u fogbase fogbase config --config /etc/fogbase.conf && sudo systemctl restart fogbase"),
        codeBlock(t("Part of a configuration file"), "[limits]\nbody_bytes = 8MiB"));
}

export async function show({ signal, show: draw, fail }, names, query) {
    const all = await observation.settings(signal);
    const heading = make("h1", {}, t("Settings"));
    const ids = [freshID("search"), freshID("changed")];
    const result = make("div", {});
    const sections = make("nav", { class: "section-links", "aria-label": t("Sections") });
    const count = make("p", { class: "note", role: "status" });
    const search = make("input", {
        id: ids[0], type: "search", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value: query.get("search") ?? "",
        oninput: fill,
    });
    const changed = make("input", { id: ids[1], type: "checkbox", checked: query.get("changed") === "true", onchange: fill });

    function fill() {
        const list = settings.found(all, search.value, changed.checked);
        count.textContent = tn("{count} setting", "{count} settings", list.length);
        result.replaceChildren(...(list.length > 0 ? settings.bySection(list).map(([name, part_]) => sectionTable(name, part_))
            : [make("div", { class: "empty" }, make("p", { class: "lead" }, t("Nothing was found.")),
                make("p", {}, changed.checked && search.value.trim() === "" ? t("All settings have their default values.")
                    : t("No setting contains these words.")))]));
        drawSections(list);
        const conditions = { ...(search.value.trim() && { search: search.value.trim() }), ...(changed.checked && { changed: "true" }) };
        router.correct(router.address(["settings"], conditions));
    }
    /** Leads to the sections, which are far below the first one. */
    function drawSections(list) {
        const go = (title, element) => make("button", { type: "button", class: "small quiet", onclick: () => {
            element().scrollIntoView({ block: "start" });
            element().querySelector(".panel.table")?.focus({ preventScroll: true });
        } }, title);
        const found = settings.bySection(list);
        sections.hidden = found.length < 2;
        sections.replaceChildren(...found.map(([name]) => go(titles[name] ?? name, () =>
            [...result.children].find((each) => each.ariaLabel === (titles[name] ?? name)))),
        go(t("Limits of requests"), () => limits.element));
    }
    const limits = part({ title: t("Limits of requests"), signal, fail, load: async () => limitTables(await api.limits(signal)) });
    fill();
    draw(make("div", { class: "page-head" }, heading), howTo(),
        make("form", { class: "log-filter", role: "search", "aria-label": t("Find settings"), onsubmit: (event) => event.preventDefault() },
            make("div", { class: "condition" }, make("label", { for: ids[0] }, t("Search")), search),
            make("div", { class: "choice" }, changed, make("label", { for: ids[1] }, t("Only changed ones"))), count),
        sections, result, limits.element);
    introduce(heading);
    limits.refresh();
}
