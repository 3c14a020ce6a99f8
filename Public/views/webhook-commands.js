// What can be done with a webhook, in the list and on its page.

import { webhooks } from "../api-access.js";
import { announce, make } from "../dom.js";
import { t, tp } from "../words.js";
import * as states from "../webhook-states.js";
import { askFirst } from "./form-dialog.js";
import { changeWebhook, replay, rotateSecret } from "./webhook-form.js";

/** The name of a webhook for people. */
export function nameOf({ description, url }) {
    return description === "" || description === undefined ? url : description;
}

async function announced(work, sentence) {
    if ((await work) === false) return false;
    announce(sentence);
    return true;
}

/** Deletes a webhook if the user is sure. `isCarried` as in `announce`. */
export async function remove(webhook, isCarried = false) {
    const isSure = await askFirst({
        title: t("Delete this webhook?"), keep: t("Keep it"), act: t("Delete"),
        text: tp("{name} gets no more messages. Its position and deliveries are lost. This cannot be undone.", {
            name: make("strong", {}, nameOf(webhook)),
        }),
    });
    if (!isSure) return false;
    await webhooks.remove(webhook.id);
    announce(t("Deleted."), { isCarried });
    return true;
}

/** The commands `{title, act, style?}` for a webhook, except deletion. `act(webhook)` returns `false` if nothing was done. */
export function commandsFor(webhook) {
    return [
        { title: t("Change…"), act: () => announced(changeWebhook(webhook), t("Saved.")) },
        { title: t("Send a test message"), act: async () => announce(states.testText(await webhooks.test(webhook.id))) },
        !states.isFailing(webhook) ? null : {
            title: t("Retry now"), act: () => announced(webhooks.resume(webhook.id), t("The server tries again now.")),
        },
        webhook.state === "active"
            ? { title: t("Pause"), act: () => announced(webhooks.pause(webhook.id), t("Paused. Nothing is lost.")) }
            : { title: t("Resume"), act: () => announced(webhooks.resume(webhook.id), t("It continues where it stopped.")) },
        { title: t("Send again…"), act: () => announced(replay(webhook), t("The changes are being sent again.")) },
        { title: t("New secret…"), act: () => rotateSecret(webhook) },
    ].filter((each) => each !== null);
}
