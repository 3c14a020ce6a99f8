import * as api from "../api.js";
import { make, whileBusy } from "../dom.js";
import * as scope from "../scope.js";
import { t } from "../words.js";

/** The link to a zone. It opens the list of the same type: a record of this zone need not exist in the other one. */
function zoneLink(name, place) {
    return make("li", {}, make("a", {
        href: scope.zoneAddress(name, place), "aria-current": name === scope.zone() ? "page" : null,
    }, name === scope.defaultZone ? t("Default zone") : name));
}

/**
 * The zones of a private database, for the sidebar; `null` for a public one, which has no others. `place()` returns the
 * page that the links open in the other zone. It stays hidden while there is no list, as for callers without access to the database.
 */
export function zoneList(place) {
    if (!scope.isPrivate()) return null;
    const list = make("ul", {});
    const more = make("button", { type: "button", class: "small", onclick: () => whileBusy(more, load) }, t("More zones"));
    const problem = make("p", { class: "problem", role: "alert" });
    const element = make("section", { class: "zones", hidden: true, "aria-label": t("Zones") },
        make("p", { class: "section" }, t("Zones")), list, problem, more);
    let names = [];
    let cursor;

    function refresh() {
        // The current zone is listed even if its page of the list is not loaded yet.
        const shown = names.includes(scope.zone()) ? names : [...names, scope.zone()];
        list.replaceChildren(...shown.map((name) => zoneLink(name, place())));
    }
    async function load() {
        problem.textContent = "";
        try {
            const answer = await api.zones(cursor);
            names = [...names, ...answer.zones.map(({ zoneName }) => zoneName)];
            cursor = answer.cursor;
        } catch (error) {
            problem.textContent = error.message;
        }
        element.hidden = names.length === 0;
        more.hidden = cursor === undefined;
        refresh();
    }
    load();
    return { element, refresh };
}
