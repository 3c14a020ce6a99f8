import assert from "node:assert/strict";
import test from "node:test";

process.env.TZ = "Europe/Berlin";
await import("./page.js");
const expiry = await import("../../Public/expiry.js");
const links = await import("../../Public/invitation-links.js");
const passwords = await import("../../Public/passwords.js");
const scopes = await import("../../Public/key-scopes.js");
const session = await import("../../Public/session.js");
const webhooks = await import("../../Public/webhook-states.js");
const { listed } = await import("../../Public/rooms.js");

test("a day ends with its last millisecond, also when the clocks change", () => {
    const end = (text) => new Date(expiry.endOfDay(text)).toISOString();
    assert.equal(end("2026-03-01"), "2026-03-01T22:59:59.999Z");
    assert.equal(end("2026-03-29"), "2026-03-29T21:59:59.999Z"); // a day of 23 hours
    assert.equal(end("2026-10-25"), "2026-10-25T22:59:59.999Z"); // a day of 25 hours
    assert.equal(end("2028-02-29"), "2028-02-29T22:59:59.999Z");
    for (const text of ["", "2026-02-29", "2026-13-01", "2026-1-1", "soon"]) assert.equal(expiry.endOfDay(text), null, text);
    for (const day of ["2026-03-29", "2026-10-25", "0099-01-01"]) assert.equal(expiry.dayText(expiry.endOfDay(day)), day);
});

test("the time until an expiry is in whole seconds, and never none", () => {
    assert.equal(expiry.secondsUntil(5_001, 0), "6s");
    assert.equal(expiry.secondsUntil(0, 5_000), "1s");
});

test("a link carries the invitation behind its #, and gives it back", () => {
    const page = links.ownPage({ container: "iCloud.a", environment: "production" }, "https://a.example/fog/_/signup.html");
    assert.equal(page, "https://a.example/fog/_/signup.html?container=iCloud.a&environment=production");
    const link = links.link("fbi_a-b_c", page);
    assert.equal(link, `${page}#invitation=fbi_a-b_c`);
    for (const text of [link, "#invitation=fbi_a-b_c", " fbi_a-b_c \n", links.link("fbi_a-b_c", "https://app.example/#page=2")]) {
        assert.equal(links.invitationIn(text), "fbi_a-b_c", text);
    }
    for (const text of ["", "#", "https://a.example/", "fbi_", "#page=2"]) assert.equal(links.invitationIn(text), "", text);
    const further = links.link("fbi_a", page, "https://app.example/?a=b#c");
    assert.deepEqual([links.invitationIn(further), links.appIn(further), links.appIn(link)], ["fbi_a", "https://app.example/?a=b#c", ""]);
    assert.equal(links.appIn("#invitation=fbi_a&app=javascript:alert(1)"), "");
    assert.ok(links.isPage("https://a.example/x") && !links.isPage("a.example") && !links.isPage("javascript:alert(1)"));
});

test("first passwords are random, long enough, and without letters that look alike", () => {
    const text = passwords.generate();
    assert.match(text, /^([a-km-np-z2-9]{4}-){4}[a-km-np-z2-9]{4}$/);
    assert.notEqual(text, passwords.generate());
    const every = passwords.generate((bytes) => bytes.map((_, at) => at * 13));
    assert.equal(new Set(every.replaceAll("-", "")).size, 20);
    assert.equal(passwords.byteCount("霧a"), 4);
});

test("the scope of a key is what was ticked", () => {
    assert.deepEqual(scopes.built({ types: null, actions: ["read"], rights: [] }), { actions: ["read"] });
    assert.deepEqual(scopes.built({ types: ["Post"], actions: ["read", "write"], rights: ["readSchema"] }),
        { types: ["Post"], actions: ["read", "write"], rights: ["readSchema"] });
    assert.equal(scopes.text({ types: ["Post", "Author"], actions: ["write", "read"] }), "read, write · Post, Author");
    assert.equal(scopes.text({ actions: ["read"], rights: ["readSchema"] }), "read · all types · 1 right");
    assert.equal(scopes.fullText({ actions: [], rights: ["manageUsers", "other", "readSchema"] }),
        "readSchema, manageUsers, other");
});

