// The conditions of a search: a builder that writes the predicate, or the text by hand.

import * as api from "../api.js";
import * as columns from "../columns.js";
import { freshID, make } from "../dom.js";
import * as filters from "../filters.js";
import * as schema from "../schema.js";
import * as searches from "../search.js";
import { nameOf } from "../users.js";
import { t } from "../words.js";
import { columnTitle } from "./column-titles.js";
import { problemBox } from "./problem.js";
import { userInput } from "./user-input.js";

/** How the panel of a type was last: "closed", "builder" or "expert". It stays so from search to search. */
const kept = { typeName: "", mode: "closed" };

/** An example of a condition for this type. */
function example(fields) {
    const of = (...types) => [...fields].find(([, type]) => types.includes(type))?.[0];
    const [number, text] = [of("INT64", "DOUBLE"), of("STRING")];
    const parts = [number === undefined ? null : `${number} > 3`, text === undefined ? null : `${text} BEGINSWITH 'a'`];
    return parts.filter((part) => part !== null).join(" AND ") || "recordName == 'a'";
}

/** The range of a sort text in which the server found an error, as `[start, end]`; the whole text if it does not say. */
function sortPlace(text, { details, message }) {
    if (text === "" || details?.offset !== undefined) return null;
    const field = details?.field;
    const start = typeof field === "string" ? text.search(new RegExp(`(?<![A-Za-z0-9_])${field}(?![A-Za-z0-9_])`)) : -1;
    if (start >= 0) return [start, start + field.length];
    return /^A sort /.test(message) ? [0, text.length] : null;
}

/** The condition with the error marked. An error at the end of the text is marked with an empty range. */
function markedText(text, [start, end]) {
    return make("pre", { class: "marked", "aria-label": t("Where the condition could not be read") },
        text.slice(0, start), make("mark", {}, start === end ? " " : text.slice(start, end)), text.slice(end));
}

function select(options, value, label, listener) {
    const element = make("select", { "aria-label": label, onchange: listener },
        options.map(([key, title]) => make("option", { value: key }, title)));
    element.value = value;
    return element;
}

const inputs = {
    number: { type: "text", inputmode: "decimal" }, pair: { type: "text", inputmode: "decimal" },
    days: { type: "text", inputmode: "numeric" }, moment: { type: "datetime-local", step: "1" },
};

/** The condition as text. The names of the users in it are given behind it. */
function conditionText(where) {
    const element = make("span", {}, make("code", { class: "code" }, where));
    for (const recordName of new Set(where.match(/\b_[0-9a-f]{32}\b/g))) {
        nameOf(recordName).then((name) => {
            if (name !== null) element.append(make("span", { class: "note" }, ` ${columns.shortName(recordName)} = ${name}`));
        });
    }
    return element;
}

