// The routes of the interface, from the server's own description, each with a form that sends a request.

import { freshID, introduce, make } from "../dom.js";
import * as openapi from "../openapi.js";
import * as operation from "../operation.js";
import * as router from "../router.js";
import { t, tn } from "../words.js";
import { apiTabs } from "./api-tabs.js";
import { codeBlock } from "./code-block.js";
import { requestForm } from "./try-request.js";

let description = null; // for this page load; it changes only with the server

const groups = {
    records: t("Records"), queries: t("Queries"), jobs: t("Jobs and schedules"), changes: t("Changes"), zones: t("Zones"),
    subscriptions: t("Subscriptions"), webhooks: t("Webhooks"), assets: t("Files"), accounts: t("Accounts"), schema: t("Schema"),
    rights: t("Permissions"), keys: t("Keys"), administration: t("Administration"), operation: t("Operation"), shares: t("Shares"),
};

function schemaBox(document, title, { mediaType, schema }) {
    const text = openapi.schemaText(document, schema);
    if (text === "any" || text === "object" || text === "string") return make("p", { class: "note code" }, mediaType);
    return make("details", {}, make("summary", {}, title, " ", make("span", { class: "code note" }, mediaType)), codeBlock(title, text));
}

/** What is behind the line of a route: its body, its responses, and the form. */
function content(document, each, signal) {
    const { body, responses } = each;
    return make("div", { class: "route-content" },
        body === null ? null : body.contents.map((part) => schemaBox(document, t("Body"), part)),
        make("dl", { class: "facts responses" }, responses.filter(({ status }) => status !== "default")
            .map(({ status, description: about }) => make("div", {}, make("dt", { class: "code" }, status), make("dd", {}, about)))),
        responses.flatMap(({ status, contents }) => contents.filter(({ schema }) => schema?.$ref !== undefined && status !== "default")
            .map((part) => schemaBox(document, t("Response {status}", { status }), part))),
        requestForm(document, each, signal));
}

function routeLine(document, each, signal, isOpen) {
    const line = make("details", { class: "route", "data-route": each.key, ontoggle: () => {
        if (line.open) fill();
    } }, make("summary", {},
        make("span", { class: `method ${each.method.toLowerCase()}` }, each.method), make("span", { class: "code path" }, each.path),
        make("span", { class: "note" }, each.summary)));
    function fill() {
        if (line.childElementCount === 1) line.append(content(document, each, signal));
    }
    if (isOpen) {
        line.open = true;
        fill();
    }
    return line;
}

export async function show({ signal, show: draw }, names, query) {
    description ??= await operation.description(signal);
    const document = description;
    const all = openapi.operations(document);
    const heading = make("h1", {}, t("API"));
    const [id, listed] = [freshID("find"), make("div", {})];
    const count = make("span", { class: "note", role: "status" });
    const wanted = query.get("route");
    const input = make("input", {
        id, type: "search", value: query.get("find") ?? "", placeholder: t("path, word or parameter"), autocomplete: "off",
        spellcheck: "false", "aria-label": t("Find a route"), oninput() {
            router.correct(router.address(["api"], input.value.trim() === "" ? {} : { find: input.value.trim() }));
            fill();
        },
    });
    const lines = new Map(all.map((each) => [each.key, routeLine(document, each, signal, each.key === wanted)]));

    function fill() {
        const found = openapi.search(all, input.value);
        count.textContent = tn("{count} route", "{count} routes", found.length);
        listed.replaceChildren(...[...openapi.groups(found)].map(([group, routes]) => make("section", {
            "aria-label": groups[group] ?? group,
        }, make("h2", {}, groups[group] ?? group), make("div", { class: "panel routes" }, routes.map((each) => lines.get(each.key))))));
        if (found.length === 0) listed.replaceChildren(make("div", { class: "empty" }, make("p", {}, t("No route has these words."))));
    }
    fill();
    draw(make("div", { class: "page-head" }, heading, apiTabs("routes"), make("div", { class: "route-search" }, input), count), listed);
    introduce(heading);
    if (wanted !== null) lines.get(wanted)?.scrollIntoView({ block: "start" });
}
