// Code for a type's records in curl, Swift and JavaScript, with the type's own fields and the database that the console shows.

import { field } from "./conditions.js";
import { t } from "./words.js";

/** So many fields are in an example. */
const mostFields = 6;
const example = "example";
const picture = "picture.jpg";

export const languages = [["curl", "curl"], ["swift", "Swift"], ["javascript", "JavaScript"]];

/** A value for each type: as JSON, another one for a change, and both in Swift. */
const values = {
    STRING: { json: "sea", other: "fog", swift: '"sea"', swiftOther: '"fog"', swiftType: "String" },
    INT64: { json: 3, other: 4, swift: "3", swiftOther: "4", swiftType: "Int" },
    DOUBLE: { json: 2.5, other: 3.5, swift: "2.5", swiftOther: "3.5", swiftType: "Double" },
    TIMESTAMP: {
        json: "2026-03-01T12:00:00Z", other: "2026-03-02T12:00:00Z", swift: "Date()", swiftOther: "Date()", swiftType: "Date",
    },
    BYTES: { json: "AQID", other: "BAUG", swift: "Data([1, 2, 3])", swiftOther: "Data([4, 5, 6])", swiftType: "Data" },
    LOCATION: {
        json: { latitude: 52.5, longitude: 13.4 }, other: { latitude: 48.1, longitude: 11.6 },
        swift: "Location(latitude: 52.5, longitude: 13.4)", swiftOther: "Location(latitude: 48.1, longitude: 11.6)", swiftType: "Location",
    },
    REFERENCE: {
        json: { recordName: "other", action: "NONE" }, other: { recordName: "another", action: "NONE" },
        swift: 'try Reference(to: "other")', swiftOther: 'try Reference(to: "another")', swiftType: "Reference",
    },
    ASSET: { swiftType: "Asset" },
};

const swiftWords = new Set(("associatedtype class deinit enum extension fileprivate func import init inout internal let open operator "
    + "private precedencegroup protocol public rethrows static struct subscript typealias var break case catch continue default defer do "
    + "else fallthrough for guard if in repeat return throw switch where while Any as await false is nil self Self super throws true try")
    .split(" "));
/** Names that a model would hide: those of Swift, Foundation and the client that the snippets or the macro use. */
const swiftTypes = new Set(("Any Array Asset Batch Bool Character Container Data Database Date Dictionary Double Error Field Fields Filter "
    + "Float Fogbase Int Int64 Location Optional Page Query Record Records Reference Result Search Set Share Stored String Subscription "
    + "Task Type URL UUID User Zone").split(" "));
/** What a stored record has beside the model's properties. */
const storedWords = new Set(["id", "metadata", "model", "recordType"]);

const isList = (type) => type.endsWith("_LIST");
const element = (type) => type.replace(/_LIST$/, "");
const json = (type, key = "json") => (isList(type) ? [values[element(type)][key]] : values[type][key]);
const swift = (type, key = "swift") => {
    if (!isList(type)) return values[type][key];
    const value = values[element(type)][key];
    return value.startsWith("try ") ? `try [${value.slice(4)}]` : `[${value}]`;
};

/** The names in Swift: of the model, and of the properties by field. */
export function swiftNames(type, fields) {
    const capital = type.replace(/^_+/, "");
    const plain = capital.charAt(0).toUpperCase() + capital.slice(1);
    const model = swiftTypes.has(plain) || swiftWords.has(plain) || plain === "" ? `${plain}Model` : plain;
    const isTaken = (name) => swiftWords.has(name) || storedWords.has(name);
    const properties = new Map([...fields.keys()].map((name) => {
        let property = name;
        while (isTaken(property) || property !== name && fields.has(property)) property += "Value";
        return [name, property];
    }));
    return { model, properties };
}

/** What the snippets say about: the fields that are written, the one that is searched, and the one with a file. */
function chosen({ fields, indexed, isProduction }) {
    const known = [...fields].filter(([, type]) => values[element(type)] !== undefined);
    const written = known.filter(([, type]) => element(type) !== "ASSET").slice(0, mostFields);
    const isSearchable = ([, type]) => ["STRING", "INT64", "DOUBLE", "TIMESTAMP", "STRING_LIST"].includes(type);
    const searched = known.find((each) => isSearchable(each) && indexed.has(each[0]))
        ?? (isProduction ? undefined : known.find(isSearchable));
    return { written, searched, changed: written[0], file: known.find(([, type]) => element(type) === "ASSET") };
}

/** A condition on a field: the predicate with its arguments, and the filter in Swift. */
function condition([key, type], property) {
    const name = field(key);
    switch (type) {
    case "INT64": return { where: `${name} BETWEEN {%d, %d}`, args: [1, 500], swift: `.filter(.${property}, in: 1...500)` };
    case "DOUBLE": return { where: `${name} BETWEEN {%f, %f}`, args: [0.5, 99.5], swift: `.filter(.${property}, in: 0.5...99.5)` };
    case "TIMESTAMP": return { where: `${name} < %@`, args: ["2030-01-01T00:00:00Z"], swift: `.filter(.${property}, lessThan: Date())` };
    case "STRING_LIST": return { where: `${name} CONTAINS %@`, args: ["sea"], swift: `.filter(.${property}, contains: "sea")` };
    default: return { where: `${name} == %@`, args: ["sea"], swift: `.filter(.${property}, equals: "sea")` };
    }
}

