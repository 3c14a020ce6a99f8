import * as api from "../api.js";
import { announce, freshID, introduce, make, whileBusy } from "../dom.js";
import * as indexes from "../indexes.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as session from "../session.js";
import { showAdvice } from "./advice.js";
import { ask, askToLeave } from "./dialog.js";
import { showSizes } from "./index-sizes.js";
import { showProblem } from "./problem.js";
import { rightsLine } from "./rights.js";
import { columnTable } from "./table.js";
import { typeHeading, typeTabs } from "./type-tabs.js";
import { t, tp } from "../words.js";

const pollInterval = 2_000; // milliseconds
const uniqueLoss = t("{index} prevents duplicate values. Without it, duplicates are possible.");
const indexLoss = t("{index} can be added again. Until then, queries that need it may be rejected.");

export function state(part) {
    return make("span", { class: part.state === "failed" ? "state alarm" : "state" }, indexes.stateText(part));
}

/**
 * The fields of a type with their index options. `changed()` is called when a box is ticked, and is `null` for callers without
 * the right; `read()` returns the options.
 */
function fieldTable(type, changed) {
    const boxes = [];
    function box(name, field, mark) {
        const isAllowed = indexes.marks(field.type).includes(mark);
        const input = make("input", {
            type: "checkbox", "aria-label": `${name}: ${mark}`, disabled: !isAllowed || changed === null,
            checked: (field.indexes ?? []).includes(mark), onchange: changed,
        });
        boxes.push({ name, mark, input });
        return make("td", { role: "cell", "data-title": mark, class: "mark" }, input);
    }
    const element = columnTable({
        label: t("Fields"), hasRoles: true,
        columns: [{ title: t("Field"), min: 7 }, { title: t("Type"), min: 6 },
            ...["QUERYABLE", "SORTABLE", "SEARCHABLE"].map((title) => ({ title, style: "mark" })), { title: t("State") }],
        body: make("tbody", { role: "rowgroup" }, Object.entries(type.fields).map(([name, field]) => make("tr", { role: "row" },
                make("th", { scope: "row", role: "rowheader" }, name),
                make("td", { role: "cell", class: "code", "data-title": t("Type") }, field.type),
                box(name, field, "QUERYABLE"), box(name, field, "SORTABLE"), box(name, field, "SEARCHABLE"),
                make("td", { role: "cell", "data-title": t("State"), "data-field": name }, state(field))))),
    });
    return {
        element,
        read() {
            const marks = new Map(Object.keys(type.fields).map((name) => [name, []]));
            for (const { name, mark, input } of boxes) if (input.checked) marks.get(name).push(mark);
            return marks;
        },
    };
}

/**
 * The indexes with their state: those of the fields' options, then those that can be dropped by themselves. `actions` are `{drop, retry}`,
 * or `null` for callers without the right.
 */
export function indexList(type, actions) {
    const options = indexes.ofFields(type);
    if (options.length + type.indexes.length === 0) return make("p", { class: "note" }, t("None."));
    function act(index, title, label, work, style) {
        const button = make("button", {
            type: "button", class: style, "aria-label": label, onclick: () => whileBusy(button, () => work(index)),
        }, title);
        return button;
    }
    const sizes = new Map([...options.map(([name]) => name), ...type.indexes.map(indexes.title)]
        .map((title) => [title, make("span", { class: "note" })]));
    const own = new Set(type.indexes.map(indexes.title));
    showSizes(sizes, type.name);
    return make("ul", { class: "panel index-list" }, options.map(([name, field]) => make("li", { "data-option": name },
        make("span", { class: "code" }, name), make("span", { class: "type" }, field.indexes.join(", ")), state(field),
        own.has(name) ? null : sizes.get(name), make("span", { class: "note" }, t("by the options of the field")),
    )), type.indexes.map((index) => {
        const title = indexes.title(index);
        const buttons = actions === null ? [] : [
            index.state !== "failed" ? null
                : act(index, t("Try again"), t("Build the index {index} again", { index: title }), actions.retry, "small"),
            act(index, t("Drop"), t("Drop the index {index}", { index: title }), actions.drop, "danger small"),
        ];
        return make("li", {},
            make("span", { class: "code" }, indexes.title(index)),
            index.unique === true ? make("span", { class: "type" }, "UNIQUE") : null,
            state(index), sizes.get(title), make("span", { class: "actions" }, buttons));
    }));
}

