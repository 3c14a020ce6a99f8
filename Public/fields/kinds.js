// The field types that the console knows: how to show a value in one line and how to edit it.

import { ExactNumber } from "../json.js";
import * as asset from "./asset.js";
import * as bytes from "./bytes.js";
import * as decimal from "./decimal.js";
import * as integer from "./integer.js";
import { listOf } from "./list.js";
import * as location from "./location.js";
import * as raw from "./raw.js";
import * as reference from "./reference.js";
import * as string from "./string.js";
import * as timestamp from "./timestamp.js";
import { normalized } from "./types.js";

const scalars = new Map([
    ["STRING", string], ["INT64", integer], ["DOUBLE", decimal], ["TIMESTAMP", timestamp], ["BYTES", bytes],
    ["REFERENCE", reference], ["LOCATION", location], ["ASSET", asset],
]);

const kinds = new Map(scalars);
for (const [name, kind] of scalars) kinds.set(`${name}_LIST`, listOf(kind));

/** The types that a new field can have. */
export const typeNames = [...kinds.keys()];

/** The kind for a type. An unknown type is edited as JSON. */
export function kind(type) {
    return kinds.get(normalized(type)) ?? raw;
}

function scalarType(value) {
    if (typeof value === "string") return "STRING";
    if (typeof value === "boolean") return "INT64";
    if (value instanceof ExactNumber) return value.isInteger ? "INT64" : "DOUBLE";
    if (value === null || typeof value !== "object") return null;
    if ("latitude" in value && "longitude" in value) return "LOCATION";
    if ("recordName" in value) return "REFERENCE";
    if ("fileChecksum" in value) return "ASSET";
    return null;
}

/**
 * Interprets the JSON of a field by the server's rules: `{type, value}`, or a bare value, which
 * has the schema's type or the type of its shape. `type` is `null` for field operations such as
 * `{"increment": 1}`, and for unknown shapes.
 */
export function understand(written, schemaType) {
    const isObject = written !== null && typeof written === "object"
        && !Array.isArray(written) && !(written instanceof ExactNumber);
    if (isObject && "value" in written) {
        const type = written.type ?? schemaType ?? shapeType(written.value);
        const extra = Object.keys(written).some((key) => key !== "value" && key !== "type");
        const isPlain = !extra && typeof type === "string" && fits(written.value, type);
        return { type: isPlain ? normalized(type) : null, value: written.value };
    }
    // A Boolean is sent unchanged, and shown as the integer that it becomes.
    if (typeof written === "boolean") return { type: "INT64", value: new ExactNumber(written ? 1 : 0) };
    const type = shapeType(written);
    const wanted = schemaType !== undefined && fits(written, schemaType) ? normalized(schemaType) : type;
    return { type: wanted, value: written };
}

function shapeType(value) {
    if (!Array.isArray(value)) return scalarType(value);
    const first = value.length === 0 ? null : scalarType(value[0]);
    return first === null ? null : `${first}_LIST`;
}

/** Whether the form for `type` can show this value without loss. */
function fits(value, type) {
    const name = normalized(type);
    if (name.endsWith("_LIST")) return Array.isArray(value) && value.every((item) => fits(item, name.slice(0, -5)));
    switch (name) {
    case "STRING": case "BYTES": return typeof value === "string";
    case "INT64": case "TIMESTAMP": return value instanceof ExactNumber && value.isInteger;
    case "DOUBLE": return value instanceof ExactNumber;
    case "REFERENCE": case "LOCATION": case "ASSET": return scalarType(value) === name;
    default: return true;
    }
}
