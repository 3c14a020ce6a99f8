import * as api from "../api.js";
import { make } from "../dom.js";
import * as rooms from "../rooms.js";
import * as router from "../router.js";
import * as scope from "../scope.js";
import * as users from "../users.js";
import { t } from "../words.js";
import { close, menu } from "./menu.js";

const choices = {
    environment: ["development", "production"],
    database: ["public", "private"],
};

const titles = {
    container: t("Container"), environment: t("Environment"), database: t("Database"),
    owner: t("Owner (account name or record name)"), zone: t("Zone"),
};
const placeholders = { container: t("the server's default"), owner: "ada", zone: scope.defaultZone };

function control(key, value) {
    const id = `scope-${key}`;
    if (choices[key] === undefined) {
        return make("input", {
            id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: placeholders[key], value,
        });
    }
    const names = choices[key].includes(value) ? choices[key] : [value, ...choices[key]];
    const select = make("select", { id }, names.map((name) => make("option", { value: name }, name === "" ? "…" : name)));
    select.value = value;
    return select;
}

/** Container ▸ environment ▸ database ▸ zone. The document is marked in production; an owner is named once that is known. */
function scopeText() {
    const now = scope.current();
    const part = (key, text) => make("span", { class: `part ${key}`, title: text }, text);
    const environment = part("environment", now.environment ?? "…");
    const database = now.database === "private" ? part("private", t("private of {owner}", { owner: now.owner ?? "?" }))
        : part("database", now.database ?? "public");
    const parts = [now.container === undefined ? null : part("container", now.container), environment, database,
        now.zone === undefined ? null : part("zone", now.zone)].filter((each) => each !== null);
    if (now.owner !== undefined) {
        users.nameOf(now.owner).then((name) => {
            if (name !== null) database.textContent = t("private of {owner}", { owner: name });
        });
    }
    nameEnvironment(now.environment, environment);
    return parts.flatMap((each, at) => (at === 0 ? [each] : [make("span", { class: "mark", "aria-hidden": "true" }, "▸"), each]));
}

async function nameEnvironment(named, element) {
    let name = named;
    try {
        name ??= await api.environment();
    } catch {
        name = t("default environment"); // The page says what is wrong.
    }
    element.textContent = name;
    document.documentElement.dataset.environment = name;
}

/** The control in the header: the container, environment, database, owner and zone that the console shows. */
export function scopeMenu() {
    const now = scope.current();
    const initial = { ...now, database: now.database ?? "public" };
    const controls = scope.keys.map((key) => [key, control(key, initial[key] ?? "")]);

    const [environment, database, owner, zone] = ["environment", "database", "owner", "zone"]
        .map((wanted) => controls.find(([key]) => key === wanted)[1]);
    const problem = make("p", { class: "problem", id: "scope-problem", role: "alert" });
    owner.setAttribute("aria-describedby", problem.id);

    /** Only a private database has an owner and further zones, and an administrator has no private database. */
    function follow() {
        owner.parentElement.hidden = database.value !== "private";
        zone.parentElement.hidden = database.value !== "private" && zone.value === "";
        problem.textContent = "";
    }
    /** Chooses the environment that the server shows if the URL names none. */
    async function followEnvironment() {
        const name = await api.environment();
        environment.querySelector("option[value='']")?.remove();
        if (!choices.environment.includes(environment.value)) environment.value = name;
    }
    /** The record name of the owner that the user typed; `null` if there is none, which the form then reports. */
    async function findOwner(text) {
        problem.textContent = text === "" ? t("Enter the owner of the private database: the account name or the record name.") : "";
        if (text === "" || users.isRecordName(text)) return text || null;
        const place = Object.fromEntries(controls.filter(([key]) => ["container", "environment"].includes(key))
            .map(([key, { value }]) => [key, value.trim()]).filter(([, value]) => value !== ""));
        try {
            const found = await users.find(text, place);
            if (found === null) problem.textContent = t("No account here has the name “{name}”.", { name: text });
            return found;
        } catch (error) {
            problem.textContent = error instanceof api.Refusal && error.status === 403
                ? t("Your role does not cover looking up accounts. Enter the record name, which starts with _.") : error.message;
            return null;
        }
    }
    async function submit(event) {
        event.preventDefault();
        if (database.value !== "private") {
            owner.value = "";
            if (now.database === "private") zone.value = "";
        } else {
            const recordName = await findOwner(owner.value.trim());
            if (recordName === null) {
                owner.focus();
                return;
            }
            owner.value = recordName;
        }
        if (!(await router.canLeave())) return;
        router.unguard();
        close(box);
        const values = Object.fromEntries(controls.map(([key, { value }]) => [key, value.trim()]));
        // What the URL need not name is left out: the environment that the server shows anyway, and the public database.
        if (now.environment === undefined && values.environment === scope.environment() && values.container === (now.container ?? "")) {
            values.environment = "";
        }
        if (values.database === "public") values.database = "";
        scope.change(values, rooms.elsewhere(router.place()));
    }
    const form = make("form", { onsubmit: submit },
        controls.map(([key, element]) => make("div", {},
            make("label", { for: element.id }, titles[key]), element)),
        problem,
        make("button", { type: "submit", class: "primary" }, t("Switch")));
    database.addEventListener("input", follow);
    follow();
    if (now.environment === undefined) followEnvironment().catch(() => {}); // The page says what is wrong.
    const box = menu({
        summary: [make("span", { class: "visually-hidden" }, t("Database"), ": "), scopeText()], style: "place", content: form,
    });
    return box;
}
