// The map of the rooms at the left, with the types of records.

import { freshID, make } from "../dom.js";
import * as rooms from "../rooms.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { t } from "../words.js";

/** With more types than this, a box filters them. */
const mostTypes = 12;

/** A valid type name: letters of any script, digits and underscores, starting with a letter. */
const typeName = /^\p{XID_Start}\p{XID_Continue}{0,254}$/u;

/** Asks for the name of a new type and opens the form of its first record. */
export async function newType() {
    const id = freshID("new-type");
    const problem = make("p", { class: "problem", id: `${id}-problem`, role: "alert" });
    const input = make("input", {
        id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", autofocus: true,
        "aria-describedby": problem.id,
    });
    const isValid = () => {
        problem.textContent = typeName.test(input.value.trim()) ? ""
            : t("A type's name is made of letters, digits and _, and begins with a letter.");
        if (problem.textContent !== "") input.focus();
        return problem.textContent === "";
    };
    const { ask } = await import("./dialog.js");
    const answer = await ask({
        title: t("New type"),
        content: (close) => make("form", { class: "new-type", novalidate: true, onsubmit: (event) => {
            event.preventDefault();
            if (isValid()) close("create");
        } },
        make("label", { for: id }, t("Name of the type")), input, problem,
        make("p", { class: "note" }, t("The type is created with its first record."))),
        choices: [
            { value: "create", title: t("Create type"), kind: "primary", allow: isValid },
            { value: "cancel", title: t("Cancel"), kind: "quiet" },
        ],
    });
    if (answer !== "create" || !(await router.canLeave())) return;
    router.go(router.address(["types", input.value.trim(), "new"]));
}

function link(href, title, isCurrent) {
    return make("a", { href, title, "aria-current": isCurrent ? "page" : null }, title);
}

/** The sidebar: `refresh()` after a change of the schema or the caller, `mark(room, names)` for the current room. */
export function sidebar() {
    const list = make("ul", { class: "within" });
    const empty = make("p", { class: "note within" }, t("No types yet."));
    const filter = make("input", {
        type: "text", class: "filter", "aria-label": t("Filter the types"), placeholder: t("Filter the types"),
        autocomplete: "off", autocapitalize: "off", spellcheck: "false", oninput: refreshTypes,
    });
    const add = make("button", { type: "button", "aria-label": t("New type"), title: t("New type"), onclick: newType }, "+");
    const map = make("div", {});
    const now = { room: rooms.rooms[0], type: null };
    let zones = null;

    function roomLinks(section) {
        return rooms.listed(section).map((room) => {
            const title = link(`#/${room.path}`, room.title, room === now.room || room.path === now.room.within);
            if (room.path !== "types") return title;
            return [make("div", { class: "row" }, title, add), filter, list, empty];
        });
    }
    function refreshTypes() {
        const types = schema.all();
        const wanted = filter.hidden ? "" : filter.value.trim().toLowerCase();
        list.replaceChildren(...types.filter(({ name }) => name.toLowerCase().includes(wanted))
            .map(({ name }) => make("li", {}, link(router.address(["types", name]), name, name === now.type))));
        empty.hidden = types.length > 0;
    }
    function refresh() {
        const focused = document.activeElement;
        filter.hidden = schema.all().length <= mostTypes;
        add.hidden = !session.covers("writeRecords");
        refreshTypes();
        map.replaceChildren(...[roomLinks(undefined), rooms.sections.map(([section, title]) => {
            const links = roomLinks(section);
            if (links.length === 0) return [];
            // Not a heading, as these would come before the heading of the page.
            return make("div", { role: "group", "aria-labelledby": `rooms-${section}` },
                make("p", { class: "section", id: `rooms-${section}` }, title), links);
        })].flat(Infinity));
        if (focused !== document.activeElement && element.contains(focused)) focused.focus();
    }
    const element = make("nav", { id: "rooms", "aria-label": t("Rooms") }, map);
    if (scope.isPrivate()) {
        import("./zones.js").then(({ zoneList }) => {
            zones = zoneList(() => (now.type === null ? "#/types" : router.address(["types", now.type])));
            element.append(zones.element);
            zones.refresh();
        });
    }
    return {
        element, refresh,
        mark(room, { type = null }) {
            Object.assign(now, { room, type });
            refresh();
            zones?.refresh();
            element.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
        },
    };
}
