import * as api from "../api.js";
import { freshID, make } from "../dom.js";
import * as router from "../router.js";
import * as searches from "../search.js";
import * as schema from "../schema.js";
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

/** An example of a condition for this type. */
function example(typeName) {
    const fields = [...schema.fields(typeName)];
    const of = (...types) => fields.find(([, type]) => types.includes(type))?.[0];
    const [number, text] = [of("INT64", "DOUBLE"), of("STRING")];
    const parts = [number === undefined ? null : `${number} > 3`, text === undefined ? null : `${text} BEGINSWITH 'a'`];
    return parts.filter((part) => part !== null).join(" AND ") || "recordName == 'a'";
}

/** The range of a sort text in which the server found an error, as `[start, end]`; the whole text if it does not say. */
function sortPlace(text, { details, message }) {
    if (text === "" || details?.offset !== undefined) return null;
    const field = details?.field;
    const start = typeof field === "string" ? text.search(new RegExp(`(?<![A-Za-z0-9_])${field}(?![A-Za-z0-9_])`)) : -1;
    if (start >= 0) return [start, start + field.length];
    return /^A sort /.test(message) ? [0, text.length] : null;
}

/** The condition with the error marked. An error at the end of the text is marked with an empty range. */
function markedText(text, [start, end]) {
    return make("pre", { class: "marked", "aria-label": "Where the condition could not be read" },
        text.slice(0, start),
        make("mark", {}, start === end ? " " : text.slice(start, end)),
        text.slice(end));
}

/**
 * The form above the records: words if the type has searchable fields, a condition, a sort, and what else to show. `actions` are
 * further buttons. `current()` returns the search as it is in the form. `explain(error)` shows why the server rejected the query,
 * with the position in the condition or sort, and nothing for `null`.
 */
export function searchForm(typeName, search, actions) {
    const wordsID = freshID("words");
    const whereID = freshID("where");
    const sortID = freshID("sort");
    const noteID = freshID("search-note");
    const isSearchable = Object.values(schema.type(typeName).fields)
        .some(({ indexes }) => (indexes ?? []).includes("SEARCHABLE"));
    const words = isSearchable || search.words !== ""
        ? box(wordsID, "Words", search.words, "red bell*", noteID) : null;
    words?.classList.add("words");
    const where = box(whereID, "Where", search.where, example(typeName), noteID);
    const sort = box(sortID, "Sort", search.sort, "-createdTimestamp", noteID);
    const input = where.querySelector("input");
    const sortInput = sort.querySelector("input");
    const count = choice("Count all", search.count);
    const explain = choice("Show the plan", search.explain);
    const problem = make("div", {});
    const isChecked = (element) => element.querySelector("input").checked;

    function current() {
        return {
            ...search, words: words?.querySelector("input").value.trim() ?? "", where: input.value.trim(),
            sort: sortInput.value.trim(), count: isChecked(count), explain: isChecked(explain),
        };
    }
    function submit(event) {
        event.preventDefault();
        router.go(searches.address(typeName, current()));
    }
    const form = make("form", { class: "panel search", role: "search", "aria-label": `Find records of ${typeName}`, onsubmit: submit },
        make("div", { class: "boxes" }, words, where, sort),
        make("p", { class: "note", id: noteID },
            words === null ? null : "Words: all of them, in any SEARCHABLE field; * for the rest of a word. ",
            "Conditions as in NSPredicate. Sort: field names separated by commas; - for descending."),
        make("p", { class: "actions" },
            make("button", { type: "submit", class: "primary" }, "Find"),
            searches.isPlain({ ...search, view: "" }) ? null
                : make("a", { class: "button quiet", href: searches.address(typeName, searches.cleared(search)) }, "Clear"),
            count, explain, actions));

    return {
        element: make("div", {}, form, problem),
        current,
        explain(error, furtherActions = []) {
            for (const each of [input, sortInput]) each.removeAttribute("aria-invalid");
            problem.replaceChildren();
            if (error === null) return;
            const refusal = error instanceof api.Refusal ? error : null;
            const marked = searches.place(search.where, refusal?.details, searches.conditionStart(search));
            const markedSort = refusal === null || marked !== null ? null : sortPlace(search.sort, refusal);
            const sentence = problemBox(error, furtherActions);
            if (marked !== null) {
                sentence.querySelector(".reason").after(markedText(search.where, marked));
                input.setAttribute("aria-invalid", "true");
            }
            problem.replaceChildren(sentence);
            if (marked !== null) {
                input.focus();
                input.setSelectionRange(...marked);
            } else if (markedSort !== null) {
                sortInput.setAttribute("aria-invalid", "true");
                sortInput.focus();
                sortInput.setSelectionRange(...markedSort);
            } else {
                sentence.focus({ preventScroll: true });
            }
            sentence.scrollIntoView({ block: "nearest" });
        },
    };
}
