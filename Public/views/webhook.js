// One webhook: its state, what it sends, and the attempts to deliver messages.

import { webhooks } from "../api-access.js";
import { Refusal } from "../api.js";
import { localText } from "../dates.js";
import { introduce, make, whileBusy } from "../dom.js";
import * as json from "../json.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import { number, t } from "../words.js";
import * as states from "../webhook-states.js";
import { facts, pageHead } from "./collection.js";
import { ask } from "./dialog.js";
import { showProblem } from "./problem.js";
import { columnTable } from "./table.js";
import { commandsFor, nameOf, remove } from "./webhook-commands.js";
import { stateNode, zoneNode } from "./webhooks.js";

const pause = 5_000; // milliseconds

async function showAttempt(attempt) {
    await ask({
        title: t("Attempt of {time}", { time: localText(attempt.timestamp) }), wide: true,
        content: make("div", {}, facts([
            [t("Result"), states.resultText(attempt)],
            [t("Message"), make("span", { class: "code" }, attempt.message)], [t("Type"), attempt.type],
            [t("Events"), number(attempt.events)], [t("Attempt"), number(attempt.attempt)],
            [t("Duration"), states.durationText(attempt.duration)],
        ]), make("h3", { class: "note" }, t("Response")), attempt.response === undefined || attempt.response === ""
            ? make("p", { class: "note" }, t("Empty.")) : make("pre", { class: "marked answer" }, attempt.response)),
        choices: [{ value: "close", title: t("Close"), isFirst: true }],
    });
}

function attemptTable(attempts) {
    const cell = (title, content, style) => make("td", {
        "data-title": title, class: style, title: typeof content === "string" ? content : null,
    }, typeof content === "string" ? make("span", { class: "value" }, content) : content);
    return columnTable({
        label: t("Deliveries"), style: "panel attempts", tableStyle: "lines cards list",
        columns: [{ title: t("Time"), solid: true }, { title: t("Result"), min: 8 }, { title: t("Message"), min: 5.5 }, { title: t("Events"), style: "number" },
            { title: t("Attempt"), style: "number", priority: 1 }, { title: t("Duration"), style: "number", priority: 1 },
            { title: t("Response"), solid: true }],
        body: make("tbody", {}, attempts.map((attempt) => make("tr", {},
                make("th", { scope: "row" }, localText(attempt.timestamp)),
                cell(t("Result"), states.resultText(attempt), attempt.delivered ? "result" : "result alarm"),
                cell(t("Message"), states.messageTypes[attempt.type] ?? attempt.type),
                cell(t("Events"), number(attempt.events), "number"),
                cell(t("Attempt"), number(attempt.attempt), "number"),
                cell(t("Duration"), states.durationText(attempt.duration), "number"),
                cell(t("Response"), make("button", {
                    type: "button", class: "quiet small", onclick: () => showAttempt(attempt),
                    "aria-label": t("Show the attempt of {time}", { time: localText(attempt.timestamp) }),
                }, t("Show")))))),
    });
}

