// A text box for an account, which is entered by its name and is a record name in conditions and lists.

import * as api from "../api.js";
import { freshID, make } from "../dom.js";
import * as users from "../users.js";
import { t } from "../words.js";

const patience = 250; // milliseconds between the last key and the request
const mostOffered = 500;

/**
 * `value` is a record name or empty. `changed(recordName)` gets an empty text while the input is no account. `further` are more names
 * that the box accepts, as `[[value, title]]`. `settled()` waits until the name is looked up, and returns the record name.
 */
export function userInput({ id = freshID("user"), value, label, changed, further = [...users.others] }) {
    const listID = freshID("users");
    const choices = make("datalist", { id: listID });
    const note = make("span", { class: "note", role: "status", id: freshID("user-note") });
    const input = make("input", {
        type: "text", id, list: listID, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
        placeholder: t("account name"), "aria-label": label, "aria-describedby": note.id, value,
    });
    let known = new Map(further.map(([name, title]) => [title, name])); // what is typed → record name
    const values = further.map(([name]) => name);
    let current = value;
    let timer;
    let looking = Promise.resolve();

    function become(recordName, sentence = "") {
        note.textContent = sentence;
        note.className = sentence === "" ? "note" : "problem";
        if (recordName === current) return;
        current = recordName;
        changed(recordName);
    }
    function understand(text) {
        if (text === "") return "";
        if (users.isRecordName(text) || values.includes(text)) return text;
        return known.get(text);
    }
    async function lookUp(text) {
        try {
            const found = await users.find(text);
            if (input.value.trim() !== text) return;
            become(found ?? "", found === null ? t("No account here has the name “{name}”.", { name: text }) : "");
        } catch (error) {
            if (input.value.trim() !== text) return;
            become("", error instanceof api.Refusal && error.status === 403
                ? t("Your role does not cover looking up accounts. Enter the record name, which starts with _.") : error.message);
        }
    }
    /** Looks up what is typed, unless it is known. */
    function follow(isNow) {
        const text = input.value.trim();
        const found = understand(text);
        clearTimeout(timer);
        input.removeAttribute("aria-invalid");
        if (found !== undefined) {
            become(found);
            return;
        }
        become("");
        const begin = () => { looking = lookUp(text); };
        if (isNow) begin();
        else timer = setTimeout(begin, patience);
    }
    input.addEventListener("input", () => follow(false));
    input.addEventListener("focus", async () => {
        if (choices.childElementCount > 0) return;
        const accounts = await users.accounts().catch(() => new Map());
        known = new Map([...known, ...[...accounts].map(([recordName, name]) => [name, recordName])]);
        choices.replaceChildren(...[...known.keys()].slice(0, mostOffered).map((name) => make("option", { value: name })));
    });
    if (value !== "") {
        users.nameOf(value).then((name) => {
            if (name === null || input.value !== value) return;
            known.set(name, value);
            input.value = name;
        });
    }
    return {
        element: make("div", { class: "user-input" }, input, choices, note), control: input,
        async settled() {
            if (understand(input.value.trim()) === undefined && current === "") follow(true);
            await looking;
            return current;
        },
        /** Whether what is typed is no account. Then the box is marked and gets the focus. */
        refuses() {
            if (input.value.trim() === "" || current !== "") return false;
            input.setAttribute("aria-invalid", "true");
            input.focus();
            return true;
        },
    };
}
