import { make } from "../dom.js";
import * as router from "../router.js";
import * as scope from "../scope.js";

const choices = {
    environment: ["development", "production"],
    database: ["public", "private"],
};

const placeholders = { owner: "_0f6d… (a user's record name)" };

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

/** The header's “scope” box: which container, environment, database, owner and zone the console shows. */
export function scopeForm() {
    const now = scope.current();
    const controls = scope.keys.map((key) => [key, control(key, now[key] ?? "")]);

    const [database, owner] = ["database", "owner"].map((wanted) => controls.find(([key]) => key === wanted)[1]);
    const problem = make("p", { class: "problem", id: "scope-problem", role: "alert" });
    owner.setAttribute("aria-describedby", problem.id);

    /** Only a private database has an owner, and an administrator has none of their own. */
    function follow() {
        owner.parentElement.hidden = database.value !== "private";
        problem.textContent = "";
    }
    async function submit(event) {
        event.preventDefault();
        if (database.value !== "private") {
            owner.value = "";
        } else if (owner.value.trim() === "") {
            problem.textContent = "Say whose private database: the user's record name, which begins with _.";
            owner.focus();
            return;
        }
        if (!(await router.canLeave())) return;
        router.unguard();
        box.open = false;
        scope.change(Object.fromEntries(controls.map(([key, { value }]) => [key, value])));
    }
    const form = make("form", { class: "panel", onsubmit: submit },
        controls.map(([key, element]) => make("div", {},
            make("label", { for: element.id }, key[0].toUpperCase() + key.slice(1)), element)),
        problem,
        make("p", { class: "note" }, "Empty means the server's default."),
        make("button", { type: "submit", class: "primary" }, "Look here"));
    database.addEventListener("input", follow);
    follow();
    const summary = make("summary", {}, make("span", { class: "visually-hidden" }, "Scope: "), scope.summary());
    const box = make("details", { class: "scope", onkeydown: (event) => {
        if (event.key !== "Escape" || !box.open) return;
        box.open = false;
        summary.focus();
    } }, summary, form);
    document.addEventListener("click", (event) => {
        if (box.isConnected && !box.contains(event.target)) box.open = false;
    });
    return box;
}
