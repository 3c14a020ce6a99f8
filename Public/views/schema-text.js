// The schema as a text that can be changed, checked and applied.

import * as api from "../api.js";
import { announce, freshID, introduce, make, whileBusy } from "../dom.js";
import * as files from "../files.js";
import * as json from "../json.js";
import * as router from "../router.js";
import * as calls from "../schema-calls.js";
import * as diff from "../schema-diff.js";
import { isJSON, problemOf } from "../schema-text.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { t, tp } from "../words.js";
import { ask, askToLeave } from "./dialog.js";
import { showProblem } from "./problem.js";
import { changesTable, refusalSentences, remarkList, remarks, summary } from "./schema-changes.js";
import { schemaEditor } from "./schema-editor.js";

const textType = "text/x-ckdb";

function fileName(ending) {
    return `${[scope.current().container ?? "schema", scope.environment()].filter(Boolean).join("-")}.${ending}`;
}

/** What is wrong with a text, as the editor shows it; `null` for errors that are not about the text. */
function problemsOf(error, text) {
    if (error instanceof json.JSONProblem) {
        const { sentence, offset, line, column } = error;
        return [{ sentence, start: offset, end: Math.min(offset + 1, text.length), line, column }];
    }
    if (!(error instanceof api.Refusal) || error.status !== 400) return null;
    const first = problemOf(error, text);
    return [first, ...refusalSentences(error).filter((sentence) => sentence !== first.sentence && sentence !== error.message)
        .map((sentence) => ({ sentence }))];
}

/** Asks before what removes something, changes permissions, or changes production. */
async function mayApply(list, changes) {
    const isProduction = scope.environment() === "production";
    if (!isProduction && !diff.asksFirst(list)) return true;
    const answer = await ask({
        title: isProduction ? t("Change the schema of production?") : t("Apply these changes?"),
        content: make("div", {}, make("p", {}, summary(list)), remarkList(remarks(changes, list))),
        choices: [
            { value: "keep", title: t("Keep the schema"), isFirst: true }, { value: "apply", title: t("Apply"), kind: "danger" },
        ],
    });
    return answer === "apply";
}

