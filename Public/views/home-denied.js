// Which senders are denied or throttled now, by route, with links into the log.

import { make } from "../dom.js";
import * as observation from "../observation.js";
import * as requests from "../requests.js";
import { number, t, tn } from "../words.js";
import { timeView } from "./log-parts.js";
import { senderView } from "./sender.js";
import { columnTable } from "./table.js";

const recent = 3_600_000; // milliseconds
const mostRows = 8;
const titles = { 403: t("denied"), 429: t("throttled") };

/** The content of the part. */
export async function load(signal) {
    const pages = await Promise.all(Object.keys(titles).map((status) => observation.requests({ status }, signal)));
    const since = Date.now() - recent;
    const groups = requests.grouped(pages.flatMap((page) => page.requests).filter(({ timestamp }) => Number(timestamp) >= since));
    if (groups.length === 0) return [make("p", { class: "note" }, t("Nobody was denied or throttled in the last hour."))];
    const cell = (title, content, style) => make("td", { "data-title": title, class: style }, content);
    const rows = groups.slice(0, mostRows).map(({ first, count }) => make("tr", {},
        make("th", { scope: "row" }, senderView(first.actor),
            first.actor === undefined || first.actor.kind === "anonymous" ? make("span", { class: "note code under" }, first.address) : null),
        cell(t("Request"), make("a", { class: "code value", href: requests.address(requests.likeThis(first)), title: first.route }, first.route)),
        cell(t("Result"), make("span", { class: "state alarm" }, titles[first.status])),
        cell(t("Times"), number(count), "number"), cell(t("Last"), timeView(first.timestamp), "moment")));
    return [
        columnTable({
            label: t("Denied and throttled"), body: make("tbody", {}, rows),
            columns: [{ title: t("Sender"), min: 6 }, { title: t("Request"), min: 7 }, { title: t("Result"), min: 5.5 },
                { title: t("Times"), style: "number", priority: 1 }, { title: t("Last"), solid: true, priority: 1 }],
        }),
        groups.length <= mostRows ? null : make("p", { class: "note" }, make("a", { href: requests.address({ status: "4xx" }) },
            tn("{count} more in the log", "{count} more in the log", groups.length - mostRows))),
    ];
}
