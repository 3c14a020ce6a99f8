// The line above the records: words, filter, sort, columns, their number, a name to open, further commands.

import * as api from "../api.js";
import * as columns from "../columns.js";
import { freshID, make, whileBusy } from "../dom.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as searches from "../search.js";
import { t } from "../words.js";
import { columnTitle } from "./column-titles.js";
import { menu } from "./menu.js";

const sortTypes = new Set(["STRING", "INT64", "DOUBLE", "TIMESTAMP"]);
const mostTerms = 3;

function wordsForm(typeName, search) {
    const isSearchable = Object.values(schema.type(typeName).fields).some(({ indexes }) => (indexes ?? []).includes("SEARCHABLE"));
    if (!isSearchable && search.words === "") return null;
    const input = make("input", {
        type: "text", name: "words", class: "words", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value: search.words,
        placeholder: t("Search words"), "aria-label": t("Search words"),
        title: t("All words, in any SEARCHABLE field; * for the rest of a word."),
    });
    return make("form", { role: "search", onsubmit: (event) => {
        event.preventDefault();
        router.go(searches.address(typeName, { ...search, words: input.value.trim() }));
    } }, input);
}

/** Opens a record by its name. An unknown name is said beside the box. */
function jumpForm(typeName) {
    const problem = make("p", { class: "problem", id: freshID("jump"), role: "alert" });
    const input = make("input", {
        type: "text", class: "jump", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
        placeholder: t("Exact record name"), "aria-label": t("Name of the record to open"), "aria-describedby": problem.id,
        oninput: () => say(""),
        onkeydown: (event) => { if (event.key === "Escape") say(""); },
    });
    const button = make("button", { type: "submit" }, t("Open record"));

    function say(sentence) {
        problem.textContent = sentence;
        if (sentence === "") input.removeAttribute("aria-invalid");
        else input.setAttribute("aria-invalid", "true");
    }
    async function open() {
        const name = input.value.trim();
        if (name === "") {
            say(t("Enter the name of a record first. The first column shows the names."));
            input.focus();
            return;
        }
        try {
            await api.read(typeName, name);
        } catch (error) {
            if (error instanceof api.Refusal && error.status === 404) {
                say(t("No record of {type} has the name “{name}”. To search in the fields, use “Filter”.", { type: typeName, name }));
                input.focus();
                return;
            }
            // The record's page explains all other errors.
        }
        if (input.isConnected) router.go(router.address(["types", typeName, "record", name]));
    }
    return make("form", { class: "opener", onsubmit: (event) => {
        event.preventDefault();
        whileBusy(button, open);
    } }, input, button, problem);
}

/** The terms of a sort that the menu can show; `null` if it has others. */
function terms(sort, names) {
    const parts = sort.split(",").map((each) => each.trim()).filter((each) => each !== "");
    const found = parts.map((part) => ({ name: part.replace(/^-/, ""), isDown: part.startsWith("-") }));
    return found.length <= mostTerms && found.every(({ name }) => names.includes(name)) ? found : null;
}

