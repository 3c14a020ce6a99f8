import * as api from "../api.js";
import { freshID, make } from "../dom.js";
import * as router from "../router.js";
import * as searches from "../search.js";
import { problemBox } from "./problem.js";

function box(id, label, value, placeholder, noteID) {
    return make("div", {}, make("label", { for: id }, label), make("input", {
        id, type: "text", class: "code", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
        placeholder, value, "aria-describedby": noteID,
    }));
}

function choice(title, isChecked) {
    const id = freshID("choice");
    return make("span", { class: "choice" },
        make("input", { id, type: "checkbox", checked: isChecked }), make("label", { for: id }, title));
}

/** The condition with the place that the server complains of. At the end of the text the mark is an empty place. */
function markedText(text, [start, end]) {
    return make("pre", { class: "marked", "aria-label": "Where the condition could not be read" },
        text.slice(0, start),
        make("mark", {}, start === end ? " " : text.slice(start, end)),
        text.slice(end));
}

/**
 * The form above the records: a condition, a sort, and what to tell besides. `explain(error)` shows why the server would
 * not answer, with the place in the condition; `actions` are further buttons.
 */
export function searchForm(typeName, search, actions) {
    const whereID = freshID("where");
    const sortID = freshID("sort");
    const noteID = freshID("search-note");
    const where = box(whereID, "Where", search.where, "good > 3 AND title BEGINSWITH 'sea'", noteID);
    const sort = box(sortID, "Sort", search.sort, "-createdTimestamp", noteID);
    const input = where.querySelector("input");
    const count = choice("Count all", search.count);
    const explain = choice("Show the plan", search.explain);
    const problem = make("div", {});
    const isChecked = (element) => element.querySelector("input").checked;

    function submit(event) {
        event.preventDefault();
        router.go(searches.address(typeName, {
            where: input.value.trim(), sort: sort.querySelector("input").value.trim(),
            count: isChecked(count), explain: isChecked(explain),
        }));
    }
    const form = make("form", { class: "panel search", role: "search", "aria-label": `Find records of ${typeName}`, onsubmit: submit },
        make("div", { class: "boxes" }, where, sort),
        make("p", { class: "note", id: noteID },
            "Conditions as in NSPredicate; sort by fields with commas between, - in front for descending."),
        make("p", { class: "actions" },
            make("button", { type: "submit", class: "primary" }, "Find"),
            searches.isPlain(search) ? null : make("a", { class: "button quiet", href: searches.address(typeName) }, "Clear"),
            count, explain, actions));

    return {
        element: make("div", {}, form, problem),
        explain(error, furtherActions = []) {
            const details = error instanceof api.Refusal ? error.details : undefined;
            const marked = searches.place(search.where, details);
            const sentence = problemBox(error, furtherActions);
            if (marked !== null) {
                sentence.querySelector(".reason").after(markedText(search.where, marked));
                input.setAttribute("aria-invalid", "true");
            }
            problem.replaceChildren(sentence);
            if (marked === null) {
                sentence.focus({ preventScroll: true });
            } else {
                input.focus();
                input.setSelectionRange(...marked);
            }
            sentence.scrollIntoView({ block: "nearest" });
        },
    };
}
