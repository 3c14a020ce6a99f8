// A form that sends a request of one route with the session of the console, and shows the response.

import * as api from "../api.js";
import { freshID, make, whileBusy } from "../dom.js";
import * as json from "../json.js";
import * as openapi from "../openapi.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import { sizeText } from "../sizes.js";
import { shell } from "../snippets.js";
import { number, t, tp } from "../words.js";
import { codeBlock } from "./code-block.js";
import { ask } from "./dialog.js";
import { problemBox } from "./problem.js";

/** Of a longer response, only the beginning is shown. */
const longestShown = 200_000;
const reading = new Set(["GET", "HEAD", "OPTIONS"]);

/** An input for a parameter; a choice for enumerations and Booleans. */
function control(parameter, id) {
    const { name, schema: about = {} } = parameter;
    const options = about.enum ?? (about.type === "boolean" ? ["true", "false"] : about.const === undefined ? null : [about.const]);
    const initial = parameter.in === "query" ? scope.current()[name] ?? "" : "";
    const described = `${id}-note`;
    if (options === null) {
        return make("input", {
            id, type: "text", class: "code", value: initial, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
            "aria-describedby": described, "aria-required": parameter.required === true ? "true" : null,
            placeholder: about.default === undefined ? null : String(about.default),
            list: name === "type" && parameter.in === "path" ? typeList() : null,
        });
    }
    const select = make("select", { id, "aria-describedby": described },
        ["", ...options].map((value) => make("option", { value: String(value) }, String(value))));
    select.value = initial;
    return select;
}

/** The id of the list of type names, which all inputs share. */
function typeList() {
    const id = "api-types";
    document.getElementById(id)?.remove();
    document.body.append(make("datalist", { id }, schema.all().map(({ name }) => make("option", { value: name }))));
    return id;
}

function parameterField(parameter) {
    const id = freshID("parameter");
    const input = control(parameter, id);
    return { parameter, input, element: make("div", { class: "parameter" },
        make("label", { for: id }, make("span", { class: "code" }, parameter.name), parameter.required === true ? " *" : "",
            make("span", { class: "note" }, ` ${parameter.in}`)),
        input, make("p", { class: "note", id: `${id}-note` }, parameter.description ?? "")) };
}

/** Inputs for the body; `read()` returns `{body, mediaType}`, with `mediaType` undefined for forms. */
function bodyInputs(description, operation) {
    // The description of the upload has no body, as it may have any type.
    const contents = operation.body?.contents ?? (operation.key === "POST /assets" ? [{ mediaType: "file" }] : []);
    if (contents.length === 0) return null;
    const [id, typeID] = [freshID("body"), freshID("media")];
    const place = make("div", {});
    const select = make("select", { id: typeID, onchange: fill },
        contents.map(({ mediaType }) => make("option", { value: mediaType }, mediaType)));
    let read;

    function fill() {
        const { mediaType, schema: about } = contents.find((each) => each.mediaType === select.value);
        const isFile = mediaType === "file" || mediaType.includes("octet-stream");
        if (isFile || mediaType === "multipart/form-data") {
            const file = make("input", { id, type: "file" });
            const name = make("input", { type: "text", class: "code", "aria-label": t("Name of the field"), placeholder: t("Name of the field") });
            place.replaceChildren(...[make("label", { for: id }, t("File")), file, isFile ? null : name].filter((each) => each !== null));
            read = () => {
                const [chosen] = file.files;
                if (isFile) return { body: chosen, mediaType: mediaType === "file" ? chosen?.type || "application/octet-stream" : mediaType };
                const form = new FormData();
                if (chosen !== undefined) form.append(name.value.trim() || "file", chosen);
                return { body: form };
            };
            return;
        }
        const isJSON = mediaType === "application/json";
        const area = make("textarea", {
            id, class: "code", rows: "6", spellcheck: "false", autocapitalize: "off",
            value: isJSON ? json.stringify(openapi.example(description, about), 2) : "",
        });
        place.replaceChildren(make("label", { for: id }, t("Body")), area);
        read = () => ({ body: area.value === "" ? undefined : area.value, mediaType });
    }
    fill();
    return {
        element: make("div", { class: "request-body" }, contents.length === 1 ? null
            : make("div", {}, make("label", { for: typeID }, t("Content type")), select), place),
        read: () => read(),
    };
}