function sortMenu(typeName, search) {
    const fields = [...schema.fields(typeName)].filter(([, type]) => sortTypes.has(type)).map(([name]) => name);
    const names = [...fields, "createdTimestamp", "modifiedTimestamp", "recordName"];
    const known = terms(search.sort, names);
    let chosen = known ?? [];
    const place = make("div", { class: "sorts" });

    function draw() {
        place.replaceChildren(...[...chosen, { name: "", isDown: false }].slice(0, mostTerms).map((term, at) => {
            const name = make("select", { "aria-label": at === 0 ? t("Sort by") : t("then by"), onchange: () => {
                chosen[at] = { ...term, name: name.value };
                chosen = chosen.filter((each) => each.name !== "");
                draw();
                place.querySelectorAll("select")[at * 2]?.focus();
            } }, make("option", { value: "" }, at === 0 ? t("Order of creation") : "–"),
            names.map((each) => make("option", { value: each }, columnTitle(each))));
            name.value = term.name;
            const direction = make("select", { "aria-label": t("Direction"), disabled: term.name === "", onchange: () => {
                chosen[at] = { ...term, isDown: direction.value === "-" };
            } }, make("option", { value: "" }, t("ascending")), make("option", { value: "-" }, t("descending")));
            direction.value = term.isDown ? "-" : "";
            return make("div", { class: "line" }, name, direction);
        }));
    }
    draw();
    const form = make("form", { onsubmit: (event) => {
        event.preventDefault();
        const sort = chosen.map(({ name, isDown }) => (isDown ? `-${name}` : name)).join(",");
        router.go(searches.address(typeName, { ...search, sort }));
    } },
    known === null ? make("p", { class: "note" }, t("The sort is written by hand: {sort}", { sort: search.sort })) : null,
    place, make("p", { class: "actions" }, make("button", { type: "submit", class: "small" }, t("Apply"))));
    const badge = search.sort === "" ? null : make("span", { class: "badge" }, search.sort.startsWith("-") ? "↓" : "↑");
    return menu({ summary: [make("span", { class: badge === null ? "" : "on" }, t("Sort")), badge], style: "sort", content: form });
}

/** Chooses and orders the columns. `changed(settings)` redraws the table. */
function columnMenu(typeName, fields, settings, changed) {
    const list = make("ul", { class: "columns" });
    function draw(focused) {
        const all = columns.arranged(fields(), settings());
        list.replaceChildren(...all.map(({ name, isHidden }, at) => {
            const id = freshID("column");
            const box = make("input", { type: "checkbox", id, checked: !isHidden, onchange: () => {
                const hidden = all.filter((each) => (each.name === name ? !box.checked : each.isHidden)).map((each) => each.name);
                changed({ ...settings(), hidden });
                draw();
                list.querySelectorAll("input")[at].focus();
            } });
            const move = (by, sign, label) => make("button", {
                type: "button", "aria-label": t(label, { column: columnTitle(name) }), disabled: all[at + by] === undefined,
                onclick: () => {
                    const order = all.map((each) => each.name);
                    [order[at], order[at + by]] = [order[at + by], order[at]];
                    changed({ ...settings(), order });
                    draw([at + by, sign]);
                },
            }, sign);
            return make("li", {}, make("span", { class: "choice" }, box, make("label", { for: id, title: name }, columnTitle(name))),
                move(-1, "↑", upLabel), move(1, "↓", downLabel));
        }));
        if (focused === undefined) return;
        const buttons = [...list.children[focused[0]].querySelectorAll("button")];
        (buttons.find((each) => each.textContent === focused[1] && !each.disabled) ?? buttons.find((each) => !each.disabled))?.focus();
    }
    const box = menu({ summary: t("Columns"), style: "right-of", content: [list,
        make("p", { class: "note" }, t("Drag the edge of a head to widen a column.")),
        make("button", { type: "button", onclick: () => {
            columns.reset(typeName);
            changed(null);
            draw();
        } }, t("Reset"))] });
    box.addEventListener("toggle", () => { if (box.open) draw(); });
    return box;
}

const upLabel = t("Move {column} to the left");
const downLabel = t("Move {column} to the right");

/**
 * The toolbar. `filterButton` opens the filters, `commands` are the buttons of the last menu, `fields()` the fields in the table, and
 * `settings()` and `changed(settings)` those of its columns. `setCount(text)` shows the number of records.
 */
export function toolbar({ typeName, search, filterButton, commands, fields, settings, changed }) {
    const count = make("span", { class: "count", role: "status" });
    const element = make("div", { class: "toolbar", role: "group", "aria-label": t("Records of {type}", { type: typeName }) },
        wordsForm(typeName, search), filterButton, sortMenu(typeName, search),
        search.view === "" ? columnMenu(typeName, fields, settings, changed) : null,
        count, jumpForm(typeName), menu({ summary: "⋯", label: t("More"), style: "right bare more", content: commands }));
    return {
        element,
        setCount(text) {
            // Screen readers announce what changes in the page, not what it brings along.
            if (count.isConnected) count.textContent = text;
            else setTimeout(() => { count.textContent = text; }, 100);
        },
    };
}
