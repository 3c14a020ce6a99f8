// One type in the list of the schema: its fields and indexes, and what can be done with them.

import * as api from "../api.js";
import { announce, freshID, make, whileBusy } from "../dom.js";
import { typeNames } from "../fields/kinds.js";
import { InputProblem } from "../fields/problem.js";
import { normalized } from "../fields/types.js";
import * as indexes from "../indexes.js";
import { countText } from "../map/places.js";
import * as router from "../router.js";
import * as calls from "../schema-calls.js";
import * as schema from "../schema.js";
import { t, tn } from "../words.js";
import { ask } from "./dialog.js";
import { askForm, field, textInput } from "./form-dialog.js";
import { showProblem } from "./problem.js";
import { people, rightsLine } from "./rights.js";
import { changeReviewed, productionNote, removeField } from "./schema-review.js";
import { columnTable } from "./table.js";
import { addForm, indexList, state } from "./type-schema.js";

/** Letters, digits and underscores, starting with a letter: a valid name of a type or a field. */
const namePattern = /^\p{XID_Start}\p{XID_Continue}{0,254}$/u;

export function isName(text) {
    return namePattern.test(text);
}

/** Types that the server makes by itself. */
export function isSystem({ name }) {
    return name === "Users";
}

/** The inputs for a new field: name and type. `add(name, type)` is called with valid ones. */
function fieldInputs({ isTaken, add }) {
    const [nameID, typeID] = [freshID("field-name"), freshID("field-type")];
    const problem = make("p", { class: "problem", role: "alert", id: `${nameID}-problem` });
    const name = make("input", { id: nameID, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
        "aria-describedby": problem.id });
    const type = make("select", { id: typeID }, typeNames.map((each) => make("option", { value: each }, each)));
    const button = make("button", { type: "submit" }, t("Add the field"));

    async function submit(event) {
        event.preventDefault();
        const text = name.value.trim().normalize("NFC");
        problem.textContent = !isName(text) ? t("A field's name is made of letters, digits and _, and begins with a letter.")
            : isTaken(text) ? t("There is already a field “{name}”.", { name: text }) : "";
        if (problem.textContent === "") await whileBusy(button, () => add(text, type.value));
        else name.focus();
    }
    return make("form", { class: "schema-add", novalidate: true, onsubmit: submit, "aria-label": t("Add a field") },
        make("div", {}, make("label", { for: nameID }, t("New field")), name),
        make("div", {}, make("label", { for: typeID }, t("Type")), type), button, problem);
}

function rolesText(roles) {
    return !Array.isArray(roles) ? "" : roles.length === 0 ? t("Administrators only")
        : roles.map((role) => people[role] ?? role).join(", ");
}

/** The progress of a field's index, or of its change to DOUBLE. */
function fieldState({ widening, ...field }) {
    if (widening === undefined) return state(field);
    return make("span", { class: widening.state === "failed" ? "state alarm" : "state" },
        `→ ${widening.to}: ${indexes.stateText(widening)}`);
}

/** Asks for another type of a field; `null` if it keeps its own. */
async function askForType(name, type) {
    const id = freshID("field-type");
    const select = make("select", { id }, typeNames.map((each) => make("option", { value: each, selected: each === type }, each)));
    const answer = await ask({
        title: t("Change the type of {field}", { field: name }),
        content: make("div", {}, productionNote(), make("label", { for: id }, t("Type")), select, make("p", { class: "note" },
            t("While the type has records, INT64 can become DOUBLE, and INT64_LIST can become DOUBLE_LIST. There is no way back."))),
        choices: [
            { value: "keep", title: t("Keep the schema"), isFirst: true }, { value: "change", title: t("Change the type"), kind: "danger" },
        ],
    });
    return answer === "change" && select.value !== type ? select.value : null;
}

/**
 * Asks for another name, and renames with `rename(name)`, whose error the dialog shows. Returns the new name; `null` if the old one
 * stays. `isTaken(name)` tells names that others have.
 */
function askForName(old, shown, isTaken, rename) {
    const name = field({
        label: t("New name"), control: textInput({ value: old }), name: "name",
        note: t("Records and indexes stay. Programs that still use the old name get an error with the new one."),
    });
    return askForm({
        title: t("Rename {name}", { name: shown }), submit: t("Rename"), fields: [name], intro: productionNote(),
        async send() {
            const wanted = name.control.value.trim().normalize("NFC");
            if (wanted === old) return null;
            if (!isName(wanted)) throw new InputProblem(t("A name is made of letters, digits and _, and begins with a letter."), name.control);
            if (isTaken(wanted)) throw new InputProblem(t("This name is taken."), name.control);
            await rename(wanted);
            return wanted;
        },
    });
}

