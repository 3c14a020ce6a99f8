// The menu at the right of the header: who is signed in, colors, language, signing out.

import { freshID, make } from "../dom.js";
import * as router from "../router.js";
import * as session from "../session.js";
import * as theme from "../theme.js";
import * as words from "../words.js";
import { close, menu } from "./menu.js";

const { t } = words;

function themeChoice() {
    const name = freshID("theme");
    const choices = [["", t("System")], ["light", t("Light")], ["dark", t("Dark")]].map(([value, title]) => {
        const id = freshID("theme");
        return [make("input", {
            type: "radio", id, name, value, checked: theme.current() === value, onchange: () => theme.choose(value),
        }), make("label", { for: id }, title)];
    });
    return make("fieldset", {}, make("legend", { class: "note" }, t("Colors")), make("div", { class: "sides" }, choices));
}

function languageChoice() {
    const id = freshID("language");
    const select = make("select", { id, onchange: async () => {
        if (!(await router.canLeave())) {
            select.value = words.chosen();
            return;
        }
        router.unguard();
        words.choose(select.value);
        location.reload();
    } }, make("option", { value: "" }, t("The browser's language")),
    [...words.languages].map(([value, title]) => make("option", { value, lang: value }, title)));
    select.value = words.chosen();
    return make("div", {}, make("label", { for: id }, t("Language")), select);
}

/** The menu, and `refresh()` for a new caller. */
export function accountMenu(signOut) {
    const who = make("p", { class: "who" });
    async function leave() {
        if (await router.canLeave()) signOut();
    }
    const own = make("a", { class: "button", href: "#/administrators/me", hidden: true, onclick: () => close(element) }, t("Password and sessions"));
    const element = menu({ summary: who, style: "right account-menu", content: [
        themeChoice(), languageChoice(), own, make("button", { type: "button", onclick: leave }, t("Sign out")),
    ] });
    return {
        element,
        refresh() {
            const caller = session.current();
            own.hidden = !session.isByName();
            who.replaceChildren(...(caller === null ? [t("Account")] : [
                make("span", { class: "visually-hidden" }, t("Signed in as"), " "),
                make("span", { class: "name" }, caller.name ?? ""), " ",
                make("span", { class: "role" }, caller.isAdministrator === true ? caller.role : t("key"))]));
        },
    };
}
