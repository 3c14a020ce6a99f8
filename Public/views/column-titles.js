import { t } from "../words.js";

const titles = {
    modifiedTimestamp: t("modified"), createdTimestamp: t("created"),
    createdUserRecordName: t("created by"), modifiedUserRecordName: t("modified by"),
};

/** The title of a column or field for people: that of a system field in words, otherwise its name. */
export function columnTitle(name) {
    return Object.hasOwn(titles, name) ? titles[name] : name;
}
