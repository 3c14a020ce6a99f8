// The rooms of the console. A new room is one row here and one module that exports
// `show(visit, names, query)`; it is loaded at the first visit.

import * as router from "./router.js";
import * as session from "./session.js";
import { t } from "./words.js";

/** The sections of the sidebar, in their order. */
export const sections = [["data", t("Data")], ["access", t("Access")], ["operation", t("Operation")]];

/**
 * `path` is the part of the URL after `#/`; a part with a colon stands for any name. Rooms with a `title` are in the sidebar, those
 * without a `section` above all sections. `right` is what a caller needs, as in `session.covers`. `within` is the path of the room
 * that the sidebar marks instead.
 */
export const rooms = [
    { path: "", title: t("Home"), load: () => import("./views/home.js") },
    { path: "types", title: t("Types"), section: "data", load: () => import("./views/types.js") },
    { path: "schema", title: t("Schema"), section: "data", load: () => import("./views/schema.js") },
    { path: "types/:type", load: () => import("./views/records.js") },
    { path: "types/:type/new", load: () => import("./views/record.js") },
    { path: "types/:type/record/:record", load: () => import("./views/record.js") },
    { path: "types/:type/schema", load: () => import("./views/type-schema.js") },
    { path: "import", within: "types", right: "writeRecords", load: () => import("./views/import.js") },
    { path: "security", title: t("Security"), section: "access", right: "readRights", load: () => import("./views/security.js") },
    { path: "security/types/:type", right: "readRights", load: () => import("./views/security-type.js") },
    { path: "security/roles", within: "security", right: "readRights", load: () => import("./views/security-roles.js") },
    { path: "security/roles/:role", within: "security", right: "readRights", load: () => import("./views/security-role.js") },
    { path: "security/why", within: "security", right: "readRights", load: () => import("./views/security-why.js") },
    { path: "users", title: t("Accounts"), section: "access", right: "manageUsers", load: () => import("./views/users.js") },
    { path: "users/:user", within: "users", right: "manageUsers", load: () => import("./views/user.js") },
    { path: "invitations", title: t("Invitations"), section: "access", right: "manageUsers", load: () => import("./views/invitations.js") },
    { path: "keys", title: t("Keys"), section: "access", right: "manageKeys", load: () => import("./views/keys.js") },
    { path: "keys/cloudkit", within: "keys", right: "manageKeys", load: () => import("./views/cloudkit-tokens.js") },
    {
        path: "administrators", title: t("Administrators"), section: "access", right: "manageAdministrators",
        load: () => import("./views/administrators.js"),
    },
    { path: "administrators/me", within: "administrators", load: () => import("./views/own-account.js") },
    { path: "webhooks", title: t("Webhooks"), section: "operation", right: "manageWebhooks", load: () => import("./views/webhooks.js") },
    { path: "webhooks/:webhook", within: "webhooks", right: "manageWebhooks", load: () => import("./views/webhook.js") },
    { path: "subscriptions", title: t("Subscriptions"), section: "operation", load: () => import("./views/subscriptions.js") },
    { path: "jobs", title: t("Jobs"), section: "operation", load: () => import("./views/job-list.js") },
    { path: "jobs/:job", within: "jobs", load: () => import("./views/job.js") },
    {
        path: "schedules", title: t("Schedules"), section: "operation", right: "manageSchedules",
        load: () => import("./views/schedule-list.js"),
    },
    { path: "new-schedule", within: "schedules", right: "manageSchedules", load: () => import("./views/schedule.js") },
    {
        path: "schedules/:schedule", within: "schedules", right: "manageSchedules", load: () => import("./views/schedule.js"),
    },
    {
        path: "performance", title: t("Performance"), section: "operation", right: "readSchema",
        load: () => import("./views/performance.js"),
    },
    { path: "api", title: t("API"), section: "operation", load: () => import("./views/api-routes.js") },
    { path: "api/code", within: "api", load: () => import("./views/api-code.js") },
    { path: "logs", title: t("Logs"), section: "operation", right: "readRequests", load: () => import("./views/logs.js") },
    { path: "logs/audit", right: "readAudit", load: () => import("./views/audit.js") },
    { path: "settings", title: t("Settings"), section: "operation", right: "readSettings", load: () => import("./views/settings.js") },
    { path: "backups", title: t("Backups"), section: "operation", right: "downloadBackups", load: () => import("./views/backups.js") },
];

function parts(path) {
    return path === "" ? [] : path.split("/");
}

/** The room at these segments of the URL, and the names in them; `null` if there is none. */
function exact(segments) {
    for (const room of rooms) {
        const wanted = parts(room.path);
        if (wanted.length !== segments.length) continue;
        if (!wanted.every((part, at) => part.startsWith(":") || part === segments[at])) continue;
        const names = wanted.flatMap((part, at) => (part.startsWith(":") ? [[part.slice(1), segments[at]]] : []));
        return { room, names: Object.fromEntries(names) };
    }
    return null;
}

/** The page for a URL that names no room. */
const nowhere = { path: "nowhere", load: () => import("./views/nowhere.js") };

/** The room at these segments of the URL, and the names in them: `{room, names: {type: "Post"}}`; a page that says so if there is none. */
export function find(segments) {
    // The welcome link leads callers that are signed in to the first room.
    return exact(segments) ?? { room: segments[0] === "welcome" ? rooms[0] : nowhere, names: {} };
}

/** The words of a URL or a title without those of the plural. */
function words(text) {
    return text.toLowerCase().split(/[^\p{L}\p{N}]+/u).map((word) => word.replace(/s$/, "")).filter((word) => word !== "");
}

/** Rooms that may be meant by the segments of a URL that names none: `[{title, href}]`. */
export function similar(segments) {
    const found = new Map();
    const add = (title, href) => found.set(href, { title, href });
    if (segments[0] === "types" && segments.length >= 3) {
        const [, type, record] = segments;
        if (segments.length === 3) {
            add(t("Record {name} of {type}", { name: record, type }), router.address(["types", type, "record", record]));
        }
        add(type, router.address(["types", type]));
    }
    const wanted = new Set(segments.flatMap(words));
    for (const room of rooms) {
        const isCovered = room.right === undefined || session.covers(room.right);
        if (room.title === undefined || room.path === "" || !isCovered) continue;
        if ([...words(room.path), ...words(room.title)].some((word) => wanted.has(word))) add(room.title, `#/${room.path}`);
    }
    return [...found.values()].slice(0, 4);
}

/** Databases share types and roles, but not what has other names in a URL. */
const shared = new Set([":type", ":role"]);
/** What a page has in its query that is of one database. */
const own = ["page", "from", "as", "request"];

/** The URL of the same room for another database. A page of something that only this one has leads to the list of such things. */
export function elsewhere({ segments, query }) {
    const { room } = exact(segments) ?? { room: rooms[0] };
    const path = parts(room.path);
    const foreign = path.findIndex((part) => part === "new" || (part.startsWith(":") && !shared.has(part)));
    let rest = foreign < 0 ? segments.slice(0, path.length) : segments.slice(0, foreign);
    while (exact(rest) === null) rest = rest.slice(0, -1);
    const kept = foreign < 0 ? [...query].filter(([key]) => !own.includes(key)) : [];
    return router.address(rest, Object.fromEntries(kept));
}

/** The rooms for the sidebar in this section that the caller's role covers. */
export function listed(section) {
    return rooms.filter((room) => room.title !== undefined && room.section === section
        && (room.right === undefined || session.covers(room.right)));
}