test("a key gives no more than it has", () => {
    const owner = scopes.grantable({ isAdministrator: true, role: "owner" });
    assert.equal(owner.types, null);
    assert.equal(owner.rights.length, 9);
    assert.deepEqual(scopes.grantable({ scope: { types: ["Post"], actions: ["read"], rights: ["manageKeys", "unknown"] } }),
        { types: ["Post"], actions: ["read"], rights: ["manageKeys"] });
});

const failing = { state: "active", failures: 3, failingSince: 1767225600000, nextAttemptAt: 1767225660000 };

test("the state of a webhook says what happens next", () => {
    assert.deepEqual(webhooks.stateOf({ state: "active", failures: 0 }), { text: "active", style: "state" });
    assert.equal(webhooks.explanation({ state: "active", failures: 0 }), "");
    assert.equal(webhooks.stateOf(failing).text, "fails, 3 attempts");
    assert.equal(webhooks.stateOf({ ...failing, failures: 1 }).text, "fails, 1 attempt");
    assert.match(webhooks.explanation(failing), /^Without a success since .+2026.+\. The server tries again at .+\. After 3 days it disables the webhook\.$/);
    assert.equal(webhooks.explanation({ state: "disabled", reason: "The key was revoked", failures: 3 }),
        "The key was revoked. “Resume” continues where it stopped.");
    assert.equal(webhooks.explanation({ state: "paused" }), "Changes wait; “Resume” sends them.");
});

test("attempts have a result, and the newest success and failure", () => {
    const attempts = [{ delivered: false, error: "refused", timestamp: 3 }, { delivered: true, status: 204, timestamp: 2 },
        { delivered: false, status: 500, timestamp: 1 }];
    assert.deepEqual(attempts.map(webhooks.resultText), ["refused", "delivered, 204", "rejected, 500"]);
    assert.deepEqual(webhooks.lastOf(attempts), { success: 2, failure: 3 });
    assert.deepEqual(webhooks.lastOf([]), { success: undefined, failure: undefined });
    assert.equal(webhooks.testText({ delivered: true, status: 200, duration: 12 }), "The receiver accepted the test message: 200 after 12 ms.");
    assert.equal(webhooks.testText({ delivered: false, duration: 15_020 }), "The test message was not accepted: no response.");
    assert.equal(webhooks.durationText(1_540), "1.5 s");
});

test("webhooks name the caller as whom they read", () => {
    const reader = (kind, name) => webhooks.readerText({ readsAs: { kind, name } });
    assert.deepEqual([reader("administrator", "grace"), reader("administrator", "_administrator"), reader("key", "mailer")],
        ["grace", "the server's token", "key mailer"]);
});

test("webhooks name their zone and selection", () => {
    assert.equal(webhooks.zoneText({ database: "public" }), "public");
    assert.equal(webhooks.zoneText({ database: "private", owner: "_a", zone: "Book" }, "ada"), "private of ada ▸ Book");
    assert.equal(webhooks.selectionText({}), "all types");
    assert.equal(webhooks.selectionText({ types: ["Post"], where: "good > 3" }), "Post where good > 3");
});

test("each role sees the rooms that it may use", () => {
    const rooms = (caller) => {
        session.enter(caller);
        return [...listed("access"), ...listed("operation")].map(({ path }) => path)
            .filter((path) => ["invitations", "keys", "administrators", "webhooks", "subscriptions"].includes(path));
    };
    const as = (role) => ({ name: "vera", isAdministrator: true, role });
    assert.deepEqual(rooms(as("owner")), ["invitations", "keys", "administrators", "webhooks", "subscriptions"]);
    assert.deepEqual(rooms(as("developer")), ["invitations", "keys", "webhooks", "subscriptions"]);
    assert.deepEqual(rooms(as("viewer")), ["subscriptions"]);
    assert.deepEqual(rooms({ name: "mailer", scope: { actions: ["read"], rights: ["manageKeys"] } }), ["keys", "subscriptions"]);
    session.forget();
});
