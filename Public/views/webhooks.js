import { webhooks } from "../api-access.js";
import { introduce, make } from "../dom.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import * as users from "../users.js";
import { t } from "../words.js";
import * as states from "../webhook-states.js";
import { collection, inPages, pageHead } from "./collection.js";
import { commandsFor, nameOf, remove } from "./webhook-commands.js";
import { createWebhook } from "./webhook-form.js";

/** The zone of a webhook, with the owner's name once it is known. */
export function zoneNode(webhook) {
    const element = make("span", {}, states.zoneText(webhook));
    if (webhook.owner !== undefined) {
        users.nameOf(webhook.owner).then((name) => {
            if (name !== null) element.textContent = states.zoneText(webhook, name);
        });
    }
    return element;
}

export function stateNode(webhook) {
    const { text, style } = states.stateOf(webhook);
    return make("span", { class: style }, text);
}

/** The webhooks of the container and environment. */
export async function show(visit) {
    await schema.load({ signal: visit.signal });
    const heading = make("h1", {}, t("Webhooks"));
    const list = collection({
        label: t("Webhooks"), visit, load: inPages(webhooks.list), key: ({ id }) => id, name: nameOf,
        isDim: ({ state }) => state !== "active",
        commands: (webhook) => [...commandsFor(webhook), { title: t("Delete…"), act: remove, style: "danger" }],
        columns: [
            {
                title: t("Receiver"), full: ({ url }) => url,
                cell: (each) => make("a", { href: router.address(["webhooks", each.id]) }, nameOf(each)),
            },
            { title: t("State"), cell: stateNode, full: states.explanation },
            { title: t("Sends"), cell: states.selectionText },
            { title: t("Follows"), cell: zoneNode },
            { title: t("Reads as"), cell: states.readerText, priority: 1 },
        ],
        empty: [make("p", { class: "lead" }, t("No webhooks yet.")),
            make("p", {}, t("A webhook sends changes of records to another server, signed and in order. Press “New webhook”."))],
    });
    await list.begin();
    visit.show(
        pageHead(heading, { actions: [make("button", {
            type: "button", class: "primary", onclick: () => list.run(createWebhook),
        }, t("New webhook"))] }),
        make("p", { class: "note" }, t("Each webhook follows the changes of one zone, and sends a message until its "
            + "receiver has accepted it.")),
        list.element);
    introduce(heading);
}
