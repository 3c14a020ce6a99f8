import { make } from "../dom.js";
import * as users from "../users.js";
import { t } from "../words.js";

/** The name of the server's own token, and of commands at the server's machine, in its logs. */
const own = { _administrator: t("Administrator's token"), _server: t("the server"), _shell: t("a command on the server") };

/** Who sent a request, for people. Without `actor`, the request was answered before the server knew its sender. */
export function senderView(actor) {
    if (actor === undefined) return make("span", { class: "note", title: t("The server responded before it knew the sender.") }, "–");
    const { kind, name = "" } = actor;
    if (kind === "anonymous") return make("span", { class: "note" }, t("anonymous"));
    if (own[name] !== undefined) return make("span", {}, own[name]);
    if (kind === "key") return make("span", {}, t("key {name}", { name }));
    const element = make("span", { title: name, translate: "no" }, name);
    if (users.isRecordName(name)) {
        element.className = "code";
        users.nameOf(name).then((found) => {
            if (found === null) return;
            element.className = "account";
            element.textContent = found;
        });
    }
    return element;
}
