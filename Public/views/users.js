// The accounts: by name, in the order of their creation, a page at a time.

import * as accounts from "../accounts.js";
import { localText } from "../dates.js";
import { announce, freshID, introduce, make } from "../dom.js";
import * as api from "../api.js";
import * as places from "../places.js";
import * as router from "../router.js";
import * as routes from "../security/routes.js";
import * as session from "../session.js";
import { sizeText } from "../sizes.js";
import * as users from "../users.js";
import { number, t, tn } from "../words.js";
import { ask } from "./dialog.js";
import { problemBox, showProblem } from "./problem.js";
import { accountTitle } from "./account-input.js";
import { columnTable } from "./table.js";

const pageSize = 50;
const shortestPassword = 8;

function address(search, page = 1) {
    return router.address(["users"], { ...(search === "" ? {} : { search }), ...(page > 1 ? { page: String(page) } : {}) });
}

/** The state of an account for people; an empty string if there is nothing to say. */
export function stateText({ disabled, disabledTimestamp, isAnonymous }) {
    return [isAnonymous === true ? t("without a name") : "", disabled !== true ? ""
        : disabledTimestamp === undefined ? t("disabled") : t("disabled since {time}", { time: localText(disabledTimestamp) })]
        .filter((each) => each !== "").join(", ");
}

function row(account) {
    const roles = (account.roles ?? []).join(", ");
    return make("tr", {},
        make("th", { scope: "row" }, make("a", {
            href: accounts.address(account), title: account.userRecordName, class: accounts.hasName(account) ? null : "code",
        }, accountTitle(account))),
        make("td", { "data-title": t("Roles"), title: roles || null }, roles === "" ? null : make("span", { class: "value" }, roles)),
        make("td", { "data-title": t("Created"), class: "moment" }, localText(account.createdTimestamp)),
        make("td", { "data-title": t("State") },
            make("span", { class: account.disabled === true ? "state alarm" : "state" }, stateText(account))));
}

function table(list) {
    return columnTable({
        label: t("Accounts"), body: make("tbody", {}, list.map(row)),
        columns: [{ title: t("Name"), min: 8 }, { title: t("Roles") }, { title: t("Created"), solid: true, priority: 1 }, { title: t("State") }],
    });
}

function pager(page, hasNext, count) {
    const step = (title, to, relation) => (to === null ? make("span", { class: "button", "aria-disabled": "true" }, title)
        : make("a", { class: "button", rel: relation, href: address("", to) }, title));
    return make("nav", { class: "pager", "aria-label": t("Pages") },
        step(t("← Previous"), page > 1 ? page - 1 : null, "prev"),
        make("span", {}, t("Page {page}, {accounts}", { page, accounts: tn("{count} account", "{count} accounts", count) })),
        step(t("Next →"), hasNext ? page + 1 : null, "next"));
}

/** Accounts for a search: the one with exactly this name, then those whose names begin with it. */
async function search(text, signal) {
    const [exact, similar] = await Promise.all([accounts.find(text, signal), accounts.suggest(text, pageSize)]);
    return [...(exact === null ? [] : [exact]), ...similar.filter((each) => each.userRecordName !== exact?.userRecordName)];
}

/** The form of a new account in a dialog: `{name, password}`, or `null`. `before` is what was wrong last time: `{name, sentence}`. */
async function askForAccount(before) {
    const [nameID, passwordID] = [freshID("name"), freshID("password")];
    const problem = make("p", { class: "problem", role: "alert", id: `${nameID}-problem` }, before?.sentence ?? "");
    const name = make("input", {
        id: nameID, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", autofocus: true, placeholder: "ada",
        value: before?.name ?? "", "aria-describedby": problem.id,
    });
    const password = make("input", { id: passwordID, type: "password", autocomplete: "new-password" });
    const isValid = () => {
        const [sentence, control] = name.value.trim() === "" ? [t("Enter a name."), name]
            : new TextEncoder().encode(password.value).length < shortestPassword
                ? [t("A password has at least 8 bytes."), password] : ["", null];
        problem.textContent = sentence;
        control?.focus();
        return sentence === "";
    };
    const answer = await ask({
        title: t("New account"),
        content: (close) => make("form", { class: "account-form", novalidate: true, onsubmit: (event) => {
            event.preventDefault();
            if (isValid()) close("create");
        } },
        make("label", { for: nameID }, t("Name")), name, make("label", { for: passwordID }, t("First password")), password, problem,
        make("p", { class: "note" }, t("You know this password: let the user set another one.")),
        make("button", { type: "submit", class: "visually-hidden", tabindex: "-1" }, t("Create the account"))),
        choices: [
            { value: "create", title: t("Create the account"), kind: "primary", allow: isValid },
            { value: "cancel", title: t("Cancel"), kind: "quiet" },
        ],
    });
    return answer === "create" ? { name: name.value.trim(), password: password.value } : null;
}