/** One condition: field, operator, values. `changed()` is called at every edit, `settled()` waits for names to be looked up, and `refuses()` marks an unknown one. */
function builderLine(types, row, { changed, remove }) {
    let boxes = [];
    const place = make("div", { class: "values" });
    const field = select([...types.keys()].map((name) => [name, columnTitle(name)]), row.field, t("Field"), () => {
        // The name of an account is no value of another field.
        if ([row.field, field.value].some((name) => types.get(name) === "USER")) row.values = [];
        row.field = field.value;
        fillOperators();
        changed();
    });
    let operator;
    const operatorPlace = make("div", {});

    function fillOperators() {
        const choices = filters.operators(types.get(row.field));
        if (!choices.some(({ key }) => key === row.operator)) row.operator = choices[0].key;
        operator = select(choices.map(({ key, title }) => [key, title]), row.operator, t("Operator"), () => {
            row.operator = operator.value;
            fillValues();
            changed();
        });
        operatorPlace.replaceChildren(operator);
        fillValues();
    }
    function fillValues() {
        const found = filters.operators(types.get(row.field)).find(({ key }) => key === row.operator);
        const count = filters.valueCount(found);
        if (found.value === "moment" && Number.isNaN(Date.parse(row.values[0] ?? ""))) row.values = [];
        row.values = Array.from({ length: count }, (_, at) => row.values[at] ?? "");
        boxes = found.value !== "user" ? [] : [userInput({ value: row.values[0], label: t("Account"), changed: (recordName) => {
            row.values = [recordName];
            changed();
        } })];
        if (boxes.length > 0) {
            place.replaceChildren(boxes[0].element);
            return;
        }
        place.replaceChildren(...row.values.map((value, at) => make("input", {
            ...(inputs[found.value] ?? { type: "text" }), value, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
            "aria-label": count === 1 ? t("Value") : at === 0 ? t("From") : t("To"),
            oninput: (event) => {
                row.values[at] = event.target.value;
                changed();
            },
        })));
    }
    fillOperators();
    const element = make("div", { class: "line", role: "group", "aria-label": t("Condition") }, field, operatorPlace, place,
        make("button", { type: "button", class: "quiet", "aria-label": t("Remove the condition"), onclick: remove }, "×"));
    return {
        element, settled: () => Promise.all(boxes.map((box) => box.settled())), refuses: () => boxes.some((box) => box.refuses()),
    };
}

/**
 * The panel below the toolbar. `find(search)` searches. `element` has the panel and the place for errors, `button` opens it.
 * `current()` returns the search with what the panel has now; `explain(error, actions)` shows why the server rejected the query.
 */
