// How an import reads its file: the type of the records, the format, the separator, the encoding.

import { freshID, make, refill } from "../dom.js";
import { encodings } from "../imports.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import { t } from "../words.js";
import { field, textInput } from "./form-dialog.js";
import { choice } from "./log-parts.js";
import { isSystem } from "./schema-type.js";

const separators = [[",", t("comma")], [";", t("semicolon")], ["\t", t("tab")], ["|", t("vertical bar")]];
const quotes = [["\"", t("double quotes")], ["'", t("single quotes")], ["", t("no quotes")]];

/** What the server will do with a type of this name. */
function typeNote(name) {
    if (name === "" || !schema.type(name).isNew) return "";
    return scope.environment() === "production" ? t("Production has no type of this name.") : t("This type is new. The import creates it.");
}

/** Sets a select to a value, which is added if it is not among the choices. */
function select(control, value) {
    if (![...control.options].some((each) => each.value === value)) control.append(make("option", { value }, value));
    refill(control, value);
}

/**
 * The settings of a draft. `changed()` is called after the draft has been changed. Returns `element`, `set(answer)`, which shows what the
 * server has found, and `say(name, sentence)`, which shows an error at the control of that name; it returns whether there is one.
 */
export function importSettings(draft, changed) {
    /** A control that sets a part of the draft or of its table. */
    function setting(label, control, name, set, note = "") {
        control.addEventListener("change", () => {
            set(control.type === "checkbox" ? control.checked : control.value);
            changed();
        });
        return field({ label, control, name, note });
    }
    const ofTable = (key) => (value) => { draft.table = { ...draft.table, [key]: value }; };
    const listID = freshID("types");
    const type = textInput({ list: listID, value: draft.recordType });
    const note = make("p", { class: "note", role: "status" });
    const types = make("datalist", { id: listID },
        schema.all().filter((each) => !isSystem(each)).map(({ name }) => make("option", { value: name })));
    const header = make("input", { type: "checkbox", id: freshID("header"), onchange: () => {
        ofTable("header")(header.checked);
        changed();
    } });
    const drawNote = () => { note.textContent = typeNote(draft.recordType); };
    const isTable = () => draft.format === "table";
    const fields = {
        recordType: setting(t("Type"), type, "recordType", (value) => {
            draft.recordType = value.trim().normalize("NFC");
            drawNote();
        }),
        format: setting(t("Format"), choice([["table", t("Table (CSV)")], ["jsonLines", t("JSON lines")]], draft.format), "format", (value) => {
            draft.format = value;
            drawFormat();
        }),
        separator: setting(t("Separator"), choice(separators, ","), "table.separator", ofTable("separator")),
        encoding: setting(t("Encoding"), choice(encodings.map((each) => [each, each]), "utf-8"), "encoding", (value) => { draft.encoding = value; }),
        quote: setting(t("Quotes"), choice(quotes, "\""), "table.quote", (value) => ofTable("quote")(value === "" ? null : value)),
        escape: setting(t("Quotes in cells"), choice([["doubled", t("written twice")], ["backslash", t("after a backslash")]], "doubled"),
            "table.escape", ofTable("escape")),
        noValue: setting(t("Cell without a value"), textInput(), "table.noValue", ofTable("noValue"), t("Such as NULL or \\N. Usually it is an empty cell.")),
        shortRows: setting(t("Rows that are too short"), choice([["fill", t("lack values at the end")], ["reject", t("are rejected")]], "fill"),
            "table.shortRows", ofTable("shortRows")),
        timeZone: setting(t("Time zone of times"), textInput({ placeholder: "UTC", value: draft.timeZone }), "mapping.timeZone",
            (value) => { draft.timeZone = value.trim(); }, t("Of times without an offset, such as Europe/Berlin.")),
    };
    const { recordType, format, separator, encoding, ...further } = fields;
    const head = make("div", { class: "form-field tick" }, make("span", { class: "choice" }, header,
        make("label", { for: header.id }, t("The first row has the names of the columns"))));
    const ofTables = [separator.element, encoding.element, head, make("details", { class: "more" },
        make("summary", {}, t("More about the table")), make("div", { class: "settings" }, Object.values(further).map(({ element }) => element)))];
    recordType.element.append(types, note);

    function drawFormat() {
        for (const each of ofTables) each.hidden = !isTable();
        recordType.element.querySelector("label").textContent = isTable() ? t("Type") : t("Type of lines that name none");
    }
    drawFormat();
    drawNote();
    return {
        element: make("div", { class: "panel import-settings settings" }, recordType.element, format.element, ofTables),
        set({ table, encoding: found }) {
            if (!isTable()) return;
            select(separator.control, table.separator);
            select(encoding.control, found);
            select(further.quote.control, table.quote ?? "");
            select(further.escape.control, table.escape);
            select(further.shortRows.control, table.shortRows);
            refill(further.noValue.control, table.noValue);
            header.checked = table.header !== false;
        },
        say(name, sentence) {
            for (const each of Object.values(fields)) each.say("");
            const wrong = Object.values(fields).find((each) => each.name === name);
            wrong?.say(sentence);
            const folded = wrong?.element.closest("details");
            if (folded) folded.open = true;
            return wrong !== undefined;
        },
    };
}
