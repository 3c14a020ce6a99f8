// The sessions of an account: where its user is signed in.

import { localText } from "../dates.js";
import { announce, make } from "../dom.js";
import * as routes from "../security/routes.js";
import { t } from "../words.js";
import { collection, inPages } from "./collection.js";
import { askFirst } from "./form-dialog.js";

/** A table of the sessions of the account, with the button that ends them all. `title` is its name. */
export function userSessions(account, title, visit) {
    async function end({ id, label }) {
        const isSure = await askFirst({
            title: t("End this session?"), act: t("End it"), keep: t("Keep it"),
            text: t("{name} is signed out, and unsaved work there is lost.", { name: label ?? t("The device") }),
        });
        if (!isSure) return false;
        await routes.endSession(account.userRecordName, id);
        announce(t("Ended."));
        return true;
    }
    async function endAll() {
        const isSure = await askFirst({
            title: t("End all sessions?"), act: t("End all sessions"), keep: t("Leave it"),
            text: account.isAnonymous === true ? t("An account without a name cannot sign in again: its user loses it.")
                : t("{name} has to sign in again on every device.", { name: title }),
        });
        if (!isSure) return false;
        await routes.endSessions(account.userRecordName);
        announce(t("All sessions have ended."));
        return undefined;
    }
    const list = collection({
        label: t("Sessions of {name}", { name: title }), visit, load: inPages((signal) => routes.sessions(account.userRecordName, signal)), key: ({ id }) => id,
        name: ({ label }) => label ?? t("a session"),
        commands: () => [{ title: t("End…"), act: end, style: "danger" }],
        columns: [
            { title: t("Device or program"), cell: ({ label }) => label ?? t("without a label") },
            { title: t("Signed in"), cell: ({ createdTimestamp }) => localText(createdTimestamp), style: "moment" },
            { title: t("Last used"), cell: ({ usedTimestamp }) => localText(usedTimestamp), style: "moment" },
            { title: t("Ends"), cell: ({ expiresAt }) => localText(expiresAt), style: "moment", priority: 1 },
        ],
        empty: [make("p", {}, t("No sessions: nobody is signed in to this account."))],
    });
    return {
        element: list.element, begin: list.begin, reload: () => list.run(() => undefined),
        endAll: make("button", { type: "button", onclick: () => list.run(endAll) }, t("End all sessions…")),
    };
}