/** The inputs for a new index: its columns in order, and whether it is unique. */
export function addForm(type, add) {
    const id = freshID("index");
    const uniqueID = freshID("unique");
    const problem = make("p", { class: "problem", id: `${id}-problem`, role: "alert" });
    const input = make("input", {
        id, type: "text", class: "code", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
        placeholder: "threadname, -timestamp", "aria-describedby": `${id}-note ${problem.id}`,
    });
    const unique = make("input", { id: uniqueID, type: "checkbox" });
    const button = make("button", { type: "submit" }, t("Add the index"));

    async function submit(event) {
        event.preventDefault();
        const index = { fields: indexes.columns(input.value), ...(unique.checked ? { unique: true } : {}) };
        const wrong = index.fields.find((column) => !indexes.column.test(column));
        problem.textContent = index.fields.length === 0 ? t("Name at least one field.")
            : wrong !== undefined ? t("“{name}” is not a field name, with or without - in front.", { name: wrong })
                : type.indexes.some((each) => indexes.isSame(each, index)) ? t("This index already exists.") : "";
        if (problem.textContent === "") await whileBusy(button, () => add(index));
        else input.focus();
    }
    return make("form", { class: "add-index", novalidate: true, onsubmit: submit },
        make("label", { for: id }, t("New index")),
        make("div", { class: "joined" }, input, button),
        make("span", { class: "choice" }, unique, make("label", { for: uniqueID }, t("unique"))),
        make("p", { class: "note", id: `${id}-note` }, t("Field names in order, separated by commas; - for descending.")),
        problem);
}

