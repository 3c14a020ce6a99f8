import { freshID, make } from "../dom.js";
import { typeNames } from "../fields/kinds.js";
import { InputProblem } from "../fields/problem.js";
import { fieldRow } from "../fields/row.js";
import * as json from "../json.js";
import { t } from "../words.js";

/** Letters, digits and underscores, starting with a letter: a valid field name. */
const fieldName = /^\p{XID_Start}\p{XID_Continue}{0,254}$/u;

/** A form for fields that the type does not have yet. */
function addForm(isTaken, add) {
    const nameID = freshID("new-field");
    const typeID = freshID("new-field-type");
    const problem = make("p", { class: "problem", id: `${nameID}-problem`, role: "alert" });
    const name = make("input", {
        id: nameID, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": problem.id,
        onkeydown: (event) => {
            // Enter also ends the composition of a word, for example in Japanese.
            if (event.key !== "Enter" || event.isComposing) return;
            event.preventDefault();
            submit();
        },
    });
    const type = make("select", { id: typeID }, typeNames.map((each) => make("option", { value: each }, each)));

    function submit() {
        const text = name.value.trim();
        problem.textContent = !fieldName.test(text) ? t("A field's name is made of letters, digits and _, and begins with a letter.")
            : isTaken(text) ? t("There is already a field “{name}”.", { name: text }) : "";
        if (problem.textContent !== "") {
            name.focus();
            return;
        }
        name.value = "";
        add(text, type.value);
    }
    return make("div", { class: "add-field", role: "group", "aria-label": t("Add a field") },
        make("div", {}, make("label", { for: nameID }, t("New field")), name),
        make("div", {}, make("label", { for: typeID }, t("Type")), type),
        make("button", { type: "button", onclick: submit }, t("Add the field")),
        problem,
        make("p", { class: "note" }, t("The type has the field once a record with a value in it is saved.")));
}

/**
 * The fields as a form, one row each: those of the schema first, then those that only this record has. `recordName` is the
 * name typed so far for a new record, `undefined` for an existing one. `read()` returns `{recordName?, fields}`, and
 * `left(fields)` the names of added fields that are not in `fields`.
 */
export function fieldsForm({ schemaFields, draft, isNew, changed }) {
    const rows = [];
    const added = [];
    const place = make("div", { class: "fields" });

    function append(name, schemaType, written) {
        const row = fieldRow({ name, schemaType, written, changed });
        rows.push(row);
        place.append(row.element);
        return row;
    }
    /** What a row has now; what it began with while that is no value. */
    function valueOf(row) {
        try {
            return row.read({ isQuiet: true });
        } catch (error) {
            if (!(error instanceof InputProblem)) throw error;
            return row.written;
        }
    }
    /** Shows other fields. Rows whose field is the same stay as they are, also with a cursor, an upload or an invalid input in them. */
    function update({ recordName, fields }, style = "") {
        if (nameInput !== null && recordName !== undefined && nameInput.value !== recordName) nameInput.value = recordName;
        for (const [at, row] of rows.entries()) {
            if (json.same(valueOf(row), fields[row.name])) continue;
            const next = fieldRow({ name: row.name, schemaType: schemaFields.get(row.name), written: fields[row.name], changed });
            if (style !== "") next.element.classList.add(style);
            row.element.replaceWith(next.element);
            rows[at] = next;
        }
        for (const name of Object.keys(fields)) if (!isTaken(name)) append(name, schemaFields.get(name), fields[name]);
    }
    /** What `read()` returns, or `null` while a field is invalid. Shows nothing. */
    function peek() {
        const fields = Object.create(null);
        try {
            for (const row of rows) {
                const written = row.read({ isQuiet: true });
                if (written !== undefined) fields[row.name] = written;
            }
        } catch (error) {
            if (!(error instanceof InputProblem)) throw error;
            return null;
        }
        return nameInput === null || nameInput.value === "" ? { fields } : { recordName: nameInput.value, fields };
    }
    function read() {
        const fields = Object.create(null);
        let first = null;
        for (const row of rows) {
            try {
                const written = row.read();
                if (written !== undefined) fields[row.name] = written;
            } catch (error) {
                if (!(error instanceof InputProblem)) throw error;
                first ??= { row, error };
            }
        }
        if (first !== null) {
            (first.error.control ?? first.row.element).focus();
            throw first.error;
        }
        return nameInput === null || nameInput.value === "" ? { fields } : { recordName: nameInput.value, fields };
    }

    const nameInput = isNew ? make("input", {
        id: freshID("record-name"), type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
        placeholder: t("made by the server"), value: draft.recordName ?? "", oninput: changed,
    }) : null;
    if (nameInput !== null) {
        place.append(make("div", { class: "field" },
            make("div", { class: "heading" }, make("label", { class: "name", for: nameInput.id }, "recordName"),
                make("span", { class: "state" }, t("optional"))),
            make("div", { class: "editor" }, nameInput)));
    }
    for (const [name, type] of schemaFields) append(name, type, draft.fields[name]);
    for (const name of Object.keys(draft.fields)) if (!schemaFields.has(name)) append(name, undefined, draft.fields[name]);

    const isTaken = (name) => rows.some((row) => row.name === name);
    return {
        element: make("div", {}, place, addForm(isTaken, (name, type) => {
            added.push(name);
            append(name, type, undefined).focus();
        })),
        read, peek, update,
        row: (name) => rows.find((each) => each.name === name),
        /** Dims these fields, which a user cannot read. */
        hide(names) {
            for (const row of rows) row.element.classList.toggle("unseen", names === null || names.includes(row.name));
        },
        /** The names of the fields that were added and left empty; the type does not get them. */
        left: (fields) => added.filter((name) => fields[name] === undefined),
    };
}
