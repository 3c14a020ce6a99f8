import { make } from "../dom.js";
import { grouped, stepped } from "../steps.js";
import { t } from "../words.js";

const keys = new Map([["ArrowUp", 1], ["ArrowDown", -1], ["PageUp", 10], ["PageDown", -10]]);

/** A number's input with buttons and arrow keys that step it, and its digits in groups behind it. `name` is that of the field. */
export function stepper(input, name = "") {
    const note = make("span", { class: "note number" });
    const explain = () => { note.textContent = grouped(input.value); };
    function step(count) {
        const next = stepped(input.value, count);
        if (next === null) return;
        input.value = next;
        input.dispatchEvent(new Event("input", { bubbles: true }));
    }
    const button = (sign, label, count) => make("button", {
        type: "button", class: "quiet small", tabindex: "-1", "aria-label": label, onclick: () => step(count),
    }, sign);
    input.addEventListener("input", explain);
    input.addEventListener("keydown", (event) => {
        const count = keys.get(event.key);
        if (count === undefined || event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        step(count);
    });
    explain();
    return make("div", { class: "together stepper" }, input,
        make("span", { class: "steps" }, button("−", t("{name}: one less", { name }), -1), button("+", t("{name}: one more", { name }), 1)), note);
}