export async function show({ signal, show: place, isOver }, head) {
    const canChange = session.covers("changeSchema");
    let { text: original, tag } = await calls.readText({ signal });
    let checked = null;
    const heading = make("h1", {}, t("Schema as text"));
    const problem = make("div", {});
    const outcome = make("section", { class: "schema-outcome", "aria-label": t("Result of the check"), tabindex: "-1" });
    const state = make("span", { class: "state", role: "status" });
    const editor = schemaEditor({
        label: t("Text of the schema"), isReadOnly: !canChange, changed: unchecked, submit: () => whileBusy(checkButton, check),
    });
    const keepsID = freshID("keeps");
    const keeps = make("input", { id: keepsID, type: "checkbox", onchange: unchecked });
    const button = (title, act, attributes = {}) => {
        const element = make("button", { type: "button", onclick: () => whileBusy(element, act), ...attributes }, title);
        return element;
    };
    const checkButton = button(t("Check"), check, { class: "primary", title: t("Check (Ctrl-Enter)") });
    const backButton = button(t("Discard changes"), discard);

    function isDirty() {
        return editor.read() !== original;
    }
    function drawState() {
        state.textContent = isDirty() ? t("Not applied yet") : "";
        backButton.hidden = !isDirty();
    }
    /** After a change of the text, the last check is about another one. */
    function unchecked() {
        checked = null;
        problem.replaceChildren();
        outcome.replaceChildren();
        drawState();
    }
    async function check() {
        unchecked();
        editor.show([]);
        const [text, keepsRights] = [editor.read(), keeps.checked];
        try {
            if (isJSON(text)) json.parse(text);
            const before = await calls.read({ signal });
            const plan = await calls.put(text, { isJSON: isJSON(text), isDryRun: true, keepsRights, tag: before.tag });
            if (isOver() || text !== editor.read() || keepsRights !== keeps.checked) return;
            const list = plan.types === undefined ? [] : diff.differences(before.types, plan.types);
            checked = { text, keepsRights, list, changes: plan.changes, tag: before.tag };
            drawPlan(calls.version(before.tag) !== calls.version(tag));
        } catch (error) {
            if (isOver()) return;
            const problems = problemsOf(error, text);
            if (problems === null) showProblem(problem, error);
            else editor.show(problems);
        }
    }
    function drawPlan(hasMoved) {
        const { list, changes } = checked;
        const sentences = [
            ...(hasMoved ? [t("Somebody has changed the schema since this text was loaded. The changes below are those to the present schema.")] : []),
            ...remarks(changes, list),
        ];
        const apply = button(t("Apply"), applyChecked, { class: diff.asksFirst(list) ? "danger" : "primary" });
        outcome.replaceChildren(...(list.length === 0
            ? [make("h2", {}, t("No changes")), make("p", {}, t("The text is correct and says what the schema is already.")),
                remarkList(sentences)]
            : [make("h2", {}, t("What would change")), remarkList(sentences), make("p", { class: "actions" }, apply), changesTable(list)])
            .filter((each) => each !== null));
        outcome.focus({ preventScroll: true });
        outcome.scrollIntoView({ block: "nearest" });
    }
    async function applyChecked() {
        const { text, keepsRights, list, changes, tag: checkedTag } = checked;
        if (!(await mayApply(list, changes)) || isOver()) return;
        try {
            const done = await calls.put(text, { isJSON: isJSON(text), keepsRights, tag: checkedTag });
            await schema.load();
            ({ text: original, tag } = await calls.readText());
            if (isOver()) return;
            editor.write(original);
            unchecked();
            outcome.replaceChildren(...[make("h2", {}, t("Applied")), make("p", {}, summary(list)),
                remarkList(remarks(done.changes, list))].filter((each) => each !== null));
            announce(t("Applied."));
            outcome.focus({ preventScroll: true });
        } catch (error) {
            if (isOver()) return;
            const hasMoved = error instanceof api.Refusal && error.status === 412;
            showProblem(problem, hasMoved ? new Error(t("Somebody has changed the schema since the check. Check the text again.")) : error,
                [hasMoved ? make("button", { type: "button", onclick: () => whileBusy(checkButton, check) }, t("Check")) : null]);
        }
    }
    async function discard() {
        if (isDirty() && !(await askToLeave())) return;
        try {
            ({ text: original, tag } = await calls.readText({ signal }));
        } catch (error) {
            if (!isOver()) showProblem(problem, error);
            return;
        }
        editor.write(original);
        unchecked();
        editor.area.focus();
    }
    async function open(file) {
        if (isDirty() && !(await askToLeave())) return;
        const text = await files.read(file);
        if (isOver()) return;
        if (text === null) {
            showProblem(problem, new Error(t("The file {name} is not UTF-8 text.", { name: file.name })));
            return;
        }
        editor.write(text);
        unchecked();
        announce(t("Opened {name}. Check it before it is applied.", { name: file.name }));
        editor.area.focus();
    }
    async function saveJSON() {
        try {
            const { types } = await calls.read({ signal });
            files.save(`${json.stringify({ types }, 2)}\n`, fileName("json"), "application/json");
        } catch (error) {
            if (!isOver()) showProblem(problem, error);
        }
    }

    place(
        head(heading),
        make("div", { class: "schema-bar" },
            ...(canChange ? [checkButton,
                make("span", { class: "choice" }, keeps, make("label", { for: keepsID }, t("Keep the rights of existing types"))),
                button(t("Open a file…"), () => files.choose(".ckdb,.json,.txt", open)), backButton, state] : []),
            make("span", { class: "actions end" },
                button(t("Save as .ckdb"), () => files.save(editor.read(), fileName("ckdb"), textType)),
                button(t("Export as JSON"), saveJSON))),
        make("p", { class: "note" }, canChange ? tp("CloudKit’s schema language, or JSON. {check} shows what would change and changes nothing.", {
            check: make("strong", {}, t("Check")),
        }) : session.reason(t("changing the schema"))),
        problem, editor.element, outcome);
    editor.write(original);
    drawState();
    router.guard(isDirty, askToLeave);
    introduce(heading);
}
