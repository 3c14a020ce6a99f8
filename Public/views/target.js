// The target of a reference as a link: its title and type, once they are known.

import { make } from "../dom.js";
import * as router from "../router.js";
import * as users from "../users.js";
import { shortName } from "../columns.js";
import { t } from "../words.js";

/** A link to a known target. */
export function targetLink({ recordName, recordType, title }) {
    const text = make("span", { class: "title" }, title ?? shortName(recordName));
    if (recordType === "Users" && title === null) {
        users.nameOf(recordName).then((name) => {
            if (name !== null) text.textContent = name;
        });
    }
    return make("a", {
        class: "target", href: router.address(["types", recordType, "record", recordName]), title: `${recordType} · ${recordName}`,
    }, "→ ", text, " ", make("span", { class: "kind" }, recordType));
}

/** A target that is not known: its name, and whether it is missing. */
export function missingTarget(recordName) {
    return make("span", { class: "target missing", title: t("No record has the name {name}, or you cannot read it.", { name: recordName }) },
        "→ ", make("span", { class: "title" }, shortName(recordName)), " ", make("span", { class: "kind" }, t("missing")));
}

/** The place of a target: its name, and the link when `targets`, a promise of a `Map`, has it. */
export function targetPlace(recordName, targets) {
    const place = make("span", { class: "target", title: recordName }, "→ ", make("span", { class: "title" }, shortName(recordName)));
    targets?.then((found) => {
        if (!found.has(recordName)) return;
        const target = found.get(recordName);
        place.replaceWith(target === null ? missingTarget(recordName) : targetLink(target));
    }, () => {}); // The page was left.
    return place;
}
