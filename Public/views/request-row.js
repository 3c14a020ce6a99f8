// A request in the log: its row, and its details with the way to the reason of a denial.

import { copy } from "../copy.js";
import { announce, make } from "../dom.js";
import * as requests from "../requests.js";
import * as session from "../session.js";
import { number, t } from "../words.js";
import { exactText, factList, openRow, timeText, timeView } from "./log-parts.js";
import { senderView } from "./sender.js";

/** The number of columns of the table. */
export const columns = 6;

function statusView({ status, error }) {
    const isBad = Number(status) >= 400;
    return make("span", { class: `status${isBad ? " bad" : ""}${Number(status) >= 500 ? " alarm" : ""}` }, String(status),
        error === undefined ? null : make("span", { class: "note" }, " ", error.serverErrorCode));
}

function duration(milliseconds) {
    return t("{count} ms", { count: number(milliseconds, { maximumFractionDigits: Number(milliseconds) < 10 ? 2 : 0 }) });
}

/** An identifier with a button that copies it. */
function identifier(text) {
    return make("span", { class: "identifier" }, make("span", { class: "code" }, text), " ", make("button", {
        type: "button", class: "small quiet", "aria-label": t("Copy the identifier"),
        onclick: async () => {
            announce(await copy(text) ? t("Copied.") : t("The browser does not allow copying. Select the text and copy it."));
        },
    }, t("Copy")));
}

/** Why a denial has no page that explains it, in words; `null` for a request that was not denied. */
function unexplained({ actor, error, status, route }) {
    if (!["401", "403"].includes(String(status))) return null;
    if (error?.serverErrorCode === "AUTHENTICATION_FAILED") return t("The token or the password was wrong, so no permission was checked.");
    if (actor?.kind === "administrator") return t("The sender is an administrator, whose role decides. The room “Security” explains roles.");
    return /^POST \/(records|query)$/.test(route) ? t("The type is in the body of the request, which is not kept.")
        : t("The reason says which right is missing.");
}

/** The way to what is wrong with the request: the room that adds a missing index, or the page that explains a denial. */
function remedy(entry) {
    if (requests.needsIndex(entry) && session.covers("readSchema")) {
        return make("a", { class: "button small primary", href: "#/performance" }, t("Add the index under Performance"));
    }
    const asked = requests.question(entry);
    if (asked === null) {
        const text = unexplained(entry);
        return text === null ? null : make("p", { class: "note" }, text);
    }
    if (!session.covers("readRights")) return null;
    return make("a", { class: "button small primary", href: requests.whyAddress(asked) }, t("Why was this denied?"));
}

function details(entry) {
    const sender = requests.senderOf(entry);
    const reason = remedy(entry);
    return make("div", { class: "entry-details" },
        entry.error?.reason === undefined ? null : make("p", { class: "entry-reason" }, entry.error.reason),
        factList([
            [t("Time"), exactText(entry.timestamp)], [t("Duration"), duration(entry.milliseconds)],
            [t("Sender"), make("span", {}, senderView(entry.actor), sender === "" ? null : make("span", { class: "note code" }, ` ${sender}`))],
            [t("Address"), entry.address, "code"], [t("Route"), entry.route, "code"], [t("Path"), entry.path, "code"],
            [t("Identifier"), identifier(entry.request)],
        ]),
        make("p", { class: "actions" }, reason,
            sender === "" ? null : make("a", { class: "button small", href: requests.address({ actor: sender, ...requests.sameSide(entry) }) }, t("Only this sender")),
            make("a", { class: "button small", href: requests.address({ path: entry.path, ...requests.sameSide(entry) }) }, t("Only this path")),
            make("a", { class: "button small", href: requests.address({ request: entry.request }) }, t("Link to this request"))));
}

/** The row of a request and that of its details. */
export function requestRow(entry, isOpen = false) {
    const cell = (title, content, style) => make("td", { "data-title": title, class: style }, content);
    const path = requests.readable(entry.path);
    const rows = openRow({
        title: timeView(entry.timestamp), columns, content: () => details(entry),
        label: t("Details of {method} {path}, {time}", { method: entry.method, path, time: timeText(entry.timestamp) }),
        cells: [
            cell(t("Sender"), senderView(entry.actor), "who-cell"), cell(t("Address"), entry.address, "code minor"),
            cell(t("Request"), make("span", { class: "code value", title: `${entry.method} ${path}` },
                make("span", { class: "verb" }, entry.method), " ", path), "path-cell"),
            cell(t("Status"), statusView(entry), "status-cell"), cell(t("Duration"), duration(entry.milliseconds), "number"),
        ],
    });
    rows[0].dataset.number = String(entry.id);
    if (isOpen) rows[0].click();
    return rows;
}
