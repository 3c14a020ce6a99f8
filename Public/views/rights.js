import * as scope from "../scope.js";

const people = { _world: "everyone", _icloud: "signed in", _creator: "creator" };

/** The default grants of a new type. */
const initial = { _creator: ["WRITE"], _icloud: ["CREATE"], _world: ["READ"] };

function grantText(grants) {
    const lines = Object.entries(grants)
        .filter(([, rights]) => Array.isArray(rights) && rights.length > 0)
        .map(([role, rights]) => `${people[role] ?? role}: ${rights.join(", ").toLowerCase()}`);
    return lines.length === 0 ? "Administrators only" : lines.join(" · ");
}

/** One line with the grants of a type: `everyone: read`. */
export function rightsLine(type) {
    // Grants do not apply in a private database.
    if (scope.isPrivate()) return "Private: only its owner";
    if (type.isNew) return `This type does not exist yet. New types start with: ${grantText(initial)}`;
    return grantText(type.grants);
}