/** Whether a new record must come with an access list. Records of private databases have none. */
function isListed({ needsList = false, scope }) {
    return needsList && scope.database !== "private";
}

/** The access list of a new record, if it must come with one. Administrators and keys may use this one, too. */
function listOf(context) {
    return isListed(context) ? { acl: { "*": ["read"] } } : {};
}

/** A text in the single quotes of a shell. */
export function shell(text) {
    return `'${text.replace(/'/g, "'\\''")}'`;
}

/** The URL of a path in the scope, without characters that a shell or JavaScript would interpret in double quotes. */
function addressOf({ url, scope }, segments, query = {}) {
    const text = new URLSearchParams({ ...query, ...scope }).toString();
    return `${url}/${segments.map((each) => encodeURIComponent(each).replace(/'/g, "%27")).join("/")}${text === "" ? "" : `?${text}`}`;
}

const bearer = '-H "Authorization: Bearer $TOKEN"';

function curl(context) {
    const { type } = context;
    const { written, searched, changed, file } = chosen(context);
    const address = (segments, query) => `"${addressOf(context, segments, query)}"`;
    const record = ["records", type, example];
    const found = searched === undefined ? null : condition(searched, "");
    const where = found === null ? [] : [`--data-urlencode ${shell(`where=${found.where}`)}`,
        ...found.args.map((each) => `--data-urlencode ${shell(`arg=${JSON.stringify(each)}`)}`)];
    const body = (content) => `--json ${shell(JSON.stringify(content))}`;
    const lines = (...parts) => parts.join(" \\\n  ");
    return {
        setup: `export TOKEN=${shell(t("the token of a session, a key or an administrator"))}`,
        create: lines(`curl ${address(["records", type])}`, bearer,
            body({ recordName: example, fields: Object.fromEntries(written.map(([name, each]) => [name, json(each)])), ...listOf(context) })),
        change: changed === undefined ? null : lines(`curl -X PATCH ${address(record)}`, bearer,
            body({ fields: { [changed[0]]: json(changed[1], "other") } })),
        list: lines(`curl ${address(["records", type], { limit: "20" })}`, bearer),
        query: lines(`curl -G ${address(["query", type])}`, bearer, ...where, "-d 'sort=-createdTimestamp&limit=20'"),
        upload: file === undefined
            ? lines(`curl ${address(["assets"], { filename: picture })}`, bearer, "-H 'Content-Type: image/jpeg'", `--data-binary @${picture}`)
            : lines(`curl -X PATCH ${address(record)}`, bearer, `-F ${shell(`${file[0]}=@${picture}`)}`),
        delete: lines(`curl -X DELETE ${address(record)}`, bearer),
    };
}

function javascript(context) {
    const { type } = context;
    const { written, searched, changed, file } = chosen(context);
    const text = (value, indent) => JSON.stringify(value, null, indent);
    const address = (segments, query) => text(addressOf(context, segments, query));
    const record = ["records", type, example];
    const sent = (method, segments, content) => [
        `const response = await fetch(${address(segments)}, {`, `    method: "${method}",`,
        '    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },',
        ...(content === undefined ? [] : [`    body: JSON.stringify(${text(content, 4).replace(/\n/g, "\n    ")}),`]), "});",
        "if (!response.ok) throw new Error((await response.json()).reason);",
    ];
    const headers = "    headers: { Authorization: `Bearer ${token}` },";
    const found = searched === undefined ? {} : condition(searched, "");
    const query = { recordType: type, where: found.where, args: found.args, sort: "-createdTimestamp", limit: 20 };
    const uploaded = [
        'const [file] = document.querySelector("input[type=file]").files;',
        `const upload = await fetch(${address(["assets"], { filename: picture })}, {`, '    method: "POST",',
        "    headers: { Authorization: `Bearer ${token}`, \"Content-Type\": file.type },", "    body: file,", "});",
        "if (!upload.ok) throw new Error((await upload.json()).reason);", "const { asset } = await upload.json();",
    ];
    const filed = file === undefined ? ["console.log(asset.size);"] : [
        `const response = await fetch(${address(record)}, {`, '    method: "PATCH",',
        '    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },',
        `    body: JSON.stringify({ fields: { ${text(file[0])}: ${isList(file[1]) ? "[asset]" : "asset"} } }),`, "});",
        "if (!response.ok) throw new Error((await response.json()).reason);",
    ];
    const printed = [
        "const { records } = await response.json();", "for (const { recordName, fields } of records) console.log(recordName, fields);",
    ];
    return {
        setup: `const token = ${text(t("the token of a session, a key or an administrator"))};`,
        create: [...sent("POST", ["records", type], {
            recordName: example, fields: Object.fromEntries(written.map(([name, each]) => [name, json(each)])), ...listOf(context),
        }), "const record = await response.json();", "console.log(record.recordName);"].join("\n"),
        change: changed === undefined ? null : [...sent("PATCH", record, { fields: { [changed[0]]: json(changed[1], "other") } }),
            "const record = await response.json();", "console.log(record.fields);"].join("\n"),
        list: [`const response = await fetch(${address(["records", type], { limit: "20" })}, {`, headers, "});",
            "if (!response.ok) throw new Error((await response.json()).reason);", ...printed].join("\n"),
        query: [...sent("POST", ["query"], query), ...printed].join("\n"),
        upload: [...uploaded, ...filed].join("\n"),
        delete: sent("DELETE", record).join("\n"),
    };
}