/** The request as a command, with a token instead of the session. */
function command(method, address, headers, body) {
    // With -X HEAD, curl waits for a body that does not come.
    const verb = method === "GET" ? "" : method === "HEAD" ? " --head" : ` -X ${method}`;
    const sent = typeof body === "string" ? [`--data-raw ${shell(body)}`]
        : body instanceof Blob ? [`--data-binary ${shell(`@${body.name}`)}`]
        : body instanceof FormData ? [...body].map(([name, value]) => `-F ${shell(`${name}=${value instanceof Blob ? `@${value.name}` : value}`)}`)
        : [];
    return [`curl${verb} ${shell(address)}`, '-H "Authorization: Bearer $TOKEN"',
        ...Object.entries(headers).map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`), ...sent].join(" \\\n  ");
}

function bodyView(response) {
    if (response.size === 0) return make("p", { class: "note" }, t("The response has no body."));
    if (response.text === null) return make("p", { class: "note" }, t("{size} of other content than text", { size: sizeText(response.size) }));
    let { text } = response;
    try {
        text = json.stringify(json.parse(text), 2);
    } catch (error) {
        if (!(error instanceof json.JSONProblem)) throw error;
    }
    return [codeBlock(t("Body of the response"), text.slice(0, longestShown)), text.length <= longestShown ? null
        : make("p", { class: "note" }, t("The rest is left out: it has {count} characters.", { count: text.length }))];
}

function responseView(response, request) {
    const isGood = response.status < 400;
    return [make("p", { class: "response-line", role: "status" },
        make("strong", { class: isGood ? "status" : "status alarm" }, String(response.status)), " ",
        t("in {time} ms, {size}", { time: number(response.milliseconds, { maximumFractionDigits: 0 }), size: sizeText(response.size) })),
    make("details", {}, make("summary", {}, t("Headers")), codeBlock(t("Headers of the response"),
        response.headers.map(([name, value]) => `${name}: ${value}`).join("\n"))),
    bodyView(response),
    make("details", {}, make("summary", {}, t("The request for curl")), codeBlock(t("The request for curl"), request))];
}

/** Routes that change much at once, or what cannot be brought back, also from development. */
const grave = /^\/(schema|query|grants|administrators|backup)(\/|$)/;

/** Asks before a deletion, before a grave change, and in production before each change. */
async function maySend(method, path) {
    const isSearch = method === "POST" && (path === "/query" || path.startsWith("/explain"));
    const isProduction = scope.environment() === "production";
    if (reading.has(method) || isSearch || method !== "DELETE" && !grave.test(path) && !isProduction) return true;
    const answer = await ask({
        title: isProduction ? t("Send this to production?") : method === "DELETE" ? t("Delete this?") : t("Send this?"),
        content: make("p", {}, tp("{request} is carried out with your rights.", {
            request: make("strong", { class: "code" }, `${method} ${path}`),
        })),
        choices: [
            { value: "cancel", title: t("Cancel"), isFirst: true },
            { value: "send", title: t("Send it"), kind: "danger" },
        ],
    });
    return answer === "send";
}

export function requestForm(description, operation, signal) {
    const order = ({ name, in: place }) => (place === "path" ? 0 : scope.keys.includes(name) ? 2 : 1);
    const fields = [...operation.parameters].sort((one, other) => order(one) - order(other)).map(parameterField);
    const [main, more] = [fields.filter(({ parameter }) => order(parameter) < 2), fields.filter(({ parameter }) => order(parameter) === 2)];
    const body = bodyInputs(description, operation);
    const problem = make("p", { class: "problem", role: "alert" });
    const result = make("div", { class: "response" });
    const button = make("button", { type: "submit", class: "primary" }, t("Try it"));

    async function send() {
        const value = ({ input }) => input.value.trim();
        const empty = fields.find((field) => field.parameter.in === "path" && ["", ".", ".."].includes(value(field)));
        problem.textContent = empty === undefined ? "" : t("Fill in {name}.", { name: empty.parameter.name });
        if (empty !== undefined) {
            empty.input.focus();
            return;
        }
        const of = (place) => fields.filter((field) => field.parameter.in === place && value(field) !== "")
            .map((field) => [field.parameter.name, value(field)]);
        const path = openapi.pathOf(operation, Object.fromEntries(of("path")));
        const { body: content, mediaType } = body?.read() ?? {};
        const isTyped = content !== undefined && mediaType !== undefined;
        const headers = { ...Object.fromEntries(of("header")), ...(isTyped ? { "Content-Type": mediaType } : {}) };
        if (!(await maySend(operation.method, path))) return;
        const parameters = new URLSearchParams(of("query")).toString();
        const address = location.origin + scope.base + path + (parameters === "" ? "" : `?${parameters}`);
        try {
            const response = await api.exchange(operation.method, path, { query: of("query"), headers, body: content, signal });
            const view = responseView(response, command(operation.method, address, headers, content));
            result.replaceChildren(...view.flat().filter((each) => each !== null));
        } catch (error) {
            if (!signal.aborted) result.replaceChildren(problemBox(error));
        }
    }
    return make("form", { class: "request", novalidate: true, "aria-label": `${operation.method} ${operation.path}`, onsubmit(event) {
        event.preventDefault();
        whileBusy(button, send);
    } },
    main.length === 0 ? null : make("div", { class: "parameters" }, main.map(({ element }) => element)),
    more.length === 0 ? null : make("details", {}, make("summary", {}, t("Database")),
        make("div", { class: "parameters" }, more.map(({ element }) => element))),
    body?.element, make("p", { class: "actions" }, button), problem, result);
}
