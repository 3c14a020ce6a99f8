// All types of the schema with their fields and indexes.

import * as api from "../api.js";
import { announce, introduce, make, whileBusy } from "../dom.js";
import * as indexes from "../indexes.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { t, tn } from "../words.js";
import { showAdvice } from "./advice.js";
import { createType } from "./new-type.js";
import { showProblem } from "./problem.js";
import { isSystem, schemaType } from "./schema-type.js";

const pollInterval = 2_000; // milliseconds
/** So many types are shown at once. */
const pageSize = 100;
/** With fewer types than this, all are open at first. */
const mostOpen = 3;

export async function show({ signal, show: place, isOver }, head) {
    await schema.load({ signal });
    const canChange = session.covers("changeSchema");
    const heading = make("h1", {}, t("Schema"));
    const problem = make("div", {});
    const list = make("div", { class: "schema-types" });
    const advice = make("section", { "aria-label": t("Costly queries") });
    const filter = make("input", {
        type: "text", class: "filter", "aria-label": t("Filter the types"), placeholder: t("Filter the types"), autocomplete: "off",
        autocapitalize: "off", spellcheck: "false", oninput: () => draw(pageSize),
    });
    const open = new Set(schema.all().length <= mostOpen ? schema.all().map(({ name }) => name) : []);
    let shown = new Map();
    let timer;

    function draw(most) {
        const wanted = filter.value.trim().toLowerCase();
        const types = schema.all().filter(({ name }) => name.toLowerCase().includes(wanted));
        // Types of the server come last.
        types.sort((one, other) => Number(isSystem(one)) - Number(isSystem(other)));
        shown = new Map(types.slice(0, most).map(({ name }) => [name, shown.get(name) ?? entry(name)]));
        const rest = types.length - shown.size;
        list.replaceChildren(...[...shown.values()].map(({ element }) => element),
            ...(types.length > 0 || schema.all().length === 0 ? [] : [make("p", { class: "note" }, t("Nothing was found."))]),
            ...(rest === 0 ? [] : [make("button", { type: "button", onclick: () => draw(most + pageSize) },
                tn("Show {count} more type", "Show {count} more types", Math.min(rest, pageSize)))]),
            ...(schema.all().length > 0 ? [] : [emptiness()]));
        filter.hidden = schema.all().length <= mostOpen;
    }
    function emptiness() {
        return make("div", { class: "empty" }, make("p", { class: "lead" }, t("Nothing but fog so far.")),
            make("p", {}, canChange ? t("Create a type, open a schema as text, or save a first record.") : session.reason(t("changing the schema"))));
    }
    function entry(name) {
        const made = schemaType(name, {
            canChange, signal, watch,
            opened: (isOpen) => (isOpen ? open.add(name) : open.delete(name)),
            redraw: () => {
                open.delete(name);
                draw(pageSize);
                heading.focus({ preventScroll: true });
            },
        });
        if (open.has(name)) made.element.open = true;
        return made;
    }
    async function create() {
        const name = await createType((error) => {
            if (!isOver()) showProblem(problem, error);
        });
        if (name === null || isOver()) return;
        problem.replaceChildren();
        open.add(name);
        filter.value = "";
        draw(Math.max(pageSize, schema.all().findIndex((type) => type.name === name) + 1));
        announce(t("Created the type {type}.", { type: name }));
        const element = shown.get(name)?.element;
        element?.querySelector("summary").focus();
        element?.scrollIntoView({ block: "nearest" });
    }
    /** Reloads while an index is being built. */
    function watch() {
        clearTimeout(timer);
        if (signal.aborted || !schema.all().some(indexes.isBuilding)) return;
        timer = setTimeout(async () => {
            try {
                await schema.load({ signal });
            } catch {
                return; // The next visit loads again; nothing here depends on it.
            }
            if (isOver()) return;
            for (const each of shown.values()) each.update();
            watch();
        }, pollInterval);
    }
    function drawAdvice() {
        showAdvice(advice, null, signal, (index, type) => {
            if (!canChange || type === undefined) return make("span", { class: "code" }, indexes.title(index));
            const button = make("button", { type: "button", class: "small", onclick: () => whileBusy(button, async () => {
                try {
                    await api.addIndex(type, index);
                    await schema.load();
                } catch (error) {
                    if (!isOver()) showProblem(problem, error);
                    return;
                }
                if (isOver()) return;
                announce(t("Index added: {index}", { index: indexes.title(index) }));
                shown.get(type)?.refresh();
                watch();
                drawAdvice();
            }) }, t("Add {index}", { index: indexes.title(index) }));
            return button;
        });
    }

    const newButton = canChange ? make("button", { type: "button", class: "primary", onclick: () => whileBusy(newButton, create) }, t("New type"))
        : null;
    place(
        head(heading, newButton),
        canChange ? null : make("p", { class: "note" }, session.reason(t("changing the schema"))),
        scope.isPrivate() ? make("p", { class: "note" }, t("Private databases have the same schema as the public one.")) : null,
        problem, filter, list, advice);
    draw(pageSize);
    introduce(heading);
    signal.addEventListener("abort", () => clearTimeout(timer));
    watch();
    drawAdvice();
}
