// An input for the name of an account, with suggestions while one types.

import * as accounts from "../accounts.js";
import { freshID, make } from "../dom.js";
import { t } from "../words.js";

const mostSuggestions = 20;

/**
 * The input with its label: `{element, input, find}`. `others` are further texts that it takes, `[{value, title}]`. `find()` returns the
 * account, `{other: value}`, or `null` after it has said what is wrong.
 */
export function accountInput({ label, value = "", others = [], placeholder = "ada", signal }) {
    const id = freshID("user");
    const options = make("datalist", { id: `${id}-names` });
    const problem = make("p", { class: "problem", id: `${id}-problem`, role: "alert" });
    const input = make("input", {
        id, type: "text", list: options.id, autocomplete: "off", autocapitalize: "off", spellcheck: "false", value, placeholder,
        "aria-describedby": problem.id, onfocus: suggest, oninput: () => {
            clear();
            suggest();
        },
    });
    let asked = 0;

    function clear() {
        problem.textContent = "";
        input.removeAttribute("aria-invalid");
    }
    async function suggest() {
        asked += 1;
        const mine = asked;
        const text = input.value.trim();
        let found;
        try {
            found = await accounts.suggest(text, mostSuggestions);
        } catch {
            return; // A whole name is found without suggestions.
        }
        if (mine !== asked || signal?.aborted) return;
        const wanted = text.toLowerCase();
        const more = others.filter((each) => `${each.value} ${each.title}`.toLowerCase().includes(wanted)).slice(0, mostSuggestions);
        options.replaceChildren(...found.map(({ name, roles = [] }) => make("option", { value: name }, roles.join(", "))),
            ...more.map((each) => make("option", { value: each.value }, each.title)));
    }
    function refuse(sentence) {
        problem.textContent = sentence;
        input.setAttribute("aria-invalid", "true");
        input.focus();
        return null;
    }
    async function find() {
        clear();
        const text = input.value.trim();
        const other = others.find((each) => each.value === text);
        if (other !== undefined) return { other: other.value };
        if (text === "") return refuse(t("Enter the name of an account."));
        const found = await accounts.find(text, signal);
        if (found !== null) return found;
        const similar = await accounts.suggest(text, 3).catch(() => []);
        return refuse(similar.length === 0 ? t("No account here has the name “{name}”.", { name: text })
            : t("No account here has the name “{name}”. Similar: {names}", {
                name: text, names: similar.map((each) => each.name).join(", "),
            }));
    }
    return { element: make("div", { class: "account-input" }, make("label", { for: id }, label), input, options, problem), input, find };
}

/** The part of `principalInput` for an account: `{element, find, clear}`. */
export function accountPart({ signal } = {}) {
    const who = accountInput({ label: t("Name of the account"), signal });
    return {
        element: who.element,
        find: async () => (await who.find())?.userRecordName ?? null,
        clear() {
            who.input.value = "";
            if (!who.element.hidden) who.input.focus();
        },
    };
}

/** An account for people: its name, or the record name of one without a name. */
export function accountTitle(account) {
    return accounts.hasName(account) ? account.name : account.userRecordName;
}