/** A text as a literal in Swift. */
function literal(text) {
    return `"${text.replace(/[\\"]/g, (each) => `\\${each}`)}"`;
}

/** The expression for the database of the scope. */
function swiftDatabase({ scope }) {
    const container = [
        scope.container === undefined ? "" : literal(scope.container),
        scope.environment === undefined ? "" : `environment: .${scope.environment}`,
    ].filter((part) => part !== "").join(", ");
    const database = scope.database !== "private" ? "publicDatabase"
        : scope.owner === undefined ? "privateDatabase" : `privateDatabase(of: ${literal(scope.owner)})`;
    const whole = `fogbase.container(${container}).${database}`;
    return scope.zone === undefined ? whole : `try ${whole}.zone(${literal(scope.zone)})`;
}

function swiftModel({ type, fields }, { model, properties }) {
    const lines = [...fields].filter(([, each]) => values[element(each)] !== undefined).map(([name, each]) => {
        const mark = properties.get(name) === name ? "" : `@Field(${literal(name)}) `;
        const kind = values[element(each)].swiftType;
        return `    ${mark}var ${properties.get(name)}: ${isList(each) ? `[${kind}] = []` : `${kind}?`}`;
    });
    return [model === type ? "@RecordCodable" : `@RecordCodable(${literal(type)})`, `struct ${model} {`, ...lines, "}"].join("\n");
}

function swiftCode(context) {
    const names = swiftNames(context.type, context.fields);
    const { model, properties } = names;
    const { written, searched, changed, file } = chosen(context);
    const read = `var record = try await database.fetch(${model}.self, ${literal(example)})`;
    const save = "record = try await database.save(record)";
    const filter = searched === undefined ? "" : `\n    ${condition(searched, properties.get(searched[0])).swift}`;
    const printed = "for record in page.items { print(record.id) }";
    const values = written.map(([name, each]) => `${properties.get(name)}: ${swift(each)}`).join(", ");
    const uploading = `database.upload(URL(fileURLWithPath: "${picture}"), contentType: "image/jpeg")`;
    const property = file === undefined ? "" : `record.${properties.get(file[0])}`;
    return {
        setup: ["import FogbaseClient", "import Foundation", "", swiftModel(context, names), "",
            `let token = ${literal(t("the token of a session, a key or an administrator"))}`,
            `guard let url = URL(string: ${literal(context.url)}) else { fatalError("That is no address") }`,
            "let fogbase = Fogbase(url, tokens: MemoryTokenStore(token))", `let database = ${swiftDatabase(context)}`].join("\n"),
        create: `let record = try await database.create(${model}(${values}), named: ${literal(example)}${
            isListed(context) ? ", access: .everyone(.read)" : ""})\nprint(record.id)`,
        change: changed === undefined ? null
            : [read, `record.${properties.get(changed[0])} = ${swift(changed[1], "swiftOther")}`, save].join("\n"),
        list: `let page = try await database.fetch(Query<${model}>().limit(to: 20))\n${printed}`,
        query: `let query = Query<${model}>()${filter}\n    .sorted(by: .createdAt, ascending: false)\n    .limit(to: 20)\n`
            + `let page = try await database.fetch(query)\n${printed}`,
        upload: file === undefined ? `let asset = try await ${uploading}\nprint("\\(asset.size) bytes")`
            : isList(file[1]) ? [read, `let asset = try await ${uploading}`, `${property}.append(asset)`, save].join("\n")
                : [read, `${property} = try await ${uploading}`, save].join("\n"),
        delete: `try await database.delete(${model}.self, ${literal(example)})`,
    };
}

/** The tasks in the order in which they work one after the other. */
export const tasks = ["create", "list", "query", "change", "upload", "delete"];

/**
 * The snippets of a type: `{setup, create, list, query, change, upload, delete}`; `null` for what the type does not allow. `context` is
 * `{type, fields: Map, indexed: Set, needsList?, isProduction, url, scope}`: the fields with their types, the names of those with an
 * index, whether the type requires an access list and has no default, and the database that the console shows.
 */
export function snippets(language, context) {
    return { curl, swift: swiftCode, javascript }[language](context);
}