/** What an account stores, or all accounts together, in a sentence with these blanks. */
export function usageText(sentence, { records, bytes, assetBytes, limits = {} }) {
    const of = (value, limit, text) => (limit === undefined ? text(Number(value)) : t("{used} of {limit}", {
        used: text(Number(value)), limit: text(Number(limit)),
    }));
    return sentence({
        records: of(records, limits.records, number), bytes: of(bytes, limits.bytes, sizeText),
        files: of(assetBytes, limits.assetBytes, sizeText),
    });
}

export async function show({ signal, show: draw, isOver }, _, query) {
    const wanted = (query.get("search") ?? "").trim();
    const trail = places.trail("users");
    const asked = Number(query.get("page") ?? 1);
    const page = Number.isInteger(asked) && asked >= 1 && asked <= trail.length ? asked : 1;
    if (wanted === "" && page !== asked) router.correct(address(""));
    const heading = make("h1", {}, t("Accounts"));
    const [problem, usage] = [make("div", {}), make("p", { class: "note" })];
    const input = make("input", {
        type: "search", class: "list-filter", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value: wanted,
        "aria-label": t("Find accounts by the beginning of the name"), placeholder: t("Find by name"), oninput: find,
    });
    const list = make("div", {});
    let turn = 0;

    function drawSearch(text, found) {
        list.replaceChildren(found.length === 0 ? make("div", { class: "empty" }, make("p", { class: "lead" }, t("Nothing was found.")),
            make("p", {}, t("No account here has the name “{name}”.", { name: text }))) : table(found));
    }
    /** Searches while one types; the text is in the URL, so that a reload and going back keep it. */
    async function find() {
        turn += 1;
        const mine = turn;
        const text = input.value.trim();
        router.correct(address(text));
        try {
            const found = text === "" ? null : await search(text, signal);
            if (mine !== turn || signal.aborted) return;
            if (found === null) await drawPage(1);
            else drawSearch(text, found);
            problem.replaceChildren();
        } catch (error) {
            if (mine === turn && !signal.aborted) problem.replaceChildren(problemBox(error));
        }
    }
    async function drawPage(number) {
        const mine = turn;
        const cursor = trail[number - 1];
        const answer = await api.users({ limit: String(pageSize), ...(cursor === null ? {} : { cursor }) }, { signal });
        if (mine !== turn) return;
        trail.length = number;
        if (typeof answer.cursor === "string") trail.push(answer.cursor);
        places.save();
        list.replaceChildren(answer.users.length === 0 && number === 1 ? make("div", { class: "empty" },
            make("p", { class: "lead" }, t("No accounts yet.")),
            make("p", {}, t("Users sign up in your app, or you create their accounts here.")))
            : table(answer.users), pager(number, answer.cursor !== undefined, answer.users.length));
    }
    async function create(before) {
        const account = await askForAccount(before);
        if (account === null) return;
        try {
            const user = await routes.createUser(account.name, account.password);
            users.forget();
            announce(t("Created."), { isCarried: true });
            if (!isOver()) router.go(accounts.address(user));
        } catch (error) {
            if (isOver()) return;
            // A name that is taken or not allowed can be corrected in the form.
            if (error instanceof api.Refusal && [400, 409].includes(error.status)) await create({ ...account, sentence: error.message });
            else showProblem(problem, error);
        }
    }
    if (wanted === "") await drawPage(page);
    else drawSearch(wanted, await search(wanted, signal));
    draw(make("div", { class: "page-head" }, heading, input, session.covers("manageUsers") ? make("p", { class: "actions" },
        make("button", { type: "button", class: "primary", onclick: () => create() }, t("New account"))) : null),
    make("p", { class: "note" }, t("The people who use your apps. The record type Users has a record for each of them.")),
    problem, list, usage);
    introduce(heading);
    routes.usage(signal).then((used) => {
        if (used !== undefined && !signal.aborted) {
            usage.textContent = usageText((parts) => t("All accounts together store {records} (records), {bytes} (fields) and {files} (files).", parts), used);
        }
    }, () => {}); // The page does without it.
}
