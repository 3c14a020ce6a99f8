// The state of webhooks and their attempts in words.

import { localText } from "./dates.js";
import { number, t, tn } from "./words.js";

/** Whether the server tries again to deliver a message. */
export function isFailing({ state, failures }) {
    return state === "active" && Number(failures ?? 0) > 0;
}

/** `{text, style}` of the state. */
export function stateOf(webhook) {
    if (isFailing(webhook)) {
        return { text: tn("fails, {count} attempt", "fails, {count} attempts", Number(webhook.failures)), style: "state alarm" };
    }
    switch (webhook.state) {
    case "active": return { text: t("active"), style: "state" };
    case "paused": return { text: t("paused"), style: "state wait" };
    case "disabled": return { text: t("disabled"), style: "state alarm" };
    default: return { text: String(webhook.state), style: "state" };
    }
}

/** What the webhook sends: types, and the condition. */
export function selectionText({ types, where }) {
    const text = types === undefined ? t("all types") : types.join(", ");
    return where === undefined ? text : t("{types} where {condition}", { types: text, condition: where });
}

/** The zone that it follows. `owner` is the name of the database's owner, if it is known. */
export function zoneText({ database, owner, zone }, name = owner) {
    const where = database === "private" ? t("private of {owner}", { owner: name ?? "?" }) : "public";
    return zone === undefined ? where : `${where} ▸ ${zone}`;
}

/** The caller with whose permissions it reads. The name of the server's own token begins with an underscore. */
export function readerText({ readsAs: { kind, name = "" } }) {
    if (kind === "key") return t("key {name}", { name });
    return name.startsWith("_") ? t("the server's token") : name;
}

export const messageTypes = { "records.changed": t("changes"), "feed.reset": t("start over"), "webhook.test": t("test message") };

/** The result of an attempt in a few words. */
export function resultText({ delivered, status, error }) {
    if (delivered) return t("delivered, {status}", { status: String(status ?? "") });
    if (error !== undefined) return error;
    return status === undefined ? t("no response") : t("rejected, {status}", { status: String(status) });
}

export function durationText(milliseconds) {
    const value = Number(milliseconds);
    return value < 1000 ? t("{count} ms", { count: value })
        : t("{seconds} s", { seconds: number(value / 1000, { maximumFractionDigits: 1 }) });
}

/** A sentence about the attempt in a test. */
export function testText(attempt) {
    const time = durationText(attempt.duration);
    return attempt.delivered ? t("The receiver accepted the test message: {status} after {time}.", { status: String(attempt.status), time })
        : t("The test message was not accepted: {result}.", { result: resultText(attempt) });
}

/** The moment of the last success and of the last failure among attempts, newest first: milliseconds, or `undefined`. */
export function lastOf(attempts) {
    const moment = (isDelivered) => attempts.find(({ delivered }) => delivered === isDelivered)?.timestamp;
    return { success: moment(true), failure: moment(false) };
}

/** Why it does not send, and what happens next; an empty text if all is well. */
export function explanation(webhook) {
    if (isFailing(webhook)) {
        const { failingSince, nextAttemptAt } = webhook;
        const since = failingSince === undefined ? "" : t("Without a success since {time}.", { time: localText(failingSince) });
        const next = nextAttemptAt === undefined ? "" : t("The server tries again at {time}.", { time: localText(nextAttemptAt) });
        return `${since} ${next} ${t("After 3 days it disables the webhook.")}`.trim().replace(/ {2,}/g, " ");
    }
    if (webhook.state === "active") return "";
    const reason = webhook.reason === undefined || webhook.reason === "" ? "" : `${String(webhook.reason).replace(/\.?$/, ".")} `;
    return reason + (webhook.state === "paused" ? t("Changes wait; “Resume” sends them.") : t("“Resume” continues where it stopped."));
}
