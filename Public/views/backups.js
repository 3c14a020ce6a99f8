// Backups: one to download, made by the server, and how to make and restore them with commands.

import * as api from "../api.js";
import { localText } from "../dates.js";
import { announce, introduce, make, whileBusy } from "../dom.js";
import * as observation from "../observation.js";
import { sizeText } from "../sizes.js";
import { number, t, tn } from "../words.js";
import { codeBlock } from "./code-block.js";
import { ask } from "./dialog.js";
import { progressText, stateText } from "./jobs.js";
import { part } from "./part.js";
import { showProblem } from "./problem.js";
import { repeat } from "./repeat.js";
import { columnTable } from "./table.js";

const pause = 1_000; // milliseconds

const units = {
    pages: (count) => tn("{count} page", "{count} pages", count), assets: (count) => tn("{count} file", "{count} files", count),
    bytes: (count) => sizeText(count),
};

/** What the server copies now, and how far it is: `development: 1,200 of 4,000 pages`. A total of 0 is unknown. */
function workText({ activity = "", done = 0, total = 0, unit = "" }) {
    const shown = units[unit] ?? ((count) => number(count));
    const progress = Number(total) > 0 ? t("{done} of {total}", { done: number(done), total: shown(Number(total)) })
        : Number(done) > 0 ? shown(Number(done)) : "";
    return [activity, progress].filter((text) => text !== "").join(": ");
}

/**
 * What the test of the backup that can be downloaded has found, or how far it is: `element`, and `set()`, which gets the test.
 * `tell` announces a result, and `again` returns a button that makes another backup.
 */
function testView(tell, again) {
    const element = make("div", { class: "test" });
    const bar = make("progress", { max: "1", value: "0", "aria-label": t("Progress of the test") });
    const work = make("span", { class: "note" });
    let shown = null;

    function content({ state, tested, problem = "" }) {
        switch (state) {
        case "running": return [make("p", {}, t("The server reads it all again, to test that it is complete."), " ", work), bar];
        case "complete": return [make("p", {}, make("strong", { class: "complete" }, t("It is complete.")), " ",
            t("The server tested it {time}.", { time: localText(tested) }))];
        case "damaged": return [make("div", { class: "problem-box" }, make("p", { class: "reason" }, t("This backup is damaged.")),
            make("p", { class: "advice" }, problem, " ", t("Make another one, and check the disk of the server.")),
            make("p", { class: "actions" }, again()))];
        default: return [make("p", {}, t("It was not tested."))];
        }
    }
    return {
        element,
        set(test, created) {
            if (test.state === "running") {
                const total = Number(test.total ?? 0);
                if (total > 0) bar.value = Number(test.done ?? 0) / total;
                else bar.removeAttribute("value");
                work.textContent = workText(test);
            }
            const key = [created, test.state, test.tested].map(String).join();
            if (key === shown) return;
            if (shown !== null && test.state === "complete") tell(t("The backup is complete."));
            if (shown !== null && test.state === "damaged") tell(t("This backup is damaged."));
            shown = key;
            element.replaceChildren(...content(test));
        },
    };
}

/** Asks before the backup that can be downloaded is deleted. */
async function mayDelete() {
    return (await ask({
        title: t("Delete the backup?"),
        content: make("p", {}, t("It can no longer be downloaded. Copies that you have downloaded stay.")),
        choices: [
            { value: "keep", title: t("Keep it"), isFirst: true },
            { value: "delete", title: t("Delete the backup"), kind: "danger" },
        ],
    })) === "delete";
}

/** Asks before the backup that is under way is stopped. */
async function mayStop() {
    return (await ask({
        title: t("Stop the backup?"),
        content: make("p", {}, t("What was copied so far is deleted.")),
        choices: [
            { value: "continue", title: t("Let it go on"), isFirst: true },
            { value: "stop", title: t("Stop it"), kind: "danger" },
        ],
    })) === "stop";
}

/**
 * The panel with the backup to download: `element`, `refresh()`, which returns what the server does: `making` the backup,
 * `testing` it, neither (`idle`), or that it does not let the caller know (`gone`).
 */
