import { date } from "../dates.js";
import { disagreements, merge } from "../draft.js";
import { freshID, make } from "../dom.js";
import { understand } from "../fields/kinds.js";
import { stringify } from "../json.js";
import { ask } from "./dialog.js";
import { t } from "../words.js";

/** A value in full, so that two different values never look alike. */
function fullText(written) {
    const { type, value } = understand(written);
    if (type === "STRING") return value === "" ? t("“” (empty text)") : value;
    const moment = type === "TIMESTAMP" ? date(value) : null;
    return moment === null ? stringify(type === null ? written : value, 2) : moment.toISOString();
}

function option(group, field, side, isChosen) {
    const written = side === "mine" ? field.mine : field.theirs;
    return make("td", {},
        make("label", { class: "option" },
            make("input", { type: "radio", name: group, value: side, checked: isChosen,
                "aria-label": side === "mine" ? t("{field}: yours", { field: field.name }) : t("{field}: the server's", { field: field.name }) }),
            written === undefined ? make("span", { class: "absent" }, t("not set")) : make("pre", {}, fullText(written))));
}

/**
 * Shows the draft next to the current record and lets the user choose field by field. Returns the merged
 * fields, and whether to save them; `null` means to continue editing.
 */
export async function settleConflict({ base, mine, server }) {
    const theirs = server.fields ?? {};
    const fields = disagreements(base, mine, theirs).map((field) => ({ ...field, group: freshID("choice") }));
    const chosen = ({ group }) => document.querySelector(`input[name="${group}"]:checked`)?.value;
    const problem = make("p", { class: "problem", role: "alert" });
    const who = { me: t("changed by you"), them: t("changed by others"), both: t("changed by both") };

    const content = make("div", {},
        make("p", {}, t("Someone saved this record after you opened it, so nothing of yours has been written yet. "
            + "Choose what to keep.")),
        fields.length === 0 ? make("p", {}, t("Your version and the server's are the same."))
            : make("div", { class: "table", role: "region", tabindex: "0", "aria-label": t("Both versions") },
                make("table", { class: "conflict" },
                make("thead", {}, make("tr", {}, make("th", { scope: "col" }, t("Field")),
                    make("th", { scope: "col" }, t("Yours")), make("th", { scope: "col" }, t("On the server")))),
                make("tbody", {}, fields.map((field) => make("tr", {},
                    make("th", { scope: "row" }, field.name, make("span", { class: "note" }, who[field.changedBy])),
                    option(field.group, field, "mine", field.changedBy === "me"),
                    option(field.group, field, "theirs", field.changedBy === "them")))))),
        problem);

    let picks = new Map();
    function allChosen() {
        picks = new Map(fields.map((field) => [field.name, chosen(field)]));
        const open = fields.find((field) => picks.get(field.name) === undefined);
        problem.textContent = open === undefined ? "" : t("Choose a side for “{field}”.", { field: open.name });
        if (open !== undefined) document.querySelector(`input[name="${open.group}"]`).focus();
        return open === undefined;
    }
    const answer = await ask({
        title: t("Two versions of one record"), content, wide: true,
        choices: [
            { value: "save", title: t("Save my choice"), kind: "primary", allow: allChosen },
            { value: "server", title: t("Take the server's") },
            { value: "stay", title: t("Keep editing"), kind: "quiet" },
        ],
    });
    if (answer === "server") return { fields: theirs, save: false };
    if (answer !== "save") return null;
    const keepMine = [...picks].filter(([, side]) => side === "mine").map(([name]) => name);
    return { fields: merge(mine, theirs, keepMine), save: true };
}
