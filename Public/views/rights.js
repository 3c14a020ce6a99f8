import * as scope from "../scope.js";
import { t } from "../words.js";

export const people = { _world: t("everyone"), _icloud: t("signed in"), _creator: t("creator") };

export const words = { CREATE: t("create"), READ: t("read"), WRITE: t("write") };

/** The default grants of a new type. The server sets them. */
export const initial = { _creator: ["WRITE"], _icloud: ["CREATE"], _world: ["READ"] };

/** `everyone: read · creator: write` */
export function grantText(grants) {
    const lines = Object.entries(grants)
        .filter(([, rights]) => Array.isArray(rights) && rights.length > 0)
        .map(([role, rights]) => `${people[role] ?? role}: ${rights.map((right) => words[right] ?? right).join(", ")}`);
    return lines.length === 0 ? t("Administrators only") : lines.join(" · ");
}

/** One line with the grants of a type: `everyone: read`. */
export function rightsLine(type) {
    // Grants do not apply in a private database.
    if (scope.isPrivate()) return t("Private: only its owner");
    if (type.isNew) return t("This type does not exist yet. New types start with: {grants}", { grants: grantText(initial) });
    return grantText(type.grants);
}

/** Who can read the records of a type that others have created: `everyone`. */
export function readersText(type) {
    if (scope.isPrivate()) return t("its owner");
    const roles = Object.entries(type.grants).filter(([, rights]) => Array.isArray(rights) && rights.includes("READ"));
    return roles.length === 0 ? t("Administrators only") : roles.map(([role]) => people[role] ?? role).join(", ");
}
