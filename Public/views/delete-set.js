import * as api from "../api.js";
import { announce, make } from "../dom.js";
import { ask } from "./dialog.js";

function records(count) {
    return count === 1 ? "1 record" : `${count} records`;
}

/**
 * Bulk delete: counts the matches, asks, then deletes no more than were counted. Returns whether any record
 * was deleted; throws the server's error.
 */
export async function deleteMatching(typeName, where) {
    const found = await api.removeSet(typeName, where, { dryRun: "true" });
    const matched = Number(found?.matched ?? 0);
    if (matched === 0) {
        announce("No record matches.");
        return false;
    }
    const answer = await ask({
        title: `Delete ${records(matched)} of ${typeName}?`,
        content: make("div", {},
            make("p", {}, `${matched === 1 ? "1 record matches" : `${matched} records match`} this condition:`),
            make("pre", { class: "marked" }, where),
            make("p", {}, "They will be deleted for everyone, together with the records that refer to them with DELETE_SELF. "
                + "This cannot be undone.")),
        choices: [
            { value: "keep", title: "Keep them", isFirst: true },
            { value: "delete", title: `Delete ${records(matched)}`, kind: "danger" },
        ],
    });
    if (answer !== "delete") return false;
    // Writes by others can add matches that the user has not confirmed.
    const done = await api.removeSet(typeName, where, { maxAffected: String(matched) }, api.newKey());
    const skipped = Number(done?.skipped ?? 0);
    const rest = skipped === 0 ? "" : ` ${records(skipped)} not deleted: changed in the meantime, or still referred to.`;
    announce(`Deleted ${records(Number(done?.deleted ?? 0))}.${rest}`, { isCarried: true });
    return true;
}