export async function show({ signal, show: draw, fail }, { webhook: id }) {
    const both = () => Promise.all([webhooks.read(id, signal), webhooks.deliveries(id, signal)]);
    let [[webhook, attempts]] = await Promise.all([both(), schema.load({ signal })]);
    let isOnlyFailed = false;
    const heading = make("h1", {}, nameOf(webhook));
    const [about, problem, table, buttons] = [make("div", { class: "about" }), make("div", {}), make("div", {}), make("p", { class: "actions" })];
    const tick = make("input", { type: "checkbox", id: "only-failed", onchange: () => {
        isOnlyFailed = tick.checked;
        drawAttempts();
    } });

    function drawAbout() {
        const { success, failure } = states.lastOf(attempts);
        const why = states.explanation(webhook);
        heading.textContent = nameOf(webhook);
        about.replaceChildren(...[
            facts([
                [t("State"), stateNode(webhook)], ["URL", make("span", { class: "code" }, webhook.url)],
                [t("Sends"), states.selectionText(webhook)],
                [t("Values"), webhook.args === undefined ? undefined : make("span", { class: "code" }, json.stringify(webhook.args))],
                [t("Fields"), (webhook.fields ?? []).join(", ")], [t("Follows"), zoneNode(webhook)], [t("Reads as"), states.readerText(webhook)],
                [t("Created"), localText(webhook.createdAt)],
                [t("Last success"), success === undefined ? t("none in the list below") : localText(success)],
                [t("Last error"), failure === undefined ? t("none in the list below") : localText(failure)],
                [t("Old secret valid until"), webhook.overlapsUntil === undefined ? undefined : localText(webhook.overlapsUntil)],
            ]),
            why === "" ? null : make("p", { class: states.isFailing(webhook) || webhook.state === "disabled" ? "problem" : "note" }, why),
        ].filter((each) => each !== null));
    }
    function drawButtons() {
        buttons.replaceChildren(...commandsFor(webhook).map(({ title, act }) => {
            const button = make("button", { type: "button", onclick: () => whileBusy(button, () => attempt(title, act)) }, title);
            return button;
        }), make("button", { type: "button", class: "danger", onclick: () => attempt("", removeIt) }, t("Delete…")));
    }
    function drawAttempts() {
        const shown = attempts.filter(({ delivered }) => !isOnlyFailed || !delivered);
        table.replaceChildren(shown.length > 0 ? attemptTable(shown) : make("div", { class: "empty" }, make("p", {}, attempts.length > 0
            ? t("No attempt has failed.") : t("Nothing was sent yet. “Send a test message” tries the connection."))));
    }
    /** Loads the state again, and draws what has changed. */
    async function refresh() {
        const [now, list] = await both();
        signal.throwIfAborted();
        const before = [webhook, attempts].map((each) => json.stringify(each));
        [webhook, attempts] = [now, list];
        const [isOther, hasMore] = [webhook, attempts].map((each, at) => json.stringify(each) !== before[at]);
        if (isOther || hasMore) drawAbout();
        if (isOther && !buttons.contains(document.activeElement)) drawButtons();
        if (hasMore && !table.contains(document.activeElement)) drawAttempts();
    }
    async function attempt(title, act) {
        problem.replaceChildren();
        try {
            if ((await act(webhook)) === false || signal.aborted) return;
            await refresh();
            // The buttons follow the state; the focus stays on the one that was pressed, or goes to the heading.
            drawButtons();
            drawAttempts();
            ([...buttons.children].find((each) => each.textContent === title) ?? heading).focus({ preventScroll: true });
        } catch (error) {
            if (signal.aborted) return;
            if (error instanceof Refusal && error.status === 401) fail(error);
            else showProblem(problem, error);
        }
    }
    async function removeIt() {
        if (await remove(webhook, true)) router.go("#/webhooks");
        return false;
    }
    function repeat() {
        const timer = setTimeout(async () => {
            try {
                if (document.visibilityState === "visible" && document.querySelector("dialog[open]") === null) await refresh();
            } catch (error) {
                if (signal.aborted) return;
                if (error instanceof Refusal && [401, 404].includes(error.status)) {
                    fail(error);
                    return;
                }
            }
            if (!signal.aborted) repeat();
        }, pause);
        signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    }

    draw(
        make("p", { class: "crumbs" }, make("a", { href: "#/webhooks", onclick: router.returns }, t("Webhooks"))),
        pageHead(heading), about, buttons, problem,
        make("section", { "aria-label": t("Deliveries") }, make("h2", {}, t("Deliveries")),
            make("p", { class: "note" }, t("The newest attempts to deliver a message. The server keeps {count}.", { count: 100 })),
            make("p", { class: "choice" }, tick, make("label", { for: tick.id }, t("Only failed ones"))), table));
    drawAbout();
    drawButtons();
    drawAttempts();
    introduce(heading);
    repeat();
}
