// The first page of the room “Security”: who has which right on which type.

import { introduce, make } from "../dom.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import { rights } from "../security/draft.js";
import { roleTitle } from "../security/titles.js";
import { number, t } from "../words.js";
import { grantText, initial } from "./rights.js";
import { growing, lookingNote, privateNote, securityHead } from "./security-parts.js";
import { columnTable } from "./table.js";

/** With more types than this, a box filters them. */
const mostTypes = 15;

function holders({ grants }, right) {
    return Object.entries(grants).filter(([, words]) => words.includes(right)).map(([role]) => role);
}

function rightCell(type, right, title) {
    const roles = holders(type, right);
    const text = roles.length === 0 ? t("Administrators only") : roles.map(roleTitle).join(", ");
    const isOpen = right !== "READ" && roles.includes("_world");
    return make("td", { "data-title": title, title: text }, make("span", { class: isOpen ? "value risk" : "value" }, text));
}

function row(type) {
    const restricted = Object.values(type.fields).filter((field) => field.read !== undefined || field.write !== undefined).length;
    const list = type.aclRequired ? t("required") : type.acl !== null ? t("by default") : "";
    return make("tr", {},
        make("th", { scope: "row" }, make("a", { href: router.address(["security", "types", type.name]), title: type.name }, type.name)),
        rightCell(type, "CREATE", t("Create")), rightCell(type, "READ", t("Read")), rightCell(type, "WRITE", t("Change and delete")),
        make("td", { class: "number", "data-title": t("Restricted fields") }, restricted === 0 ? "" : number(restricted)),
        make("td", { "data-title": t("Access lists") }, list));
}

export async function show({ signal, show: draw }) {
    await schema.load({ signal });
    const types = schema.all();
    const heading = make("h1", {}, t("Security"));
    const body = make("tbody", {});
    const rest = make("div", {});
    const filter = make("input", {
        type: "text", class: "list-filter", "aria-label": t("Filter the types"), placeholder: t("Filter the types"), autocomplete: "off",
        autocapitalize: "off", spellcheck: "false", oninput: fill, hidden: types.length <= mostTypes,
    });
    function fill() {
        const wanted = filter.value.trim().toLowerCase();
        rest.replaceChildren(growing(body, types.filter(({ name }) => name.toLowerCase().includes(wanted)), (part) => part.map(row)));
    }
    const titles = { CREATE: t("Create"), READ: t("Read"), WRITE: t("Change and delete") };
    draw(securityHead(heading, "types"), privateNote(), lookingNote(),
        make("p", { class: "note" }, t("Who has which right on the records of each type. Choose a type to change its rights. "
            + "Administrators and keys have theirs by their role and scope.")),
        make("p", { class: "note" }, t("A new type begins with: {grants}", { grants: grantText(initial) })),
        filter,
        types.length === 0 ? make("div", { class: "empty" }, make("p", { class: "lead" }, t("No types yet.")),
            make("p", {}, make("a", { href: "#/types" }, t("Types"))))
            : columnTable({
                label: t("Rights of types"), body, columns: [{ title: t("Type"), min: 8 }, ...rights.map((right) => ({ title: titles[right], min: 5 })),
                    { title: t("Restricted fields"), style: "number", priority: 1 }, { title: t("Access lists"), priority: 2 }],
            }), rest);
    fill();
    introduce(heading);
}
