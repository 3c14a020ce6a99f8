// A text area with line numbers, in which problems are marked where they are.

import { freshID, make } from "../dom.js";
import { t, tn } from "../words.js";

/** A problem for people: `Line 4, column 25: …`. */
function problemText({ sentence, line, column }) {
    return line === undefined ? sentence : t("Line {line}, column {column}: {sentence}", { line, column, sentence });
}

/**
 * The editor of a schema. `changed()` is called after each change by the user, `submit()` on Ctrl-Enter. Problems are those of
 * `problemOf`: `show(problems)` marks them and moves the caret to the first, `show([])` removes the marks.
 */
export function schemaEditor({ label, isReadOnly, changed, submit }) {
    const id = freshID("schema-text");
    const numbers = make("pre", { class: "numbers", "aria-hidden": "true" });
    const marks = make("pre", { class: "marks", "aria-hidden": "true" });
    const list = make("div", { class: "schema-problems", id: `${id}-problems`, role: "alert" });
    const area = make("textarea", {
        id, class: "code", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-label": label,
        readonly: isReadOnly, "aria-describedby": list.id,
        oninput: () => {
            show([]);
            changed();
        },
        onscroll: follow,
        onkeydown: (event) => {
            // Enter also ends the composition of a word, for example in Japanese.
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
            event.preventDefault();
            submit();
        },
    });
    let lines = 0;

    function follow() {
        numbers.scrollTop = area.scrollTop;
        marks.scrollTop = area.scrollTop;
        marks.scrollLeft = area.scrollLeft;
    }
    /** Draws the line numbers. The lines after the last make the column at least as long as the text with its scrollbar. */
    function drawNumbers(wrong = new Set()) {
        const count = area.value.split("\n").length;
        if (count === lines && wrong.size === 0 && numbers.querySelector(".wrong") === null) return;
        lines = count;
        const nodes = [""];
        for (let line = 1; line <= count; line += 1) {
            if (wrong.has(line)) nodes.push(make("span", { class: "wrong" }, String(line)), "\n");
            else nodes[nodes.length - 1] += `${line}\n`;
        }
        numbers.replaceChildren(...nodes, "\n\n");
    }
    function drawMarks(problems) {
        const text = area.value;
        const nodes = [];
        let at = 0;
        for (const { start, end } of problems) {
            if (start < at) continue;
            // At the end of a line there is nothing to mark, so the mark is a space.
            nodes.push(text.slice(at, start), make("mark", {}, start === end ? " " : text.slice(start, end)));
            at = end;
        }
        marks.replaceChildren(...(nodes.length === 0 ? [] : [...nodes, text.slice(at), "\n\n\n"]));
    }
    function goTo({ start, end, line }) {
        area.focus({ preventScroll: true });
        area.setSelectionRange(start, end);
        const height = Number.parseFloat(getComputedStyle(area).lineHeight);
        area.scrollTop = Math.max(0, (line - 4) * height);
        area.scrollLeft = 0;
        follow();
    }
    function show(problems) {
        const placed = problems.filter(({ start }) => start !== undefined).sort((one, other) => one.start - other.start);
        drawNumbers(new Set(placed.map(({ line }) => line)));
        drawMarks(placed);
        follow();
        if (placed.length === 0) area.removeAttribute("aria-invalid");
        else area.setAttribute("aria-invalid", "true");
        list.replaceChildren(...(problems.length === 0 ? [] : [
            make("h2", {}, tn("{count} problem", "{count} problems", problems.length)),
            make("ul", {}, problems.map((problem) => make("li", {}, problem.start === undefined ? problemText(problem)
                : make("button", { type: "button", onclick: () => goTo(problem) }, problemText(problem))))),
        ]));
        if (placed.length > 0) goTo(placed[0]);
    }

    return {
        element: make("div", { class: "schema-editor" }, make("div", { class: "panel sheet" }, numbers,
            make("div", { class: "page" }, marks, area)), list),
        area, show,
        read: () => area.value,
        write(text) {
            area.value = text;
            show([]);
            area.setSelectionRange(0, 0);
            area.scrollTop = 0;
            follow();
        },
    };
}