/** The fields of a type. `actions` are `{rename, changeType, remove}`, or `null` for callers without the right. */
function fieldTable(type, actions) {
    const cell = (title, text, style) => make("td", { "data-title": title, class: style }, text);
    const button = (title, label, style, act) => make("button", {
        type: "button", class: style, "aria-label": label, onclick: (event) => whileBusy(event.currentTarget, act),
    }, title);
    return columnTable({
        label: t("Fields of {type}", { type: type.name }),
        columns: [{ title: t("Field"), min: 7 }, { title: t("Type"), min: 6 }, { title: t("Indexes") }, { title: t("Who reads"), priority: 1 },
            { title: t("Who writes"), priority: 1 }, { title: t("State") },
            { title: make("span", { class: "visually-hidden" }, t("Actions")), solid: true }],
        body: make("tbody", {}, Object.entries(type.fields).map(([name, field]) => make("tr", {},
                make("th", { scope: "row", title: name }, name),
                cell(t("Type"), normalized(String(field.type)), "code"),
                cell(t("Indexes"), (field.indexes ?? []).join(", "), "code"),
                cell(t("Who reads"), rolesText(field.read)), cell(t("Who writes"), rolesText(field.write)),
                cell(t("State"), fieldState(field)),
                make("td", { class: "last" }, actions === null ? null : make("span", { class: "actions" },
                    button(t("Rename…"), t("Rename {name}", { name }), "small", () => actions.rename(name)),
                    button(t("Type…"), t("Change the type of {field}", { field: name }), "small", () => actions.changeType(name)),
                    button(t("Remove"), t("Remove the field {field}", { field: name }), "danger small", () => actions.remove(name))))))),
    });
}

/** How many fields and indexes a type has. */
function countsText(type) {
    const fields = Object.keys(type.fields).length;
    return `${tn("{count} field", "{count} fields", fields)}, ${tn("{count} index", "{count} indexes", indexes.count(type))}`;
}

/**
 * A type that opens at a click. `canChange` is whether the caller's role covers changes. `redraw()` is called after a change that
 * removes the type, `watch()` after others; `signal` ends with the page.
 */
