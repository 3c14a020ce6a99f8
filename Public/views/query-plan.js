// A query of one's own with its plan, its time, and the index that it lacks.

import * as api from "../api.js";
import { announce, freshID, make, whileBusy } from "../dom.js";
import * as indexes from "../indexes.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as scope from "../scope.js";
import * as session from "../session.js";
import { number, t, tn } from "../words.js";
import { noticeBox } from "./plan.js";
import { planTree } from "./plan-tree.js";
import { problemBox, waitBox, waitingTime } from "./problem.js";

/** The form and its result; `begin()` sends the query of the URL, if there is one. `add(type, fields)` adds an index. */
export function queryPart(query, visit, add) {
    const { signal } = visit;
    const [typeID, whereID, sortID, limitID] = ["type", "where", "sort", "limit"].map(freshID);
    const names = schema.all().map(({ name }) => name);
    const type = make("select", { id: typeID }, names.map((name) => make("option", { value: name }, name)));
    if (names.includes(query.get("type"))) type.value = query.get("type");
    const problem = make("p", { class: "problem", id: `${whereID}-problem`, role: "alert" });
    const text = (id, key, placeholder) => make("input", {
        id, type: "text", class: "code", value: query.get(key) ?? "", placeholder, autocomplete: "off", autocapitalize: "off",
        spellcheck: "false", "aria-describedby": key === "where" ? problem.id : null,
    });
    const [where, sort] = [text(whereID, "where", "likes > 3 AND title BEGINSWITH 'a'"), text(sortID, "sort", "-createdTimestamp")];
    const limit = make("input", { id: limitID, type: "number", min: "1", max: "1000", value: query.get("limit") ?? "50" });
    const button = make("button", { type: "submit", class: "primary" }, t("Show the plan"));
    const result = make("div", { class: "plan-result" });
    const field = (id, title, input) => make("div", {}, make("label", { for: id }, title), input);

    function address() {
        const values = { type: type.value, where: where.value.trim(), sort: sort.value.trim(), limit: limit.value };
        return router.address(["performance"], Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")));
    }
    function submit(event) {
        event.preventDefault();
        router.correct(address());
        whileBusy(button, send);
    }
    /** The values of costly queries are not known; the server shows `?` for each. */
    function isComplete() {
        const isOpen = where.value.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "").includes("?");
        problem.textContent = isOpen ? t("Replace each ? with a value, then show the plan.") : "";
        return !isOpen;
    }
    async function send() {
        if (!isComplete()) {
            where.focus();
            const at = where.value.indexOf("?");
            where.setSelectionRange(at, at + 1);
            return;
        }
        const before = schema.type(type.value);
        const start = performance.now();
        try {
            const answer = await api.query({
                recordType: type.value, where: where.value.trim() || undefined, sort: sort.value.trim() || undefined,
                limit: Number(limit.value) || 50, fields: [], explain: true,
            }, signal);
            const milliseconds = performance.now() - start;
            if (answer.notices !== undefined) await schema.load({ signal });
            draw(answer, before, milliseconds);
        } catch (error) {
            if (signal.aborted) return;
            refused(error);
        }
    }
    function draw(answer, before, milliseconds) {
        const undo = answer.notices === undefined || before.isNew || !session.covers("changeSchema") ? null
            : indexes.undoing(before, schema.type(type.value));
        const drop = undo === null ? null : make("button", { type: "button", class: "small", onclick: () => whileBusy(drop, async () => {
            try {
                await indexes.change(type.value, undo);
                await schema.load();
                announce(t("Dropped. The same search would add it again."));
                result.querySelector(".notices")?.remove();
            } catch (error) {
                refused(error);
            }
        }) }, t("Drop it"));
        const sentence = tn("{count} record in {time} ms, with the way to the server and back.",
            "{count} records in {time} ms, with the way to the server and back.", answer.records.length,
            { time: number(milliseconds, { maximumFractionDigits: 0 }) });
        result.replaceChildren(...[make("p", { role: "status" }, sentence), noticeBox(answer.notices, drop),
            answer.plan === undefined ? null : planTree(answer.plan)].filter((each) => each !== null));
    }
    function refused(error) {
        if (waitingTime(error) !== null) {
            result.replaceChildren(waitBox(error, visit, send));
            return;
        }
        const fields = indexes.missing(error);
        const title = fields?.join(", ");
        const adding = fields === null || !session.covers("changeSchema") ? null : make("button", {
            type: "button", class: "primary", onclick: () => whileBusy(adding, async () => {
                await add(type.value, fields);
                await send();
            }),
        }, t("Add the index {index}", { index: title }));
        const box = problemBox(error, [adding]);
        result.replaceChildren(box);
        box.focus({ preventScroll: true });
    }
    const isEmpty = names.length === 0;
    const form = make("form", { class: "query-plan", onsubmit: submit },
        field(typeID, t("Type"), type), field(whereID, t("Where"), where), field(sortID, t("Sort"), sort), field(limitID, t("At most"), limit),
        button);
    const note = isEmpty ? t("There are no types yet.") : scope.environment() === "production" ? null
        : t("The query is sent. In development the server adds an index that it needs, and says so.");
    const element = make("section", { "aria-label": t("Plan of a query") }, make("h2", {}, t("Plan of a query")),
        isEmpty ? null : form, problem, note === null ? null : make("p", { class: "note" }, note), result);
    const arrive = () => element.scrollIntoView({ block: "start" });
    return {
        element,
        async begin() {
            if (isEmpty || !names.includes(query.get("type"))) return;
            arrive();
            if (isComplete()) {
                await whileBusy(button, send);
                if (!signal.aborted) arrive();
            } else {
                where.focus({ preventScroll: true });
            }
        },
    };
}
