import { subscriptions } from "../api-access.js";
import * as api from "../api.js";
import { localText } from "../dates.js";
import { announce, introduce, make } from "../dom.js";
import { stringify } from "../json.js";
import * as metrics from "../metrics.js";
import * as session from "../session.js";
import * as users from "../users.js";
import { number, t, tp } from "../words.js";
import { collection, facts, inPages, pageHead } from "./collection.js";
import { ask } from "./dialog.js";
import { askFirst } from "./form-dialog.js";

const reasons = { create: t("create"), update: t("update"), delete: t("delete") };

function watchedText({ type, recordType, where, zone }) {
    const what = type === "query" ? recordType : type === "zone" ? zone : t("all zones");
    return where === undefined ? what : t("{types} where {condition}", { types: what, condition: where });
}

async function remove({ subscriptionID }) {
    const isSure = await askFirst({
        title: t("Delete this subscription?"), keep: t("Keep it"), act: t("Delete"),
        text: tp("{name} sends no more notifications. Those that wait are lost.", { name: make("strong", {}, subscriptionID) }),
    });
    if (!isSure) return false;
    await subscriptions.remove(subscriptionID);
    announce(t("Deleted."));
    return true;
}

async function showDetails(subscription) {
    await ask({
        title: subscription.subscriptionID, wide: true, content: make("pre", { class: "marked" }, stringify(subscription, 2)),
        choices: [{ value: "close", title: t("Close"), isFirst: true }],
    });
    return false;
}

/** What an administrator learns of subscriptions: the server's numbers. */
async function numbers(signal) {
    const [limits, samples] = await Promise.all([
        api.limits(signal), session.covers("readMetrics") ? api.metrics(signal).then(metrics.samples, () => null) : null,
    ]);
    const sent = samples === null ? undefined : metrics.sum(samples, "fogbase_notifications_total");
    return facts([
        [t("Notifications sent since the start"), sent === undefined ? undefined : number(sent)],
        [t("Subscriptions of an account, at most"), number(limits.subscriptions)],
        [t("A request waits for notifications, at most"), t("{seconds} s", { seconds: Number(limits.notificationWaitSeconds) })],
    ]);
}

/** Who has a subscription: a user with a link, or a key. */
function ownerCell({ by }) {
    return by.kind === "user" ? users.userLink(by.name) : t("key {name}", { name: by.name });
}

const columns = [
    { title: t("ID"), cell: ({ subscriptionID }) => subscriptionID },
    { title: t("Watches"), cell: watchedText },
    { title: t("Fires on"), cell: ({ firesOn }) => (firesOn ?? []).map((each) => reasons[each] ?? each).join(", "), style: "moment" },
    {
        title: t("Message"), priority: 1,
        cell: ({ notification }) => notification?.alertBody ?? notification?.alertLocalizationKey ?? "",
    },
    { title: t("Created"), cell: ({ createdAt }) => localText(createdAt), style: "moment" },
];

/** The subscriptions of all accounts, for administrators who manage these. The accounts alone change theirs. */
function everyone(visit) {
    const [id, ...further] = columns;
    return collection({
        label: t("Subscriptions"), visit, load: subscriptions.everyone,
        key: ({ by, database, subscriptionID }) => JSON.stringify([by.name, database, subscriptionID]),
        name: ({ subscriptionID }) => subscriptionID,
        commands: () => [{ title: t("Details…"), act: showDetails }],
        columns: [id, { title: t("Account"), cell: ownerCell }, { title: t("Database"), cell: ({ database }) => database }, ...further],
        empty: [make("p", { class: "lead" }, t("No subscriptions yet.")),
            make("p", {}, t("Apps create them for their users, with PUT /subscriptions."))],
    });
}

/** Administrators see the subscriptions of all accounts, a key its own. */
export async function show(visit) {
    const { signal, show: draw } = visit;
    const heading = make("h1", {}, t("Subscriptions"));
    const note = make("p", { class: "note" }, t("A subscription tells its user or key which records have changed. The "
        + "server keeps it, and the app reads the notifications."));
    if (session.current()?.isAdministrator === true) {
        const list = session.covers("manageUsers") ? everyone(visit) : null;
        const [told] = await Promise.all([numbers(signal), list?.begin()]);
        draw(pageHead(heading), note,
            list === null ? make("p", {}, session.reason(t("the subscriptions of accounts")))
                : session.covers("enterPrivate") ? null : make("p", { class: "note" },
                    t("Those of private and shared databases are shown only to owners.")),
            list?.element ?? null, told);
        introduce(heading);
        return;
    }
    const list = collection({
        label: t("Subscriptions"), visit, load: inPages(subscriptions.list), key: ({ subscriptionID }) => subscriptionID,
        name: ({ subscriptionID }) => subscriptionID, columns,
        commands: () => [{ title: t("Details…"), act: showDetails }, { title: t("Delete…"), act: remove, style: "danger" }],
        empty: [make("p", { class: "lead" }, t("No subscriptions yet.")),
            make("p", {}, t("The key that you are signed in with has none in this database. It creates them over HTTP, with "
                + "PUT /subscriptions."))],
    });
    await list.begin();
    draw(pageHead(heading), note, make("p", { class: "note" }, t("These are the subscriptions of the key that you are "
        + "signed in with.")), list.element);
    introduce(heading);
}
