// A change of the schema in three steps: a dry run, a question with the differences, and the change itself.

import { make } from "../dom.js";
import * as json from "../json.js";
import * as calls from "../schema-calls.js";
import * as diff from "../schema-diff.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import { t } from "../words.js";
import { ask } from "./dialog.js";
import { changesTable, remarkList, remarks } from "./schema-changes.js";

/** The note of dialogs that change the schema of production. */
export function productionNote() {
    return scope.environment() === "production" ? make("p", { class: "production-note" }, t("This is production.")) : null;
}

/**
 * Lets `edit(types)` change the types of the schema, and puts them. If `title` is given, it first shows the differences below the
 * sentence `intro`, and asks.
 * Returns whether the schema was changed. Throws the server's error, of the dry run too.
 */
export async function changeReviewed(edit, { title, action, intro = null } = {}) {
    const before = await calls.read();
    const types = json.parse(json.stringify(before.types));
    edit(types);
    if (title !== undefined) {
        const plan = await calls.putTypes(types, { isDryRun: true, tag: before.tag });
        const list = diff.differences(before.types, plan.types ?? types);
        const answer = await ask({
            title, wide: true,
            content: make("div", {}, productionNote(), intro === null ? null : make("p", {}, intro), remarkList(remarks(plan.changes, list)), changesTable(list)),
            choices: [
                { value: "keep", title: t("Keep the schema"), isFirst: true }, { value: "change", title: action, kind: "danger" },
            ],
        });
        if (answer !== "change") return false;
    }
    await calls.putTypes(types, { tag: before.tag });
    await schema.load();
    return true;
}

/** Removes a field from the entry of a type, with the indexes that contain it. */
export function removeField(type, name) {
    delete type.fields[name];
    const isOn = (column) => column.replace(/^-/, "").replace(/\[.*$/, "") === name;
    type.indexes = (type.indexes ?? []).filter(({ fields }) => !fields.some(isOn));
}
