// An import: its file, how it is read, what becomes of its columns, and the first rows as the list would show them.

import { Refusal } from "../api.js";
import { dropZone } from "../fields/drop-zone.js";
import { uploadLine } from "../fields/upload-line.js";
import { announce, introduce, make, whileBusy } from "../dom.js";
import * as imports from "../imports.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import { sizeText } from "../sizes.js";
import * as transfers from "../transfers.js";
import { t, tn } from "../words.js";
import { askToLeave } from "./dialog.js";
import { field, radioGroup, textInput } from "./form-dialog.js";
import { importColumns } from "./import-columns.js";
import { previewTable } from "./import-rows.js";
import { importSettings } from "./import-settings.js";
import { address } from "./jobs.js";
import { problemBox, showProblem } from "./problem.js";

/** So many further problems are listed. */
const mostProblems = 20;

const existingOptions = [
    { value: "reject", title: t("Reject the row"), note: t("The job lists it with its line.") },
    { value: "skip", title: t("Skip the row"), note: t("The record stays as it is.") },
    { value: "replace", title: t("Replace the record"), note: t("Fields that the file does not have are removed.") },
    { value: "update", title: t("Update the record"), note: t("Fields that the file does not have stay.") },
];

/** A type name for a file: `Goods` for `goods.csv`. */
function typeFor(fileName) {
    const name = imports.fieldName(fileName.replace(/\.[^.]*$/, ""));
    return name[0].toUpperCase() + name.slice(1);
}

/** The part of a draft that an error is about: the name of a control, or a column by its name or its place. */
function placeOf(error) {
    if (!(error instanceof Refusal) || error.status !== 400) return {};
    const { path, column } = error.details ?? {};
    const at = /^mapping\.columns\[(\d+)\]/.exec(path ?? "")?.[1];
    return { name: path === "mapping.recordType" ? "recordType" : path, column: at === undefined ? column : Number(at) };
}

/** What happens to records that exist, and how many rejected rows are too many: `element`, `read()` keeps it in the draft. */
function existingPart(draft) {
    const existing = radioGroup({
        legend: t("If a record of the same name exists"), options: existingOptions, value: draft.existing, name: "existing",
        changed: () => { draft.existing = existing.read(); },
    });
    const most = textInput({ inputmode: "numeric", value: draft.maxRejected, class: "number" });
    const limit = field({
        label: t("End the import after more rejected rows than (optional)"), control: most, name: "maxRejected",
        note: t("What was written until then stays."),
    });
    return {
        element: make("div", { class: "panel form import-existing" }, existing.element, make("p", { class: "note" },
            t("Rows without a record name are always new records.")), limit.element),
        /** Keeps the input in the draft. Returns whether it is valid. */
        read() {
            const text = most.value.trim();
            const isValid = /^\d{0,9}$/.test(text);
            limit.say(isValid ? "" : t("Write a whole number, or nothing."));
            if (isValid) draft.maxRejected = text;
            else most.focus();
            return isValid;
        },
    };
}