export function filterPanel(typeName, search, find) {
    const fields = schema.fields(typeName);
    const types = filters.filterable(fields);
    let rows = filters.rows(search.where, types);
    let lines = []; // of the builder
    if (kept.typeName !== typeName) Object.assign(kept, { typeName, mode: "closed" });
    if (kept.mode === "builder" && rows === null) kept.mode = "expert";

    const [whereID, sortID, noteID, reasonID] = ["where", "sort", "search-note", "search-reason"].map(freshID);
    const plain = {
        type: "text", class: "code", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": noteID,
    };
    const where = make("input", { id: whereID, ...plain, placeholder: example(fields), value: search.where });
    const sort = make("input", { id: sortID, ...plain, placeholder: "-createdTimestamp", value: search.sort });
    const place = make("div", {});
    const problem = make("div", { class: "search-problem" });
    const count = make("span", { class: "badge", hidden: true });
    const button = make("button", { type: "button", "aria-expanded": "false", onclick: () => open(kept.mode === "closed") },
        t("Filter"), count);

    function text() {
        return kept.mode === "builder" ? filters.condition(rows, types) : where.value.trim();
    }
    function current() {
        if (kept.mode === "closed") return search;
        return { ...search, where: text(), sort: kept.mode === "expert" ? sort.value.trim() : search.sort };
    }
    async function submit(event) {
        event.preventDefault();
        if (kept.mode === "builder") {
            await Promise.all(lines.map((line) => line.settled()));
            // Without its condition, the search would find all records.
            if (lines.some((line) => line.refuses())) return;
        }
        if (place.isConnected) find(current());
    }
    function open(isOpen) {
        if (!isOpen) kept.mode = "closed";
        else if (rows === null) kept.mode = "expert";
        else {
            kept.mode = "builder";
            if (rows.length === 0) add();
        }
        draw();
        if (isOpen) place.querySelector("select, input")?.focus();
    }
    function add() {
        const [name, type] = [...types][0];
        rows.push({ field: name, operator: filters.operators(type)[0].key, values: [] });
    }
    function turnToExpert() {
        where.value = text();
        kept.mode = "expert";
        draw();
        where.focus();
    }
    function turnToBuilder() {
        rows = filters.rows(where.value.trim(), types);
        open(true);
    }
    function builder() {
        const preview = make("code", { class: "code" });
        const list = make("div", {});
        const changed = () => { preview.textContent = filters.condition(rows, types) || t("no condition yet"); };
        function drawLines() {
            lines = rows.map((row) => builderLine(types, row, { changed, remove: () => {
                rows = rows.filter((each) => each !== row);
                drawLines();
                (list.querySelector("select") ?? addButton).focus();
            } }));
            list.replaceChildren(...lines.map(({ element }) => element));
            changed();
        }
        const addButton = make("button", { type: "button", class: "small", onclick: () => {
            add();
            drawLines();
            list.lastElementChild.querySelector("select").focus();
        } }, t("+ Condition"));
        drawLines();
        return make("form", { class: "filters", "aria-label": t("Filter"), onsubmit: submit }, list,
            make("p", { class: "actions" }, make("button", { type: "submit", class: "small" }, t("Find")), addButton,
                make("button", { type: "button", class: "small quiet", onclick: turnToExpert }, t("Expert")), clearLink(),
                make("span", { class: "note preview" }, preview)));
    }
    function expert() {
        const canTurn = filters.rows(where.value.trim(), types) !== null;
        return make("form", { class: "filters", "aria-label": t("Filter"), onsubmit: submit },
            make("div", { class: "expert" }, make("div", {}, make("label", { for: whereID }, t("Where")), where),
                make("div", {}, make("label", { for: sortID }, t("Sort")), sort)),
            make("p", { class: "actions" }, make("button", { type: "submit", class: "small" }, t("Find")),
                canTurn ? make("button", { type: "button", class: "small quiet", onclick: turnToBuilder }, t("Builder")) : null,
                clearLink(), make("span", { class: "note", id: noteID },
                    t("Conditions as in NSPredicate. Sort: field names separated by commas; - for descending."))));
    }
    function strip() {
        if (search.where === "") return null;
        return make("div", { class: "filters" }, make("p", { class: "actions" }, conditionText(search.where),
            make("button", { type: "button", class: "small quiet", onclick: () => open(true) }, t("Edit")), clearLink()));
    }
    function clearLink() {
        return searches.isPlain({ ...search, view: "" }) ? null
            : make("a", { class: "button small quiet", href: searches.address(typeName, searches.cleared(search)) }, t("Clear"));
    }
    function draw() {
        const form = kept.mode === "builder" ? builder() : kept.mode === "expert" ? expert() : strip();
        place.replaceChildren(...[form].filter((each) => each !== null));
        button.setAttribute("aria-expanded", String(kept.mode !== "closed"));
        button.classList.toggle("on", search.where !== "");
        count.hidden = search.where === "";
        count.textContent = search.where === "" ? "" : String(rows?.length ?? 1);
    }
    draw();
    return {
        element: place, problem, button, current,
        explain(error, furtherActions = []) {
            for (const each of [where, sort]) {
                each.removeAttribute("aria-invalid");
                each.setAttribute("aria-describedby", noteID);
            }
            problem.replaceChildren();
            if (error === null) return;
            const refusal = error instanceof api.Refusal ? error : null;
            const marked = searches.place(search.where, refusal?.details, searches.conditionStart(search));
            const markedSort = refusal === null || marked !== null ? null : sortPlace(search.sort, refusal);
            const sentence = problemBox(error, furtherActions);
            problem.replaceChildren(sentence);
            if (marked !== null) sentence.querySelector(".reason").after(markedText(search.where, marked));
            const [input, range] = marked !== null ? [where, marked] : [sort, markedSort];
            if (range === null) {
                sentence.focus({ preventScroll: true });
            } else {
                if (kept.mode !== "expert") {
                    where.value = search.where;
                    kept.mode = "expert";
                    draw();
                }
                sentence.querySelector(".reason").id = reasonID;
                input.setAttribute("aria-invalid", "true");
                input.setAttribute("aria-describedby", `${reasonID} ${noteID}`);
                input.focus();
                input.setSelectionRange(...range);
            }
            sentence.scrollIntoView({ block: "nearest" });
        },
    };
}