export function schemaType(typeName, { canChange, signal, opened, redraw, watch }) {
    const summary = make("summary", {});
    const body = make("div", { class: "body" });
    const problem = make("div", {});
    const count = make("span", {});
    const parts = { fields: make("div", {}), addField: make("div", {}), indexes: make("div", {}), addIndex: make("div", {}) };
    let isDrawn = false;

    /** Runs a change and shows the result. Returns whether the schema was changed. */
    async function change(work, sentence) {
        try {
            if (await work() === false) return false;
        } catch (error) {
            if (signal.aborted) return false;
            const isKept = error instanceof api.Refusal && error.status === 400;
            showProblem(problem, error, [isKept
                ? make("a", { class: "button", href: router.address(["types", typeName]) }, t("Records of {type}", { type: typeName })) : null]);
            return false;
        }
        if (signal.aborted) return false;
        problem.replaceChildren();
        announce(sentence);
        refresh();
        watch();
        return true;
    }
    async function addField(name, type) {
        const isDone = await change(() => changeReviewed((types) => { types[typeName].fields[name] = { type }; }),
            t("Added the field {field}.", { field: name }));
        if (isDone) parts.addField.querySelector("input").focus();
    }
    async function changeType(name) {
        const wanted = await askForType(`${typeName}.${name}`, normalized(String(schema.type(typeName).fields[name].type)));
        if (wanted === null || signal.aborted) return;
        await change(async () => {
            await calls.changeField(typeName, name, wanted);
            await schema.load();
        }, t("Changed the type of {field}.", { field: name }));
        keepFocus();
    }
    async function rename(name) {
        const wanted = await askForName(name, `${typeName}.${name}`, (each) => Object.hasOwn(schema.type(typeName).fields, each),
            (each) => calls.renameField(typeName, name, each));
        if (wanted === null || signal.aborted) return;
        await change(() => schema.load(), t("{old} is now called {new}.", { old: name, new: wanted }));
        keepFocus();
    }
    async function renameType() {
        const wanted = await askForName(typeName, typeName, (each) => schema.type(each).isNew !== true,
            (each) => calls.renameType(typeName, each));
        if (wanted === null || signal.aborted) return;
        try {
            await schema.load();
        } catch (error) {
            if (!signal.aborted) showProblem(problem, error);
            return;
        }
        if (signal.aborted) return;
        announce(t("{old} is now called {new}.", { old: typeName, new: wanted }));
        redraw();
    }
    /** The button that was pressed has been drawn again, or is gone. */
    function keepFocus() {
        if (!signal.aborted && !element.contains(document.activeElement)) summary.focus({ preventScroll: true });
    }
    async function remove(name) {
        await change(() => changeReviewed((types) => removeField(types[typeName], name),
            { title: t("Remove the field {field}?", { field: `${typeName}.${name}` }), action: t("Remove the field") }), t("Removed."));
        keepFocus();
    }
    async function addIndex(index) {
        const isDone = await change(async () => {
            await api.addIndex(typeName, index);
            await schema.load();
        }, t("Added."));
        if (isDone) parts.addIndex.querySelector("input").focus();
    }
    async function drop(index) {
        await change(() => changeReviewed((types) => {
            types[typeName].indexes = types[typeName].indexes.filter((each) => !indexes.isSame(each, index));
        }, { title: t("Drop this index?"), action: t("Drop") }), t("Dropped."));
        keepFocus();
    }
    /** The server builds a failed index again when the schema is put again. */
    async function retry() {
        await change(() => changeReviewed(() => {}), t("The index is being built again."));
        keepFocus();
    }
    async function removeType() {
        try {
            const isDone = await changeReviewed((types) => { delete types[typeName]; },
                { title: t("Remove the type {type}?", { type: typeName }), action: t("Remove the type") });
            if (!isDone || signal.aborted) return;
            announce(t("Removed the type {type}.", { type: typeName }));
            redraw();
        } catch (error) {
            if (signal.aborted) return;
            showProblem(problem, error,
                [make("a", { class: "button", href: router.address(["types", typeName]) }, t("Records of {type}", { type: typeName }))]);
        }
    }
    function drawSummary(type) {
        summary.replaceChildren(make("strong", { title: typeName }, typeName),
            ...(isSystem(type) ? [make("span", { class: "role" }, t("System"))] : []),
            make("span", { class: "note" }, countsText(type)),
            ...(indexes.isBuilding(type) ? [make("span", { class: "state" }, t("building"))] : []),
            ...(type.indexes.some((index) => index.state === "failed") ? [make("span", { class: "state alarm" }, t("failed"))] : []));
    }
    function drawLists(type) {
        parts.fields.replaceChildren(Object.keys(type.fields).length === 0 ? make("p", { class: "note" }, t("no fields yet"))
            : fieldTable(type, canChange && !isSystem(type) ? { rename, changeType, remove } : null));
        parts.indexes.replaceChildren(indexList(type, canChange ? { drop, retry } : null));
    }
    /** Draws the type as the schema has it now. */
    function refresh() {
        const type = schema.type(typeName);
        drawSummary(type);
        if (!isDrawn) return;
        drawLists(type);
        if (!canChange) return;
        parts.addField.replaceChildren(fieldInputs({ isTaken: (name) => Object.hasOwn(type.fields, name), add: addField }));
        parts.addIndex.replaceChildren(addForm(type, addIndex));
    }
    /** Draws the progress of indexes. What the user is working on is not redrawn. */
    function update() {
        const type = schema.type(typeName);
        drawSummary(type);
        const isBusy = [parts.fields, parts.indexes].some((each) => each.contains(document.activeElement));
        if (isDrawn && !isBusy) drawLists(type);
    }
    async function drawCount() {
        try {
            const total = await api.total(typeName, signal);
            if (total !== undefined) count.textContent = tn("{count} record", "{count} records", Number(total.value), {
                count: countText({ total }),
            });
        } catch {
            // The number is left out.
        }
    }
    function drawBody() {
        isDrawn = true;
        const type = schema.type(typeName);
        body.replaceChildren(
            make("p", { class: "facts" },
                make("a", { href: router.address(["types", typeName, "schema"]) }, t("Page of this type")),
                make("a", { href: router.address(["types", typeName]) }, t("Records of {type}", { type: typeName })),
                count, make("span", {}, rightsLine(type))),
            ...(isSystem(type) ? [make("p", { class: "note" },
                t("The server makes this type for accounts. It stays as long as there are accounts."))] : []),
            problem, parts.fields, parts.addField, make("h2", {}, t("Indexes")), parts.indexes, parts.addIndex,
            ...(canChange ? [make("p", { class: "actions end" }, isSystem(type) ? null : make("button", {
                type: "button", class: "small", onclick: (event) => whileBusy(event.currentTarget, renameType),
            }, t("Rename the type…")), make("button", {
                type: "button", class: "danger small", onclick: (event) => whileBusy(event.currentTarget, removeType),
            }, t("Remove the type…")))] : []));
        refresh();
        drawCount();
    }

    const element = make("details", { class: "panel schema-type", "data-type": typeName, ontoggle: () => {
        if (element.open && !isDrawn) drawBody();
        opened(element.open);
    } }, summary, body);
    drawSummary(schema.type(typeName));
    return { element, refresh, update };
}