/** Everything about a file that has been uploaded. `started()` is called before the page is left for the job. */
function work(draft, last, { signal, started }) {
    const status = make("p", { class: "note", role: "status" });
    const problem = make("div", {});
    const result = make("div", { class: "import-result" });
    const known = () => schema.fields(draft.recordType);
    let isWrong = last === null;

    const settings = importSettings(draft, () => {
        // A field that the chosen type has keeps its own type.
        for (const [name, entry] of Object.entries(draft.columns)) {
            if (entry.field !== undefined) draft.columns[name] = imports.renamed(entry, entry.field, known());
        }
        renew();
    });
    const columns = importColumns(draft, { known, changed: renew });
    const existing = existingPart(draft);
    const mapping = make("section", { "aria-label": t("Columns") }, make("h2", {}, t("Columns")), columns.element);

    const ask = imports.newest(() => imports.preview(draft, last, (body) => transfers.previewImport(body, signal)), {
        done(found) {
            if (signal.aborted) return;
            [last, isWrong] = [found, false];
            drawPreview();
        },
        failed(error) {
            if (signal.aborted) return;
            isWrong = true;
            status.textContent = "";
            result.classList.remove("stale");
            if (!isPlaced(error)) problem.replaceChildren(problemBox(error));
        },
    });
    /** Shows an error at the control that it is about. Returns whether there is one. */
    function isPlaced(error) {
        problem.replaceChildren();
        const { name, column } = placeOf(error);
        const places = [settings.say(name, error.message), columns.say(column, error.message)];
        return places.includes(true);
    }
    function renew() {
        status.textContent = t("Reading the file again…");
        result.classList.add("stale");
        return ask();
    }
    function drawPreview() {
        const { answer } = last;
        const isTable = draft.format === "table";
        const read = imports.readPreview(draft, last);
        problem.replaceChildren();
        settings.say(null, "");
        settings.set(answer);
        mapping.hidden = !isTable;
        if (isTable) columns.draw(answer, read.ofColumns);
        const wrong = read.rows.filter((row) => row.problem !== undefined).length;
        status.textContent = wrong === 0 ? tn("{count} row is shown.", "{count} rows are shown.", read.rows.length)
            : t("{count} of the {all} rows shown would be rejected.", { count: wrong, all: read.rows.length });
        result.classList.remove("stale");
        result.replaceChildren(...(read.rows.length === 0 ? [make("p", { class: "note" }, t("The beginning of the file has no rows."))]
            : previewTable(draft, answer, read)), ...furtherProblems(read.others));
    }
    function furtherProblems(list) {
        if (list.length === 0) return [];
        const rest = list.length - mostProblems;
        return [make("h3", {}, t("Further problems at the beginning of the file")), make("ul", { class: "import-problems" },
            list.slice(0, mostProblems).map((each) => make("li", {}, imports.sentence(each))),
            rest <= 0 ? null : make("li", {}, tn("{count} more", "{count} more", rest)))];
    }
    async function start(isDryRun) {
        if (!existing.read()) return;
        if (isWrong || result.classList.contains("stale")) await renew();
        if (signal.aborted || isWrong) {
            if (problem.firstChild !== null) problem.firstChild.focus();
            else document.querySelector("main [aria-invalid]")?.focus();
            return;
        }
        try {
            const job = await transfers.startImport(imports.importBody(draft, last.answer, isDryRun));
            if (isDryRun) imports.keep(job.id, draft, last);
            started();
            announce(isDryRun ? t("The check has begun.") : t("The import has begun."), { isCarried: true });
            router.go(address(job));
        } catch (error) {
            if (signal.aborted) return;
            if (isPlaced(error)) document.querySelector("main [aria-invalid]")?.focus();
            else showProblem(problem, error);
        }
    }
    const button = (title, style, isDryRun) => {
        const element = make("button", { type: "button", class: style, onclick: () => whileBusy(element, () => start(isDryRun)) }, title);
        return element;
    };
    const element = make("div", { class: "import-work" }, settings.element, problem, mapping,
        make("section", { "aria-label": t("Preview") }, make("h2", {}, t("Preview")), status, result), existing.element,
        make("div", { class: "bar" }, button(t("Import"), "primary", false), button(t("Only check each row"), "", true),
            make("span", { class: "note" }, t("Nothing is written yet."))));
    if (last === null) renew();
    else drawPreview();
    return element;
}

export async function show({ signal, show: draw }, names, query) {
    await schema.recent({ signal });
    const kept = imports.keptFor(query.get("from"));
    const wanted = (query.get("type") ?? kept?.draft.recordType ?? "").trim();
    const heading = make("h1", {}, t("Import"));
    const problem = make("p", { class: "problem", role: "alert" });
    const file = make("div", { class: "panel import-file" });
    const place = make("div", {});
    let isUnsaved = false;

    const zone = dropZone({ title: t("Choose a CSV file or JSON lines"), take: ([chosen]) => take(chosen) });
    function drawZone(sentence = "") {
        isUnsaved = false;
        problem.textContent = sentence;
        file.replaceChildren(zone.element, problem);
        place.replaceChildren();
    }
    async function take(chosen) {
        let bytes;
        try {
            bytes = new Uint8Array(await chosen.slice(0, imports.sampleBytes).arrayBuffer());
        } catch {
            drawZone(t("This file cannot be read."));
            return;
        }
        if (signal.aborted) return;
        if (chosen.size === 0 || imports.isArchive(bytes)) {
            drawZone(chosen.size === 0 ? t("This file is empty.")
                : t("This file is a workbook or an archive. Save its table as CSV, and choose that file."));
            return;
        }
        isUnsaved = true;
        problem.textContent = "";
        file.replaceChildren(uploadLine(chosen, {
            sentence: t("“{file}” is uploaded.", { file: chosen.name }), givenUp: () => {
                drawZone();
                zone.control.focus();
            },
            arrived: (value) => begin(imports.makeDraft({
                file: value, name: chosen.name, size: chosen.size, bytes, recordType: wanted === "" ? typeFor(chosen.name) : wanted,
            })),
        }).element);
    }
    function begin(draft, last = null) {
        isUnsaved = true;
        file.replaceChildren(make("p", { class: "file-line" }, make("span", { class: "file-name" }, draft.name), " ",
            make("span", { class: "note" }, sizeText(draft.size)), " ",
            make("button", { type: "button", class: "small", onclick: () => {
                drawZone();
                zone.control.focus();
            } }, t("Another file…"))));
        place.replaceChildren(work(draft, last, { signal, started: () => { isUnsaved = false; } }));
    }
    drawZone();
    draw(make("div", { class: "import" }, make("p", { class: "crumbs" }, wanted === "" ? make("a", { href: "#/types" }, t("Types"))
        : make("a", { href: router.address(["types", wanted]) }, wanted)),
    make("div", { class: "page-head" }, heading, make("p", { class: "note" }, t("Nothing is written before you have seen the first rows."))), file, place));
    introduce(heading);
    router.guard(() => isUnsaved, askToLeave);
    if (kept !== null) begin(kept.draft, kept.last);
}
