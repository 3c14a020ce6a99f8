import { Refusal } from "../api.js";
import { announce, make } from "../dom.js";
import { stringify } from "../json.js";

/**
 * An error, for people: the reason first, then what to quote when asking for help. `actions` are buttons or links
 * that lead on. Errors of the console itself are said to be such.
 */
export function problemBox(error, actions = []) {
    const facts = [];
    let reason = error.message;
    if (error instanceof Refusal) {
        facts.push(["Code", error.code]);
        if (error.status !== undefined) facts.push(["Status", String(error.status)]);
        if (error.uuid) facts.push(["Identifier", error.uuid]);
        if (error.retryAfter !== undefined) facts.push(["Try again in", `${error.retryAfter} s`]);
        if (error.details !== undefined && error.details !== null) facts.push(["Details", stringify(error.details)]);
    } else if (error instanceof TypeError || error instanceof ReferenceError) {
        reason = `The console itself made a mistake: ${error.message}`;
    }
    return make("div", { class: "problem-box", role: "alert", tabindex: "-1" },
        make("p", { class: "reason" }, reason),
        error.advice ? make("p", { class: "advice" }, error.advice) : null,
        facts.length === 0 ? null
            : make("dl", {}, facts.map(([key, value]) => make("div", {}, make("dt", {}, key), make("dd", { class: "code" }, value)))),
        actions.length === 0 ? null : make("p", { class: "actions" }, actions));
}

/** Shows the error in a place kept for it and takes the focus there. */
export function showProblem(place, error, actions) {
    announce("");
    const box = problemBox(error, actions);
    place.replaceChildren(box);
    box.focus({ preventScroll: true });
    box.scrollIntoView({ block: "nearest" });
}
