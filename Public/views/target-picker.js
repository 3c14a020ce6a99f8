// The box that names the target of a reference. It offers records by name and title, and shows what the name leads to.

import { freshID, make } from "../dom.js";
import * as references from "../references.js";
import { t, tn } from "../words.js";
import { missingTarget, targetLink } from "./target.js";

const patience = 250; // milliseconds between the last key and the request
let lastType = ""; // in which the user has looked last

/** `field` is the name of the field, `isItem` whether it is an item of its list, and `changed()` is called when a target is chosen from the list; typing is an `input` event. */
export function targetPicker({ field, value, isItem, changed }) {
    const [id, listID, typeID] = [freshID("target"), freshID("targets"), freshID("target-type")];
    let types = references.likelyTypes(field, lastType);
    let found = [];
    let active = -1;
    let timer;
    let checked = value; // the name that was looked up last
    let request = new AbortController();

    const list = make("ul", { id: listID, role: "listbox", class: "panel target-choices", "aria-label": t("Records"), hidden: true });
    const preview = make("p", { class: "note preview", role: "status" });
    const type = make("select", { id: typeID, onchange: () => {
        lastType = type.value;
        types = references.likelyTypes(field, lastType);
        input.focus();
        look();
    } }, types.map((name) => make("option", { value: name }, name)));
    type.addEventListener("input", (event) => event.stopPropagation()); // It is no change of the field.
    const input = make("input", {
        id, type: "text", role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value,
        "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": listID, "aria-describedby": freshID("preview"),
    });
    preview.id = input.getAttribute("aria-describedby");

    function begin() {
        request.abort();
        request = new AbortController();
        clearTimeout(timer);
        return request.signal;
    }
    function close() {
        list.hidden = true;
        active = -1;
        input.setAttribute("aria-expanded", "false");
        input.removeAttribute("aria-activedescendant");
    }
    function mark(at) {
        active = at;
        [...list.children].forEach((each, index) => each.setAttribute("aria-selected", String(index === at)));
        if (at < 0) return;
        input.setAttribute("aria-activedescendant", list.children[at].id);
        list.children[at].scrollIntoView({ block: "nearest" });
    }
    function take(target) {
        begin();
        close();
        input.value = checked = target.recordName;
        changed();
        show(target);
    }
    /** Shows what the name leads to. */
    function show(target) {
        preview.classList.toggle("wrong", target === null);
        input.classList.toggle("doubtful", target === null);
        preview.replaceChildren(...(target === undefined ? [] : target === null
            ? [missingTarget(input.value), " ", t("No record has this name. The reference would lead nowhere.")] : [targetLink(target)]));
        if (target !== null && target !== undefined) type.value = target.recordType;
    }
    async function check(signal, among = types) {
        const name = input.value;
        checked = name;
        if (name === "") {
            show(undefined);
            return;
        }
        try {
            const target = await references.find(name, among, signal);
            if (!signal.aborted && input.value === name) show(target);
        } catch {
            if (!signal.aborted) show(undefined); // Without a response it is unknown; saving tells.
        }
    }
    /** Offers records of the chosen type. */
    async function look() {
        const signal = begin();
        const text = input.value.trim();
        try {
            found = type.value === "" ? [] : await references.search(type.value, text, signal);
        } catch {
            found = [];
        }
        if (signal.aborted || document.activeElement !== input) return;
        active = -1;
        list.replaceChildren(...found.map((target) => make("li", {
            role: "option", id: freshID("choice"), "aria-selected": "false",
            onpointerdown: (event) => {
                event.preventDefault(); // The box keeps the focus.
                take(target);
            },
        }, make("span", {}, target.title ?? target.recordName), " ",
        target.title === null ? null : make("span", { class: "code" }, target.recordName))));
        list.hidden = found.length === 0;
        input.setAttribute("aria-expanded", String(found.length > 0));
        count.textContent = tn("{count} record", "{count} records", found.length);
        await check(signal);
    }
    const count = make("span", { class: "visually-hidden", role: "status" });

    input.addEventListener("input", () => {
        begin();
        timer = setTimeout(look, patience);
    });
    input.addEventListener("keydown", (event) => {
        if (event.isComposing) return;
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            if (list.hidden) look();
            else if (event.key === "ArrowDown") mark((active + 1) % found.length);
            else mark(active <= 0 ? found.length - 1 : active - 1);
        } else if (event.key === "Enter" && active >= 0) {
            event.preventDefault();
            take(found[active]);
        } else if (event.key === "Escape" && !list.hidden) {
            event.preventDefault();
            event.stopPropagation();
            close();
        }
    });
    input.addEventListener("blur", () => {
        close();
        const signal = begin();
        if (input.value !== checked) check(signal);
    });
    // The items of a list may be many: only those that the page has loaded are shown.
    if (value !== "") check(begin(), isItem ? [] : types);
    return {
        control: input,
        target: make("div", { class: "picker" }, make("label", { for: id }, t("Target's record name")), input, list, count),
        place: make("div", {}, make("label", { for: typeID }, t("Look in")), type),
        preview,
    };
}