function archivePanel({ signal, changed }) {
    const place = make("div", { class: "archive" });
    const problem = make("div", {});
    const status = make("p", { class: "visually-hidden", role: "status" });
    const element = make("section", { "aria-label": t("Make a backup") }, make("h2", {}, t("Make a backup")), place, problem, status);
    const bar = make("progress", { max: "1", value: "0", "aria-label": t("Progress") });
    const work = make("p", { class: "note" });
    let shown = null;
    const test = testView((text) => {
        status.textContent = text;
    }, () => start(t("Make another one")));

    /** Does something with the backup, then shows its new state. */
    function act(button, deed) {
        return whileBusy(button, async () => {
            problem.replaceChildren();
            try {
                await deed();
            } catch (error) {
                if (!signal.aborted) showProblem(problem, error);
            }
            await refresh().catch(() => {}); // The next round shows the state, or why there is none.
        });
    }
    function button(title, style, deed) {
        const found = make("button", { type: "button", class: style, onclick: () => act(found, deed) }, title);
        return found;
    }
    const start = (title = t("Make a backup")) => button(title, "primary", async () => {
        await observation.startArchive();
        changed();
    });
    /** Follows a link with a fresh ticket, so that no ticket lies around in the page. */
    async function download() {
        const link = make("a", { href: await observation.archiveAddress(), download: "" });
        document.body.append(link);
        link.click();
        link.remove();
        announce(t("The download has begun."));
    }
    const isDamaged = (archive) => archive.test?.state === "damaged";
    function content(archive) {
        switch (archive.state) {
        case "running": return [make("p", {}, make("strong", {}, t("A backup is under way.")), " ", t("You can leave this page meanwhile.")),
            bar, work, make("p", { class: "actions" }, button(t("Stop it"), "danger", async () => {
                if (await mayStop()) await observation.deleteArchive();
            }))];
        case "done": return [make("p", {}, make("strong", {}, t("The backup of {time} is ready.", { time: localText(archive.created) })),
            " ", t("{size} as a tar file.", { size: sizeText(Number(archive.bytes)) })),
        make("p", { class: "note" }, archive.expires === undefined ? t("Download it before the server is restarted.")
            : t("The server keeps it until {time}.", { time: localText(archive.expires) })),
        test.element,
        make("p", { class: "actions" }, button(t("Download"), isDamaged(archive) ? "" : "primary", download), button(t("Delete…"), "", async () => {
            if (await mayDelete()) await observation.deleteArchive();
        }))];
        case "failed": return [make("div", { class: "problem-box" }, make("p", { class: "reason" }, t("The backup has failed.")),
            make("p", { class: "advice" }, archive.reason ?? "")), make("p", { class: "actions" }, start())];
        default: return [make("p", {}, t("The server copies all databases while it keeps working, and packs the copy into one file for you to download.")),
            make("p", { class: "actions" }, start())];
        }
    }
    function set(archive) {
        if (archive.state === "running") {
            const total = Number(archive.total ?? 0);
            if (total > 0) bar.value = Number(archive.done ?? 0) / total;
            else bar.removeAttribute("value");
            work.textContent = workText(archive);
        }
        draw(archive);
        if (archive.state === "done") test.set(archive.test ?? {}, archive.created);
    }
    function draw(archive) {
        const key = [archive.state, archive.created, archive.reason, isDamaged(archive)].map(String).join();
        if (key === shown) return;
        const hadFocus = place.contains(document.activeElement);
        if (shown !== null) {
            status.textContent = { running: t("A backup is under way."), done: t("The backup is ready."), failed: t("The backup has failed.") }[archive.state]
                ?? t("There is no backup to download.");
        }
        shown = key;
        place.replaceChildren(...content(archive));
        if (hadFocus) place.querySelector("button")?.focus();
    }
    async function refresh() {
        let archive;
        try {
            archive = await observation.archive(signal);
        } catch (error) {
            if (signal.aborted || !(error instanceof api.Refusal) || ![403, 404, 405].includes(error.status)) throw error;
            // A server from before this route, or a caller without the right: the commands below still work.
            place.replaceChildren(make("p", {}, t("This server does not make backups for downloads: {reason}", { reason: error.message })));
            return "gone";
        }
        signal.throwIfAborted();
        set(archive);
        return archive.state === "running" ? "making" : archive.test?.state === "running" ? "testing" : "idle";
    }
    return { element, refresh };
}

const cell = (title, content, style) => make("td", { "data-title": title, class: style }, content);

function table(label, columns, rows) {
    return columnTable({ label, role: "group", columns, body: make("tbody", {}, rows) });
}

/** Jobs of backups that run or have not succeeded. */
function jobTable(jobs) {
    return table(t("Backups that run or have failed"),
        [{ title: t("Started"), solid: true }, { title: t("Ended"), solid: true, priority: 1 }, { title: t("State"), min: 9 },
            { title: t("Progress"), style: "number", min: 6 }],
        jobs.map((job) => make("tr", {},
            make("th", { scope: "row" }, localText(job.started ?? job.created)),
            cell(t("Ended"), job.ended === undefined ? "" : localText(job.ended), "moment"),
            cell(t("State"), make("span", { class: "content" }, make("span", { class: job.state === "failed" ? "state alarm" : "state" }, stateText(job)),
                job.error?.reason === undefined ? null : make("span", { class: "note" }, " ", job.error.reason)), "wide"),
            cell(t("Progress"), progressText(job), "number"))));
}

const kinds = { archive: t("to download"), directory: t("directory") };

/** Whether a backup was tested, and with what result. */
function testCell({ tested, problems = 0, problem = "" }) {
    if (tested === undefined) return make("span", { class: "state" }, t("not tested"));
    if (Number(problems) === 0) {
        return [make("span", { class: "state good" }, t("complete")), " ", make("span", { class: "note" },
            t("tested {time}", { time: localText(tested) }))];
    }
    const more = Number(problems) - 1;
    return [make("span", { class: "state alarm" }, t("damaged")), " ", make("span", { class: "note" }, problem,
        more > 0 ? ` ${tn("{count} more problem.", "{count} more problems.", more)}` : null)];
}

