// Dialogs with a form. They stay open until the server has accepted it, and show its errors at the controls that they are about.

import { Refusal } from "../api.js";
import { freshID, make, whileBusy } from "../dom.js";
import { InputProblem } from "../fields/problem.js";
import { t } from "../words.js";
import { ask } from "./dialog.js";
import { problemBox } from "./problem.js";

/** A control with its label, a note and a place for a problem. `name` is that of the server's errors. */
export function field({ label, control, name, note = "" }) {
    control.id ||= freshID("field");
    const problem = make("p", { class: "problem", id: `${control.id}-problem`, role: "alert" });
    const noteID = `${control.id}-note`;
    control.setAttribute("aria-describedby", note === "" ? problem.id : `${noteID} ${problem.id}`);
    return {
        name, control,
        element: make("div", { class: "form-field" }, make("label", { for: control.id }, label), control,
            note === "" ? null : make("p", { class: "note", id: noteID }, note), problem),
        say(sentence) {
            problem.textContent = sentence;
            if (sentence === "") control.removeAttribute("aria-invalid");
            else control.setAttribute("aria-invalid", "true");
        },
    };
}

/** A group of controls with a title. `control` gets the focus if there is a problem. */
export function group({ legend, content, control, name, note = "" }) {
    const problem = make("p", { class: "problem", role: "alert" });
    return {
        name, control,
        element: make("fieldset", { class: "form-field" }, make("legend", {}, legend),
            note === "" ? null : make("p", { class: "note" }, note), content, problem),
        say(sentence) {
            problem.textContent = sentence;
        },
    };
}

/** A text input. `attributes` are further ones. */
export function textInput(attributes = {}) {
    return make("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes });
}

/** A choice among a few values, each with a title and perhaps a note. `read()` returns the value. */
export function radioGroup({ legend, options, value, name, changed = () => {} }) {
    const shared = freshID("choice");
    const inputs = options.map((option) => make("input", {
        type: "radio", id: freshID("choice"), name: shared, value: option.value, checked: option.value === value, onchange: changed,
        "aria-describedby": option.note === undefined ? null : `${shared}-${option.value}`,
    }));
    const content = make("div", { class: "options" }, options.map((option, at) => make("div", { class: "option-line" }, inputs[at],
        make("div", {}, make("label", { for: inputs[at].id }, option.title),
            option.note === undefined ? null : make("p", { class: "note", id: `${shared}-${option.value}` }, option.note)))));
    return {
        ...group({ legend, content, control: inputs.find((each) => each.checked) ?? inputs[0], name }),
        read: () => inputs.find((each) => each.checked)?.value,
    };
}

/** Ticks. `options` are `{value, title, note?}`; `read()` returns the ticked values. */
export function tickGroup({ legend, options, chosen = [], name, note }) {
    const inputs = options.map(({ value }) => make("input", {
        type: "checkbox", id: freshID("tick"), value, checked: chosen.includes(value),
    }));
    const content = make("div", { class: "options" }, options.map((option, at) => make("div", { class: "option-line" }, inputs[at],
        make("div", {}, make("label", { for: inputs[at].id }, option.title),
            option.note === undefined ? null : make("span", { class: "note" }, " ", option.note)))));
    return {
        ...group({ legend, content, control: inputs[0], name, note }),
        read: () => inputs.filter((each) => each.checked).map((each) => each.value),
    };
}

/** A choice in a list that opens. `options` are `[value, title]`. */
export function selectField({ label, options, value, name, note }) {
    const select = make("select", {}, options.map(([each, title]) => make("option", { value: each }, title)));
    select.value = value;
    return { ...field({ label, control: select, name, note }), read: () => select.value };
}

/** The part of the form that an error is about, or `undefined`. */
function culprit(error, fields) {
    if (error instanceof InputProblem) return fields.find(({ control }) => control === error.control);
    if (!(error instanceof Refusal) || error.status >= 500) return undefined;
    const named = error.details?.field ?? error.details?.path;
    // An error in a condition has the place in it instead.
    return fields.find(({ name }) => name !== undefined && name === (named ?? (error.details?.offset === undefined ? null : "where")));
}

/**
 * Asks with a form, and calls `send()` when the user submits it. Returns what it returns, or `null` if the user gave up. `send` may throw
 * an `InputProblem`. `changed()` is called after each input. `further` are nodes below the fields.
 */
export async function askForm({ title, fields, submit, send, changed = () => {}, intro = [], further = [], wide = false }) {
    const problem = make("div", {});
    let [close, pending, result] = [() => {}, null, null];

    async function attempt() {
        problem.replaceChildren();
        for (const each of fields) each.say("");
        try {
            result = await send();
        } catch (error) {
            const wrong = culprit(error, fields);
            if (wrong === undefined) {
                problem.replaceChildren(problemBox(error));
                problem.firstChild.focus();
                return;
            }
            wrong.say(error.message);
            const folded = wrong.element.closest("details");
            if (folded !== null) folded.open = true;
            wrong.control.focus();
            return;
        }
        close("sent");
    }
    function begin() {
        const button = form.closest("dialog").querySelector(":scope > .actions .primary");
        pending ??= whileBusy(button, attempt).finally(() => { pending = null; });
    }
    const form = make("form", { class: "form", novalidate: true, oninput: changed, onchange: changed, onsubmit: (event) => {
        event.preventDefault();
        begin();
    } }, intro, fields.map(({ element, isPlaced }) => (isPlaced ? null : element)), further, problem,
    make("button", { type: "submit", hidden: true, tabindex: "-1" }));
    const answer = ask({
        title, wide,
        content(end) {
            close = end;
            return form;
        },
        choices: [
            { value: "send", title: submit, kind: "primary", allow() {
                begin();
                return false;
            } },
            { value: "cancel", title: t("Cancel"), kind: "quiet", allow: () => pending === null },
        ],
    });
    form.closest("dialog").addEventListener("cancel", (event) => {
        if (pending !== null) event.preventDefault();
    });
    fields.find(({ control }) => control?.getClientRects().length > 0)?.control.focus();
    await answer;
    await pending; // A secret in the response must not get lost.
    return result;
}

/** Asks before something that cannot be undone. Begins at the safe choice. */
export async function askFirst({ title, text, keep = t("Cancel"), act, style = "danger" }) {
    const answer = await ask({
        title, content: make("div", {}, [text].flat().map((each) => make("p", {}, each))),
        choices: [{ value: "keep", title: keep, isFirst: true }, { value: "act", title: act, kind: style }],
    });
    return answer === "act";
}
