import { freshID, make } from "../dom.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as session from "../session.js";
import { scopeForm } from "./scope-form.js";
import { zoneList } from "./zones.js";

/** A valid type name: letters of any script, digits and underscores, starting with a letter. */
const typeName = /^\p{XID_Start}\p{XID_Continue}{0,254}$/u;

function typeLink(type, current) {
    return make("li", {}, make("a", {
        href: router.address(["types", type.name]), "aria-current": type.name === current ? "page" : null,
    }, type.name));
}

function newTypeForm() {
    const id = freshID("new-type");
    const problem = make("p", { class: "problem", id: `${id}-problem`, role: "alert" });
    const input = make("input", {
        id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
        placeholder: "Post", "aria-describedby": problem.id,
    });
    async function submit(event) {
        event.preventDefault();
        const name = input.value.trim();
        problem.textContent = typeName.test(name) ? ""
            : "A type's name is made of letters, digits and _, and begins with a letter.";
        if (problem.textContent !== "") {
            input.focus();
            return;
        }
        if (!(await router.canLeave())) return;
        input.value = "";
        router.go(router.address(["types", name, "new"]));
    }
    return make("form", { class: "new-type", novalidate: true, onsubmit: submit },
        make("label", { for: id }, "New type"),
        make("div", { class: "joined" }, input, make("button", { type: "submit" }, "Create type")),
        problem);
}

/** The main frame: header, list of types, and the place for a page. Returns that place and `mark(typeName)`. */
export function showFrame(root, signOut) {
    const list = make("ul", {});
    const empty = make("p", { class: "note" }, "No types yet.");
    const content = make("main", { id: "content", tabindex: "-1" });
    const who = make("p", { class: "who" });
    const newType = newTypeForm();
    let current = null;
    const zones = zoneList(() => (current === null ? "#/" : router.address(["types", current])));

    function refresh() {
        list.replaceChildren(...schema.all().map((type) => typeLink(type, current)));
        empty.hidden = schema.all().length > 0;
    }
    function refreshCaller() {
        const caller = session.current();
        who.hidden = caller === null;
        who.replaceChildren(make("span", { class: "visually-hidden" }, "Signed in as "), caller?.name ?? "", " ",
            make("span", { class: "role" }, caller?.isAdministrator === true ? caller.role : "key"));
        newType.hidden = !session.covers("writeRecords");
    }
    async function leave() {
        if (await router.canLeave()) signOut();
    }

    schema.listen(refresh);
    session.listen(refreshCaller);
    refreshCaller();
    root.replaceChildren(
        make("header", {},
            make("a", { class: "brand", href: "#/" },
                make("img", { src: "fog.svg", alt: "", width: "36", height: "36" }), "Fogbase"),
            scopeForm(),
            who,
            make("button", { type: "button", class: "quiet", onclick: leave }, "Sign out")),
        make("div", { class: "room" },
            make("nav", { "aria-label": zones === null ? "Types" : "Zones and types" },
                zones?.element, make("h2", {}, "Types"), list, empty, newType),
            content));
    refresh();
    return {
        content,
        mark(name) {
            current = name;
            refresh();
            zones?.refresh();
            list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
        },
    };
}