/** A type: its fields with their index options, its indexes with their state, and the most expensive queries. */
export async function show({ signal, show: place }, { type: typeName }) {
    await schema.load({ signal });
    let type = schema.type(typeName);
    let isDirty = false;
    const canChange = session.covers("changeSchema");
    const heading = typeHeading(typeName, tp("Schema of {type}", { type: make("span", {}, typeName) }));
    const problem = make("div", {});
    const dirtyState = make("span", { class: "state", role: "status" });
    const saveButton = make("button", { type: "submit", class: "primary" }, t("Save indexes"));
    const parts = {
        fields: make("div", {}), indexes: make("div", {}), add: make("div", {}),
        advice: make("section", { "aria-label": t("Costly queries") }),
    };
    let table;

    function setDirty(now) {
        isDirty = now;
        dirtyState.textContent = now ? t("Not saved yet") : "";
    }
    function drawIndexes() {
        parts.indexes.replaceChildren(indexList(type, canChange ? { drop, retry } : null));
    }
    function draw() {
        table = fieldTable(type, canChange ? () => setDirty(true) : null);
        parts.fields.replaceChildren(Object.keys(type.fields).length === 0
            ? make("p", { class: "note" }, t("No fields yet: the first record that has a field adds it.")) : table.element);
        parts.add.replaceChildren(addForm(type, add));
        drawIndexes();
        setDirty(false);
    }
    function drawAdvice() {
        showAdvice(parts.advice, typeName, signal, (index) => {
            if (!canChange) return make("span", { class: "code" }, indexes.title(index));
            const button = make("button", {
                type: "button", class: "small", onclick: () => whileBusy(button, () => add(index)),
            }, t("Add {index}", { index: indexes.title(index) }));
            return button;
        });
    }
    /** Changes the schema and shows the result. Returns whether it worked. */
    async function change(work, sentence) {
        try {
            await work();
            await schema.load();
        } catch (error) {
            showProblem(problem, error);
            return false;
        }
        problem.replaceChildren();
        type = schema.type(typeName);
        announce(typeof sentence === "function" ? sentence() : sentence);
        watch();
        return true;
    }
    async function save() {
        const marks = table.read();
        const isDone = await change(() => indexes.change(typeName, (entry) => {
            for (const [name, words] of marks) if (entry.fields[name] !== undefined) entry.fields[name].indexes = words;
        }), t("Saved."));
        if (isDone) draw();
    }
    async function add(index) {
        const isDone = await change(() => api.addIndex(typeName, index), () => became(index, t("Added.")));
        if (!isDone) return;
        parts.add.replaceChildren(addForm(type, add));
        drawIndexes();
        drawAdvice();
    }
    /** The server builds a failed index again when the schema is put again. */
    async function retry(index) {
        if (await change(() => indexes.change(typeName, () => {}), () => became(index, t("Built.")))) drawIndexes();
    }
    /** The result for an index that was just added or retried. */
    function became(index, sentence) {
        const now = type.indexes.find((each) => indexes.isSame(each, index));
        switch (now?.state) {
        case "failed": return t("The index {index} could not be built; the list shows the reason.", { index: indexes.title(index) });
        case "building": return t("Added. The index is being built.");
        default: return sentence;
        }
    }
    async function drop(index) {
        const answer = await ask({
            title: t("Drop this index?"),
            content: make("p", {}, tp(index.unique === true ? uniqueLoss : indexLoss, {
                index: make("strong", { class: "code" }, indexes.title(index)),
            })),
            choices: [
                { value: "keep", title: t("Keep it"), isFirst: true },
                { value: "drop", title: t("Drop"), kind: "danger" },
            ],
        });
        if (answer !== "drop") return;
        const isDone = await change(() => indexes.change(typeName, (entry) => {
            entry.indexes = entry.indexes.filter((each) => !indexes.isSame(each, index));
        }), t("Dropped."));
        if (!isDone) return;
        drawIndexes();
        heading.focus({ preventScroll: true });
    }

    function failures() {
        return type.indexes.filter(({ state }) => state === "failed").map(indexes.title);
    }
    let timer;
    /** Reloads while an index is being built, without disturbing the user's edits. */
    function watch() {
        clearTimeout(timer);
        if (signal.aborted || !indexes.isBuilding(type)) return;
        timer = setTimeout(async () => {
            try {
                await schema.load({ signal });
            } catch {
                return; // The next visit loads again; nothing here depends on it.
            }
            if (signal.aborted || !heading.isConnected) return;
            const failed = failures();
            type = schema.type(typeName);
            const news = failures().find((title) => !failed.includes(title));
            if (news !== undefined) announce(t("The index {index} could not be built; the list shows the reason.", { index: news }));
            for (const cell of parts.fields.querySelectorAll("[data-field]")) {
                const field = type.fields[cell.dataset.field];
                if (field !== undefined) cell.replaceChildren(state(field));
            }
            if (!parts.indexes.contains(document.activeElement)) drawIndexes();
            watch();
        }, pollInterval);
    }

    place(
        make("div", { class: "page-head" }, heading, typeTabs(typeName, "schema")),
        make("p", { class: "note" }, rightsLine(type)),
        problem,
        make("form", { novalidate: true, onsubmit: (event) => {
            event.preventDefault();
            whileBusy(saveButton, save);
        } },
        parts.fields,
        make("p", { class: "actions" }, ...(canChange ? [saveButton, dirtyState]
            : [make("span", { class: "note" }, session.reason(t("changing the schema")))]))),
        make("section", { "aria-label": t("Indexes") }, make("h2", {}, t("Indexes")), parts.indexes, canChange ? parts.add : null),
        parts.advice);
    draw();
    router.guard(() => isDirty, askToLeave);
    introduce(heading);
    watch();
    drawAdvice();
}
