// Whether the server is healthy, and why not: a verdict and the checks on which it rests.

import * as api from "../api.js";
import { localText } from "../dates.js";
import { make } from "../dom.js";
import * as session from "../session.js";
import { sizeText } from "../sizes.js";
import { number, t } from "../words.js";
import { isSignedOut } from "./part.js";

/** Below this, the doctor reports a problem. */
const leastFree = 256 * 1024 ** 2; // bytes
const window = 300_000; // milliseconds
/** A larger share of server errors raises an alert in the rules for Prometheus. */
const mostFailed = 0.01;

/** A backup that is older counts as none. */
const oldBackup = 7 * 86_400_000; // milliseconds

const glyphs = { good: "✓", warning: "!", alarm: "×", unknown: "–" };
const words = { good: t("good"), warning: t("needs attention"), alarm: t("alarm"), unknown: t("unknown") };
const verdicts = { good: t("Healthy"), warning: t("Needs attention"), alarm: t("Not healthy"), unknown: t("Checking…") };
const severity = ["good", "unknown", "warning", "alarm"];

/** The share of server errors in the responses of the last minutes; `null` without responses. */
export function failedShare({ timestamps, series }) {
    const since = (timestamps.at(-1) ?? 0) - window;
    const sum = (values) => timestamps.reduce((total, time, at) => total + (time > since ? values[at] ?? 0 : 0), 0);
    const all = sum(series.requests);
    return all === 0 ? null : sum(series.failed) / all;
}

/** What the backups that the server remembers, newest first, say at a time: `{level, text}`. */
export function backupVerdict(backups, now) {
    const isYoung = ({ created }) => now - Number(created) <= oldBackup;
    const tested = backups.filter((each) => each.tested !== undefined);
    // A damaged one is an alarm until another one was found complete: what damaged it may damage the next one.
    if (Number(tested[0]?.problems ?? 0) > 0) {
        return { level: "alarm", text: t("The one of {time} is damaged: {reason}",
            { time: localText(tested[0].created), reason: tested[0].problem ?? "" }) };
    }
    const complete = tested.find((each) => Number(each.problems ?? 0) === 0);
    if (complete !== undefined && isYoung(complete)) {
        return { level: "good", text: t("made {time}, tested {tested}",
            { time: localText(complete.created), tested: localText(complete.tested) }) };
    }
    if (backups.length === 0) return { level: "warning", text: t("The server knows of none.") };
    const time = localText(backups[0].created);
    if (!isYoung(backups[0])) return { level: "warning", text: t("made {time}, more than a week ago", { time }) };
    return { level: "warning", text: t("made {time}, not tested yet", { time }) };
}

/** The verdict with its checks: `element`, and functions that give it what the page has loaded. */
export function health({ signal, fail }) {
    const always = [["ready", t("State")], ["errors", t("Server errors")], ["disk", t("Disk")], ["backup", t("Last backup")]];
    const sometimes = [["webhooks", t("Webhooks")], ["jobs", t("Jobs")], ["schedules", t("Schedules")], ["queries", t("Rejected queries")],
        ["indexes", t("Indexes")]];
    const checks = new Map([
        ...always.map(([key, title]) => [key, { title, level: "unknown", text: "…", action: null, isShown: true }]),
        ...sometimes.map(([key, title]) => [key, { title, level: "unknown", text: "", action: null, isShown: false }]),
    ]);
    const verdict = make("p", { class: "verdict", role: "status" });
    const list = make("ul", { class: "checks" });
    const element = make("section", { class: "panel health", "aria-label": t("Health") }, verdict, list);

    function set(key, level, text, action = null) {
        Object.assign(checks.get(key), { level, text, action, isShown: true });
        drawAll();
    }
    function hide(key) {
        checks.get(key).isShown = false;
        drawAll();
    }
    function drawAll() {
        const found = [...checks.values()].filter(({ isShown }) => isShown);
        // The state alone decides whether anything is known; a check that this caller may not do counts for nothing.
        const level = checks.get("ready").level === "unknown" ? "unknown"
            : severity[Math.max(...found.map((each) => (each.level === "unknown" ? 0 : severity.indexOf(each.level))))];
        const wrong = found.filter((each) => each.level === "warning" || each.level === "alarm").map(({ title }) => title);
        const text = wrong.length === 0 ? verdicts[level] : `${verdicts[level]}: ${wrong.join(", ")}`;
        element.dataset.level = level;
        if (verdict.textContent !== text) verdict.textContent = text;
        if (list.contains(document.activeElement)) return;
        list.replaceChildren(...found.map((each) => make("li", { class: each.level },
            make("span", { class: "glyph", role: "img", "aria-label": words[each.level] }, glyphs[each.level]),
            make("span", { class: "check" }, make("strong", {}, each.title), make("span", { class: "detail" }, each.text,
                each.action === null ? null : [" ", each.action])))));
    }
    drawAll();

    /** Throws only if the session has ended. */
    async function attempt(key, work) {
        try {
            await work();
        } catch (error) {
            if (signal.aborted) return;
            if (isSignedOut(error)) fail(error);
            else set(key, "unknown", t("could not be checked: {reason}", { reason: error.message }));
        }
    }
    return {
        element,
        async checkReady() {
            try {
                await api.ready(signal);
                set("ready", "good", `${t("Ready")}: ${t("takes reads and writes")}`);
            } catch (error) {
                if (signal.aborted) return;
                if (isSignedOut(error)) fail(error);
                else set("ready", "alarm", `${t("Not ready")}: ${error.message}`);
            }
        },
        checkBackup: () => attempt("backup", async () => {
            const observation = await import("../observation.js");
            const backups = await observation.backups(signal);
            const link = session.covers("downloadBackups") ? make("a", { href: "#/backups" }, t("Backups")) : null;
            const isFirst = backups.length === 0
                && (await observation.backupJobs(signal)).some(({ state }) => state === "running");
            const { level, text } = backupVerdict(backups, Date.now());
            set("backup", level, isFirst ? t("The first one is under way.") : text, link);
        }),
        /** The work that the server does by itself. What this caller may not see, or what does not exist, is not shown. */
        async checkWork() {
            const work = await import("./home-work.js");
            await Promise.all(work.checks().map(({ key, href, load }) => attempt(key, async () => {
                let found = null;
                try {
                    found = await load(signal);
                } catch (error) {
                    if (!(error instanceof api.Refusal) || ![403, 404].includes(error.status)) throw error;
                }
                signal.throwIfAborted();
                if (found === null) hide(key);
                else set(key, found.level, found.text, found.level === "good" ? null : make("a", { href }, t("Show them")));
            })));
        },
        setHistory(history) {
            const share = failedShare(history);
            if (share === null) {
                set("errors", "good", t("No requests in the last 5 minutes."));
                return;
            }
            const percent = number(share, { style: "percent", maximumFractionDigits: 1 });
            const link = session.covers("readRequests") ? make("a", { href: "#/logs?status=5xx" }, t("Show them")) : null;
            if (share > mostFailed) set("errors", "alarm", t("{share} of the responses of the last 5 minutes.", { share: percent }), link);
            else if (share > 0) set("errors", "good", t("{share} of the responses of the last 5 minutes.", { share: percent }), link);
            else set("errors", "good", t("None in the last 5 minutes."));
        },
        setStorage({ freeBytes }) {
            const free = Number(freeBytes);
            set("disk", free < leastFree ? "alarm" : "good", t("{size} free", { size: sizeText(free) }));
        },
        cannotCheck: (key, error) => attempt(key, async () => { throw error; }),
    };
}
