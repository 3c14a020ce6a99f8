// Code for the records of a type: in curl, Swift and JavaScript, with its fields and the database of the page.

import { introduce, make, freshID } from "../dom.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { languages, snippets, tasks } from "../snippets.js";
import { t, tp } from "../words.js";
import { apiTabs } from "./api-tabs.js";
import { codeBlock } from "./code-block.js";

const titles = {
    create: t("Create a record"), change: t("Change it"), list: t("List records"), query: t("Query"), upload: t("Upload a file"),
    delete: t("Delete it"),
};
const setups = { curl: t("Once: the token"), swift: t("Once: model, server and database"), javascript: t("Once: the token") };
/** User records are created and deleted with their accounts. */
const withoutAccounts = new Set(["create", "delete"]);

/** The names of fields that have an index which finds values. */
function indexed(type) {
    const marked = Object.entries(type.fields).filter(([, { indexes = [] }]) => indexes.some((mark) => mark !== "SEARCHABLE"));
    return new Set([...marked.map(([name]) => name), ...type.indexes.map(({ fields }) => fields?.[0]?.replace(/^-/, ""))]);
}

function context(typeName) {
    const environment = scope.environment();
    const type = schema.type(typeName);
    return {
        type: typeName, fields: schema.fields(typeName), indexed: indexed(type), needsList: type.aclRequired && type.acl === null, isProduction: environment === "production",
        url: location.origin + scope.base, scope: { ...scope.current(), ...(environment === null ? {} : { environment }) },
    };
}

function sections(typeName, language) {
    const code = snippets(language, context(typeName));
    const shown = tasks.filter((task) => typeName !== "Users" || !withoutAccounts.has(task));
    const all = [["setup", setups[language]], ...shown.map((task) => [task, titles[task]])];
    return all.filter(([key]) => code[key] !== null).map(([key, title]) => make("section", { "aria-label": title },
        make("h2", {}, title), codeBlock(title, code[key])));
}

/** A link if the caller may enter the room, else its name. */
function roomLink(right, href, title) {
    return session.covers(right) ? make("a", { href }, title) : title;
}

/** Where tokens come from. */
function tokenNote() {
    return make("span", {}, tp("Scripts and servers use a token from {keys}; a user’s app gets its token with POST /sessions.",
        { keys: roomLink("manageKeys", "#/keys", t("Keys")) }));
}

function originNote() {
    return make("span", {}, tp("Pages of other origins reach the server only if the setting {setting} names their origin.",
        { setting: roomLink("readSettings", "#/settings?search=cors.origins", "cors.origins") }));
}

export async function show({ signal, show: draw }, names, query) {
    await schema.load({ signal });
    const heading = make("h1", {}, t("API"));
    const types = schema.all().map(({ name }) => name);
    const typeName = types.includes(query.get("type")) ? query.get("type") : types[0];
    const language = languages.some(([key]) => key === query.get("language")) ? query.get("language") : languages[0][0];
    const head = make("div", { class: "page-head" }, heading, apiTabs("code"));
    if (typeName === undefined) {
        draw(head, make("div", { class: "empty" }, make("p", { class: "lead" }, t("No types yet.")),
            make("p", {}, t("With the first type there is code for its records here."))));
        introduce(heading);
        return;
    }
    const id = freshID("type");
    const address = (type, key) => router.address(["api", "code"], { type, language: key });
    const select = make("select", { id, onchange: () => router.go(address(select.value, language)) },
        types.map((name) => make("option", { value: name }, name)));
    select.value = typeName;
    draw(head,
        make("div", { class: "code-choice" }, make("div", {}, make("label", { for: id }, t("Type")), select),
            make("nav", { class: "tabs", "aria-label": t("Language of the code") }, languages.map(([key, title]) => make("a", {
                href: address(typeName, key), "aria-current": key === language ? "page" : null,
            }, title)))),
        make("p", { class: "note" },
            t("The code works in the database that the header shows, on a record with the name “example”, one part after the other."),
            language === "swift" ? ` ${t("It needs the package FogbaseClient.")}` : "", " ", tokenNote(),
            language === "javascript" ? [" ", originNote()] : ""),
        make("div", { class: "code-parts" }, sections(typeName, language)));
    introduce(heading);
}
