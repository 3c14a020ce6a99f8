// Reads the OpenAPI document of the server: routes by group, parameters, and schemas of bodies as text and as an example.

const methods = ["get", "post", "put", "patch", "delete", "head", "options"];
const deepest = 6;

/** What a `$ref` refers to, or the object itself. */
export function resolved(document, part) {
    if (part?.$ref === undefined) return part;
    return part.$ref.replace(/^#\//, "").split("/").reduce((inside, key) => inside?.[key], document);
}

function contents(document, content = {}) {
    return Object.entries(content).map(([mediaType, { schema }]) => ({ mediaType, schema }));
}

/**
 * The routes in the order of the document: `[{key, id, method, path, group, summary, parameters: [{name, in, required, description,
 * schema}], body: {isRequired, contents: [{mediaType, schema}]} | null, responses: [{status, description, contents}]}]`.
 */
export function operations(document) {
    return Object.entries(document.paths).flatMap(([path, item]) => methods.filter((method) => item[method] !== undefined).map((method) => {
        const operation = item[method];
        const body = operation.requestBody;
        return {
            key: `${method.toUpperCase()} ${path}`, id: operation.operationId, method: method.toUpperCase(), path,
            group: operation.tags?.[0] ?? "", summary: operation.summary ?? "",
            parameters: (operation.parameters ?? []).map((each) => resolved(document, each)),
            body: body === undefined ? null : { isRequired: body.required === true, contents: contents(document, body.content) },
            responses: Object.entries(operation.responses).map(([status, each]) => {
                const response = resolved(document, each);
                return { status, description: response.description ?? "", contents: contents(document, response.content) };
            }),
        };
    }));
}

/** The routes that have all these words in method, path, name, group, summary or the name of a parameter. */
export function search(list, text) {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
    return list.filter((operation) => {
        const { id, method, path, group, summary, parameters } = operation;
        const place = [id, method, path, group, summary, ...parameters.map(({ name }) => name)].join(" ").toLowerCase();
        return words.every((word) => place.includes(word));
    });
}

/** The routes by their group, in the order in which the groups appear. */
export function groups(list) {
    const found = new Map();
    for (const operation of list) found.set(operation.group, [...found.get(operation.group) ?? [], operation]);
    return found;
}

/** The path of a request: `values` are those of the parameters in it. */
export function pathOf({ path }, values) {
    return path.replace(/\{(\w+)\}/g, (all, name) => encodeURIComponent(values[name] ?? ""));
}

function limits({ minimum, maximum, maxLength, maxItems, pattern }) {
    return [
        minimum === undefined ? "" : `≥ ${minimum}`, maximum === undefined ? "" : `≤ ${maximum}`,
        maxLength === undefined ? "" : `≤ ${maxLength} characters`, maxItems === undefined ? "" : `≤ ${maxItems} items`, pattern ?? "",
    ].filter((each) => each !== "").join(", ");
}

/** A schema as text: `{ name: string, scope?: { types?: string[] } }`, with a line for each key and its description as a comment. */
export function schemaText(document, schema, inset = "", names = []) {
    if (schema === undefined || schema === null) return "any";
    if (schema.$ref !== undefined) {
        const name = schema.$ref.split("/").at(-1);
        if (names.includes(name) || names.length >= deepest) return name;
        return schemaText(document, resolved(document, schema), inset, [...names, name]);
    }
    const inner = (part) => schemaText(document, part, inset, names);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) return choices.map(inner).join(" | ");
    if (schema.allOf !== undefined) return schema.allOf.map(inner).join(" & ");
    if (Array.isArray(schema.type)) return schema.type.join(" | ");
    if (schema.items !== undefined) {
        const items = inner(schema.items);
        return / [|&] /.test(items) && !items.startsWith("{") ? `(${items})[]` : `${items}[]`;
    }
    const properties = Object.entries(schema.properties ?? {});
    const others = schema.additionalProperties;
    if (properties.length === 0 && (others === undefined || typeof others === "boolean")) return schema.type ?? "any";
    const deeper = inset + "  ";
    const line = (key, part) => {
        const about = [part?.description, limits(resolved(document, part) ?? {})].filter((each) => each).join("; ");
        return `${deeper}${key}: ${schemaText(document, part, deeper, names)}${about === "" ? "" : `  // ${about}`}`;
    };
    const lines = properties.map(([key, part]) => line(schema.required?.includes(key) ? key : `${key}?`, part));
    if (others !== undefined && typeof others !== "boolean") lines.push(line("[name]", others));
    return `{\n${lines.join("\n")}\n${inset}}`;
}

/** A value with the required keys of a schema, to begin a body with. */
export function example(document, schema, depth = 0) {
    const part = resolved(document, schema);
    if (part === undefined || part === null || depth > deepest) return null;
    const given = part.default ?? part.examples?.[0] ?? part.const ?? part.enum?.[0];
    if (given !== undefined) return given;
    const choices = part.anyOf ?? part.oneOf;
    if (choices !== undefined) return example(document, choices[0], depth + 1);
    const type = Array.isArray(part.type) ? part.type[0] : part.type;
    switch (type) {
    case "string": return "";
    case "integer": case "number": return part.minimum ?? 0;
    case "boolean": return false;
    case "array": return [];
    case "object": case undefined: {
        const keys = part.required ?? Object.keys(part.properties ?? {}).slice(0, 1);
        return Object.fromEntries(keys.map((key) => [key, example(document, part.properties?.[key], depth + 1)]));
    }
    default: return null;
    }
}
