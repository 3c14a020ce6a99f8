import { Refusal } from "../api.js";
import { make } from "../dom.js";
import * as router from "../router.js";
import * as scope from "../scope.js";
import * as users from "../users.js";

const choices = {
    environment: ["development", "production"],
    database: ["public", "private"],
};

const titles = { owner: "Owner (account name or record name)" };
const placeholders = { owner: "ada" };

function control(key, value) {
    const id = `scope-${key}`;
    if (choices[key] === undefined) {
        return make("input", {
            id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
            placeholder: placeholders[key] ?? "default", value,
        });
    }
    const names = value === "" || choices[key].includes(value) ? choices[key] : [...choices[key], value];
    const select = make("select", { id },
        make("option", { value: "" }, "default"),
        names.map((name) => make("option", { value: name }, name)));
    select.value = value;
    return select;
}

/** The parts of the scope in one line; an owner by name once that is known. */
function scopeText() {
    const now = scope.current();
    const text = make("span", {}, scope.isDefault() ? "Default database" : Object.values(now).join(" · "));
    if (now.owner !== undefined) {
        users.nameOf(now.owner).then((name) => {
            if (name !== null) text.textContent = Object.values({ ...now, owner: name }).join(" · ");
        });
    }
    return text;
}

/** The “database” box in the header: the container, environment, database, owner and zone that the console shows. */
export function scopeForm() {
    const now = scope.current();
    const controls = scope.keys.map((key) => [key, control(key, now[key] ?? "")]);

    const [database, owner] = ["database", "owner"].map((wanted) => controls.find(([key]) => key === wanted)[1]);
    const problem = make("p", { class: "problem", id: "scope-problem", role: "alert" });
    owner.setAttribute("aria-describedby", problem.id);

    /** Only a private database has an owner, and an administrator has no private database. */
    function follow() {
        owner.parentElement.hidden = database.value !== "private";
        problem.textContent = "";
    }
    /** The record name of the owner that the user typed; `null` if there is none, which the form then reports. */
    async function findOwner(text) {
        problem.textContent = text === "" ? "Enter the owner of the private database: the account name or the record name." : "";
        if (text === "" || users.isRecordName(text)) return text || null;
        const place = Object.fromEntries(controls.filter(([key]) => ["container", "environment"].includes(key))
            .map(([key, { value }]) => [key, value.trim()]).filter(([, value]) => value !== ""));
        try {
            const found = await users.find(text, place);
            if (found === null) problem.textContent = `No account here has the name “${text}”.`;
            return found;
        } catch (error) {
            problem.textContent = error instanceof Refusal && error.status === 403
                ? "Your role does not cover looking up accounts. Enter the record name, which starts with _." : error.message;
            return null;
        }
    }
    async function submit(event) {
        event.preventDefault();
        if (database.value !== "private") {
            owner.value = "";
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
        box.open = false;
        scope.change(Object.fromEntries(controls.map(([key, { value }]) => [key, value])));
    }
    const form = make("form", { class: "panel", onsubmit: submit },
        controls.map(([key, element]) => make("div", {},
            make("label", { for: element.id }, titles[key] ?? key[0].toUpperCase() + key.slice(1)), element)),
        problem,
        make("p", { class: "note" }, "Empty means the server's default."),
        make("button", { type: "submit", class: "primary" }, "Switch"));
    database.addEventListener("input", follow);
    follow();
    const summary = make("summary", {}, make("span", { class: "visually-hidden" }, "Database: "), scopeText());
    const box = make("details", { class: "scope", onkeydown: (event) => {
        if (event.key !== "Escape" || event.isComposing || !box.open) return;
        box.open = false;
        summary.focus();
    } }, summary, form);
    document.addEventListener("click", (event) => {
        if (box.isConnected && !box.contains(event.target)) box.open = false;
    });
    return box;
}