/** The backups that the server remembers; before them those that run or have failed lately. */
function backupList(backups, jobs) {
    const others = jobs.filter(({ state }) => state !== "succeeded");
    return [others.length === 0 ? null : jobTable(others),
        backups.length === 0 ? make("p", { class: "note" }, t("The server knows of no backup."))
            : table(t("Last backups"), [{ title: t("Made"), solid: true }, { title: t("Name"), min: 7 }, { title: t("Kind"), min: 5.5, priority: 1 },
                { title: t("Size"), style: "number", min: 5 }, { title: t("Test"), min: 10 }],
                backups.map((backup) => make("tr", {},
                    make("th", { scope: "row" }, localText(backup.created)),
                    cell(t("Name"), backup.name), cell(t("Kind"), kinds[backup.kind] ?? backup.kind),
                    cell(t("Size"), sizeText(Number(backup.bytes)), "number"), cell(t("Test"), make("span", { class: "content" }, testCell(backup)), "wide test"))))];
}

/** The data directory of the service that the Debian package or the manual sets up. */
const serviceData = "/var/lib/fogbase";

/** A word of a command for a shell. */
function quoted(word) {
    return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The commands for a server with this data directory. Only of the service it is known how it is stopped. */
function commands(dataPath) {
    const isService = dataPath === serviceData;
    const name = `fogbase-${new Date().toISOString().slice(0, 10)}`;
    const [as, folder] = isService ? ["sudo -u fogbase ", "/var/backups/fogbase"] : ["", quoted(`${dataPath}-backups`)];
    const [data, target] = [quoted(dataPath), `${folder}/${name}`];
    const verify = `${as}fogbase backup verify --data ${data} ${target}`;
    const folders = isService ? [] : [`mkdir -p ${folder}`];
    return {
        create: [...folders, `${as}fogbase backup create --data ${data} ${target}`, verify].join("\n"),
        unpack: [...folders, `${as}tar -xf ${name}.tar -C ${folder}`, verify].join("\n"),
        restore: [isService ? "sudo systemctl stop fogbase" : null, `${as}fogbase backup restore --data ${data} --replace ${target}`,
            isService ? "sudo systemctl start fogbase" : null].filter((line) => line !== null).join("\n"),
    };
}

/** What a backup has, and how commands make and restore one. */
function explanation(dataPath) {
    const { create, unpack, restore } = commands(dataPath);
    return [
        make("section", { "aria-label": t("What a backup has") }, make("h2", {}, t("What a backup has")),
            make("ul", { class: "plain" },
                make("li", {}, t("All containers and environments: records, schemas, permissions, accounts and roles, the change feed and the audit log.")),
                make("li", {}, t("The files of records, administrators, and the secrets with which tokens and URLs are signed. Keep it where only you can read it.")),
                make("li", {}, t("Each database as of one moment. Uploads that are not complete and the server's settings are not in it.")))),
        make("section", { "aria-label": t("With a command") }, make("h2", {}, t("With a command")),
            make("p", {}, t("On the server's machine, as its user. The server keeps working. “verify” reads everything, compares the digests, and tells the server the result.")),
            codeBlock(t("Make and check a backup"), create),
            make("p", { class: "note" }, t("For a nightly backup, use a timer of systemd with these commands. Keep verified backups on another disk or machine."))),
        make("section", { "aria-label": t("Restore") }, make("h2", {}, t("Restore")),
            make("p", {}, t("A restore replaces the data directory, so it happens at the server while it does not run. Unpack a downloaded file first.")),
            codeBlock(t("Unpack a downloaded backup"), unpack), codeBlock(t("Restore a backup"), restore),
            make("p", { class: "note" }, t("With --replace, the command first moves the present content to a directory .replaced-… beside it. Clients that synced after the backup must sync from the start; all others continue."))),
    ];
}

export async function show({ signal, show: draw, fail }) {
    const heading = make("h1", {}, t("Backups"));
    const context = { signal, fail };
    const list = part({ ...context, title: t("Last backups"), load: async () => backupList(
        ...await Promise.all([observation.backups(signal), observation.backupJobs(signal)])) });
    let known = null;
    const panel = archivePanel({ signal, changed: () => {
        known = "making";
    } });
    async function refresh() {
        const work = await panel.refresh();
        // The list has another row after the backup, and its result after the test.
        if (known !== null && work !== known) list.refresh();
        known = work;
        return work === "gone" ? null : work === "idle" ? 5 * pause : pause;
    }
    const [next, settings] = await Promise.all([refresh(), observation.settings(signal).catch(() => [])]);
    const [content, ...others] = explanation(settings.find(({ key }) => key === "data.path")?.value ?? serviceData);
    draw(make("div", { class: "page-head" }, heading), make("div", { class: "two" }, panel.element, content), list.element,
        make("div", { class: "two" }, others));
    introduce(heading);
    list.refresh();
    if (next !== null) repeat(refresh, pause, signal, fail);
}
