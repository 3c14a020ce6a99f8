// The task of a schedule: which records, and what is done to them.

import * as api from "../api.js";
import { freshID, make, whileBusy } from "../dom.js";
import * as json from "../json.js";
import * as schema from "../schema.js";
import { number, t, tn } from "../words.js";
import { canShow, fieldChange } from "./field-change.js";

function radios(title, options, chosen, listener) {
    const name = freshID("choice");
    return make("fieldset", { class: "choices" }, make("legend", {}, title), options.map(([value, text]) => {
        const id = freshID("choice");
        return make("span", { class: "choice" }, make("input", {
            type: "radio", id, name, value, checked: value === chosen, onchange: () => listener(value),
        }), make("label", { for: id }, text));
    }));
}

/** The fields of a change as JSON text. */
function jsonChange(fields) {
    const id = freshID("json");
    const problem = make("p", { class: "problem", role: "alert" });
    const area = make("textarea", { id, class: "code", rows: "6", spellcheck: "false", value: json.stringify(fields ?? {}, 2) });
    return {
        element: make("div", {}, make("label", { for: id }, t("Fields and their new values as JSON")), area, problem),
        read() {
            problem.textContent = "";
            try {
                const content = json.parse(area.value);
                const isObject = content !== null && typeof content === "object" && !Array.isArray(content);
                if (isObject && Object.keys(content).length > 0) return content;
                problem.textContent = t("Write an object with at least one field, such as {\"archived\": 1}.");
            } catch (error) {
                if (!(error instanceof json.JSONProblem)) throw error;
                problem.textContent = error.message;
            }
            area.focus();
            return null;
        },
    };
}

/** Inputs for a task; `read()` returns it, or `null` after it has shown what is wrong. `initial` is a task that the caller sees whole. */
export function whatInputs(initial = { kind: "deleteRecords" }, changed = () => {}) {
    const task = { ...initial };
    const [typeID, whereID, mostID] = [freshID("type"), freshID("where"), freshID("most")];
    const names = schema.all().map(({ name }) => name);
    if (task.recordType !== undefined && !names.includes(task.recordType)) names.unshift(task.recordType);
    const type = make("select", { id: typeID, onchange: () => { changed(); count.textContent = ""; fillChange(); } },
        names.map((name) => make("option", { value: name }, name)));
    if (task.recordType !== undefined) type.value = task.recordType;
    let isForAll = task.all === true;
    let isDeletion = task.kind !== "updateRecords";
    let isJSON = false;
    let editor = null;
    const whereProblem = make("p", { class: "problem", id: `${whereID}-problem`, role: "alert" });
    const mostProblem = make("p", { class: "problem", id: `${mostID}-problem`, role: "alert" });
    const count = make("span", { class: "note", role: "status" });
    const where = make("input", {
        id: whereID, type: "text", class: "code", value: String(task.where ?? ""), autocomplete: "off", autocapitalize: "off",
        spellcheck: "false", placeholder: "createdTimestamp < now() - 183 days", "aria-describedby": `${whereID}-note ${whereProblem.id}`,
        oninput: () => { changed(); count.textContent = ""; whereProblem.textContent = ""; },
    });
    const most = make("input", {
        id: mostID, type: "text", inputmode: "numeric", class: "number", value: String(task.maxAffected ?? ""),
        autocomplete: "off", "aria-describedby": `${mostID}-note ${mostProblem.id}`, oninput: changed,
    });
    const countButton = make("button", {
        type: "button", class: "small", onclick: () => whileBusy(countButton, tryCondition),
    }, t("Count the matches now"));
    const wherePart = make("div", {}, make("label", { for: whereID }, t("Condition")), where,
        make("p", { class: "note", id: `${whereID}-note` },
            t("Such as createdTimestamp < now() - 183 days: what is older than half a year at each run.")),
        whereProblem);
    const changePlace = make("div", { class: "change-place" });

    function fillChange() {
        changePlace.hidden = isDeletion;
        editor = null;
        if (isDeletion) return;
        const types = schema.fields(type.value);
        const isSame = type.value === task.recordType;
        const fields = isSame ? task.fields : undefined;
        const needsJSON = types.size === 0 || fields !== undefined && !canShow(types, fields);
        editor = isJSON || needsJSON ? jsonChange(fields) : fieldChange(types, fields);
        const toggle = needsJSON ? null : make("button", { type: "button", class: "small quiet", onclick: () => {
            isJSON = !isJSON;
            fillChange();
        } }, isJSON ? t("One field") : t("Several fields as JSON"));
        changePlace.replaceChildren(...[editor.element, toggle].filter((each) => each !== null));
    }
    function condition() {
        const text = where.value.trim();
        if (isForAll) return { all: true };
        if (text === "") {
            whereProblem.textContent = t("Write a condition, or choose all records.");
            where.focus();
            return null;
        }
        return { where: text, ...(text === task.where && Array.isArray(task.args) ? { args: task.args } : {}) };
    }
    async function tryCondition() {
        const wanted = condition();
        if (wanted === null) return;
        whereProblem.textContent = "";
        try {
            const { matched } = await api.countMatches(type.value, wanted);
            count.textContent = tn("{count} record matches now.", "{count} records match now.", Number(matched));
        } catch (error) {
            count.textContent = "";
            whereProblem.textContent = error.message;
        }
    }
    fillChange();
    wherePart.hidden = isForAll;
    return {
        element: make("div", { class: "what" },
            radios(t("What"), [["deleteRecords", t("Delete records")], ["updateRecords", t("Change records")]],
                isDeletion ? "deleteRecords" : "updateRecords", (value) => {
                    changed();
                    isDeletion = value === "deleteRecords";
                    fillChange();
                }),
            make("div", {}, make("label", { for: typeID }, t("Type")), type),
            radios(t("Which"), [["some", t("Those that match a condition")], ["all", t("All records of the type")]],
                isForAll ? "all" : "some", (value) => {
                    changed();
                    isForAll = value === "all";
                    wherePart.hidden = isForAll;
                    count.textContent = "";
                }),
            wherePart, make("p", { class: "actions" }, countButton, count), changePlace,
            make("div", {}, make("label", { for: mostID }, t("At most (optional)")), most,
                make("p", { class: "note", id: `${mostID}-note` }, t("If more records match, a run changes none and fails.")), mostProblem)),
        read() {
            mostProblem.textContent = "";
            const wanted = condition();
            if (wanted === null) return null;
            const fields = editor?.read();
            if (fields === null) return null;
            const limit = most.value.trim();
            if (!/^\d*$/.test(limit)) {
                mostProblem.textContent = t("Write a whole number, such as {count}.", { count: number(5000) });
                most.focus();
                return null;
            }
            return {
                kind: isDeletion ? "deleteRecords" : "updateRecords", recordType: type.value, ...wanted,
                ...(limit === "" ? {} : { maxAffected: new json.ExactNumber(limit) }), ...(fields === undefined ? {} : { fields }),
                ...(isDeletion || task.acl === undefined ? {} : { acl: task.acl }),
            };
        },
    };
}
