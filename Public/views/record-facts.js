// What a record has beside its fields: its dates, its writers, its parent and its share.

import { localText } from "../dates.js";
import { make } from "../dom.js";
import * as writes from "../own-writes.js";
import * as references from "../references.js";
import * as router from "../router.js";
import * as schema from "../schema.js";
import { userLink, userText } from "../users.js";
import { t, tp } from "../words.js";
import { missingTarget, targetLink } from "./target.js";

function moment(recordName, { timestamp, userRecordName } = {}) {
    if (timestamp === undefined) return null;
    const text = localText(timestamp);
    if (userRecordName === undefined) return text;
    const name = writes.writer(recordName, { timestamp, userRecordName });
    return tp("{time} by {user}", {
        time: text, user: name === null ? userLink(userRecordName) : make("span", { class: "user", title: userRecordName }, name),
    });
}

/** A record of the same zone, such as the parent. Its type is looked up. */
function relative(name) {
    if (typeof name !== "string") return null;
    const place = make("span", { title: name }, name);
    references.find(name, schema.all().map((type) => type.name)).then((target) => {
        if (target !== undefined) place.replaceChildren(target === null ? missingTarget(name) : targetLink(target));
    }, () => {});
    return place;
}

function share(name) {
    return typeof name !== "string" ? null
        : make("a", { href: router.address(["types", "cloudkit.share", "record", name]) }, name);
}

export function facts(record) {
    const lines = [
        [t("Account"), record.recordType === "Users" ? userText(record.recordName) : null],
        [t("Created"), moment(record.recordName, record.created)], [t("Modified"), moment(record.recordName, record.modified)],
        [t("Parent"), relative(record.parent?.recordName)], [t("Share"), share(record.share?.recordName)],
        [t("Shares"), relative(record.forRecord?.recordName)], [t("Link of the share"), record.shortGUID], [t("Change tag"), record.recordChangeTag],
    ];
    return make("dl", { class: "facts" }, lines.filter(([, value]) => value !== null && value !== undefined)
        .map(([key, value]) => make("div", {}, make("dt", {}, key), make("dd", {}, value))));
}
