import assert from "node:assert/strict";
import test from "node:test";

import "./page.js";

const draft = await import("../../Public/security/draft.js");
const explain = await import("../../Public/security/explain.js");
const { find } = await import("../../Public/rooms.js");

const entry = {
    fields: { title: { type: "STRING" }, cost: { type: "INT64", read: ["editors"], write: [] } }, indexes: [],
    grants: { _world: ["READ"], _icloud: ["CREATE"], _creator: ["WRITE"], editors: ["WRITE", "READ"] },
    acl: { _creator: { read: true, write: true }, "role:editors": ["read"] }, aclRequired: true,
};

test("the rights of a type are read in one form and written back", () => {
    const state = draft.read(entry);
    assert.deepEqual(state, {
        grants: { _world: ["READ"], _icloud: ["CREATE"], _creator: ["WRITE"], editors: ["READ", "WRITE"] },
        fields: { title: { read: null, write: null }, cost: { read: ["editors"], write: [] } },
        list: { _creator: ["read", "write"], "role:editors": ["read"] }, isRequired: true,
    });
    const copy = structuredClone(entry);
    draft.write(copy, { ...state, list: null, isRequired: false });
    assert.deepEqual(copy.fields, {
        title: { type: "STRING", read: null, write: null }, cost: { type: "INT64", read: ["editors"], write: [] },
    });
    assert.deepEqual([copy.acl, copy.aclRequired, copy.indexes], [null, false, []]);
    assert.deepEqual(draft.read({}), { grants: {}, fields: {}, list: null, isRequired: false });
});

/** A state with one change of each kind, and the changes. */
function edited() {
    const before = draft.read(entry);
    const after = draft.copy(before);
    draft.setGrant(after, "_world", "READ", false);
    draft.setGrant(after, "_icloud", "READ", true);
    after.fields.title.write = ["editors"];
    after.fields.cost.read = null;
    delete after.list["role:editors"];
    after.list["*"] = ["read"];
    after.isRequired = false;
    return { before, after, changes: draft.changes(before, after) };
}

test("each change is listed with a sentence, and can be undone alone", () => {
    const { before, after, changes } = edited();
    assert.deepEqual(changes.map((change) => draft.sentence(change)), [
        "everyone loses: read", "signed in gets: read", "title is written by: editors", "cost is read by: as the type",
        "List of new records: without editors", "List of new records: everyone: read", "New records need no access list",
    ]);
    changes.forEach((change, at) => {
        const state = draft.copy(after);
        draft.undo(state, change);
        assert.deepEqual(draft.changes(before, state), changes.filter((_, other) => other !== at), draft.sentence(change));
    });
    assert.deepEqual(draft.changes(before, before), []);
    assert.ok(!draft.areGrants(changes) && draft.areGrants(changes.slice(0, 2)));
});

test("changes are made in what somebody else has changed meanwhile", () => {
    const { changes } = edited();
    const theirs = draft.read({ ...entry, grants: { ...entry.grants, writers: ["CREATE"], _world: ["READ", "CREATE"] }, fields: {} });
    changes.forEach((change) => draft.make(theirs, change));
    assert.deepEqual(theirs.grants, {
        _world: ["CREATE"], _icloud: ["CREATE", "READ"], _creator: ["WRITE"], editors: ["READ", "WRITE"], writers: ["CREATE"],
    });
    assert.deepEqual(theirs.fields, {});
});

test("a new or removed list of new records is one change", () => {
    const before = draft.read({ ...entry, acl: undefined });
    const after = draft.copy(before);
    after.list = { _creator: ["read", "write"], _0: [] };
    const [change] = draft.changes(before, after);
    assert.equal(draft.sentence(change, new Map([["_0", "ada"]])),
        "New records begin with the access list creator: read, write · ada: no right");
    draft.undo(after, change);
    assert.equal(after.list, null);
    assert.equal(draft.sentence(draft.changes(draft.read(entry), before)[0]), "New records begin without an access list");
});

test("wider roles are shown, and rights for many have a warning", () => {
    const state = draft.read(entry);
    assert.equal(draft.through(state, "editors", "READ"), "_world");
    assert.equal(draft.through(state, "_creator", "CREATE"), "_icloud");
    assert.equal(draft.through(state, "_world", "READ"), null);
    assert.equal(draft.through(state, "editors", "WRITE"), null);
    const warnings = ["_world", "_icloud", "editors"].flatMap((role) => draft.rights.map((right) => draft.warning({
        kind: "grant", role, right, isGiven: true,
    })));
    assert.deepEqual(warnings.map((text) => text !== null), [true, false, true, false, false, true, false, false, false]);
    assert.equal(draft.warning({ kind: "grant", role: "_world", right: "WRITE", isGiven: false }), null);
});

const query = (text) => explain.fromAddress(new URLSearchParams(text));

test("a question is in the URL of the room", () => {
    const question = query("user=ada&type=Post&record=sea%2F1&action=write&field=title");
    assert.deepEqual(question, { user: "ada", action: "write", type: "Post", record: "sea/1", field: "title" });
    assert.deepEqual(query(new URLSearchParams(explain.toAddress(question)).toString()), question);
    assert.deepEqual(explain.body(question),
        { caller: "ada", action: "write", recordType: "Post", recordName: "sea/1", field: "title" });
    assert.deepEqual(explain.body(query("user=ada&type=Post&action=upload")),
        { caller: "ada", action: "upload", recordType: undefined, recordName: undefined, field: undefined });
    assert.equal(query("user=ada&type=Post&record=a&action=create").record, "");
    assert.equal(query("user=ada&type=Post&action=fly").action, "read");
    assert.equal(query("user=_world&type=Post").user, "anonymous");
    assert.deepEqual(["user=ada", "type=Post", "user=ada&type=Post", "user=ada&action=upload"].map((text) => explain.isComplete(query(text))),
        [false, false, true, true]);
    assert.deepEqual(find(["security", "why"]).names, {});
    assert.deepEqual(find(["security", "types", "Post"]).names, { type: "Post" });
    assert.deepEqual(find(["users", "ada"]).names, { user: "ada" });
});

const facts = {
    who: "ada", roles: ["editors", "painters", "poets", "singers", "writers"], heldRoles: ["writers"], isAnonymous: false, isUser: true, recordName: "_0", isCreator: false, list: null, names: new Map(),
    entry: { grants: { _world: ["READ"], _creator: ["WRITE"], editors: ["READ", "WRITE"] }, fields: { cost: { read: ["editors", "_creator"] } } },
};
const step = (rule, reason = "", allowed = false) => ({ decision: allowed ? "ALLOWED" : "ACCESS_DENIED", because: [{ rule, reason, allowed }] });

test("a denial has a sentence, its reason, and what would change it", () => {
    const question = query("user=ada&type=Post&record=p1&action=write");
    const answer = step("NOT_CREATOR");
    assert.equal(explain.headline(answer, question, "ada"), "No: ada cannot change or delete the record p1 of Post.");
    assert.equal(explain.reason(answer.because[0], question, facts),
        "Post grants “write” only to the creator of a record, and ada has not created this one.");
    assert.deepEqual(explain.mends(answer, question, facts), [
        { kind: "role", role: "editors" }, { kind: "grant", role: "writers", right: "WRITE" },
        { kind: "both", role: "painters", right: "WRITE" }, { kind: "both", role: "poets", right: "WRITE" },
        { kind: "grant", role: "_icloud", right: "WRITE" }, { kind: "open" },
    ]);
    const any = query("user=ada&type=Post&action=write");
    assert.equal(explain.reason(step("NO_GRANT").because[0], any, facts),
        "Post grants “write” to none of the roles of ada: everyone, signed in, writers.");
    assert.deepEqual(explain.mends(step("NO_GRANT"), any, facts).map(({ role }) => role),
        ["editors", "writers", "painters", "poets", "_creator", "_icloud", undefined]);
    assert.deepEqual(explain.mends(step("NO_GRANT"), query("user=anonymous&type=Post&action=create"),
        { ...facts, isAnonymous: true, isUser: false, heldRoles: [] }), [{ kind: "grant", role: "_world", right: "CREATE" }, { kind: "open" }]);
    assert.deepEqual(explain.mends(step("ACCOUNT_DISABLED"), any, facts), [{ kind: "enable" }]);
    assert.deepEqual(explain.mends(step("KEY_SCOPE"), any, { ...facts, isUser: false }), []);
});

test("a grant says who gets it and what it allows", () => {
    const roles = [{ name: "staff", members: ["_1", "role:editors"] }, { name: "editors", members: ["_1", "_2", "role:staff"] },
        { name: "empty", members: [] }];
    assert.deepEqual(["staff", "editors", "empty", "gone"].map((name) => explain.accountCount(roles, name)), [2, 2, 0, 0]);
    assert.equal(explain.audience("staff", 2), "the members of the role staff (2 accounts)");
    assert.equal(explain.audience("staff", 1), "the members of the role staff (1 account)");
    assert.equal(explain.audience("empty", 0), "the role empty, which has no members yet");
    assert.equal(explain.audience("_icloud", 0), "every signed-in user");
    assert.equal(explain.audience("_world", 0), "everyone, even without an account");
    assert.equal(explain.allowed({ role: "staff", right: "WRITE" }, "Post"),
        "change and delete all records of Post that have no access list");
    assert.equal(explain.allowed({ role: "_creator", right: "WRITE" }, "Post"), "change and delete their own records of Post");
});

test("an access list is mended by a role on it or by the user", () => {
    const question = query("user=ada&type=Post&record=p1&action=read");
    const list = { "*": ["write"], "role:editors": ["read"], "role:painters": ["write"] };
    assert.deepEqual(explain.mends(step("ACCESS_LIST"), question, { ...facts, list }),
        [{ kind: "role", role: "editors" }, { kind: "list", principal: "_0", word: "read" }]);
    assert.deepEqual(explain.mends(step("ACCESS_LIST"), question, { ...facts, list, isUser: false, isAnonymous: true }),
        [{ kind: "list", principal: "*", word: "read" }]);
    assert.equal(explain.reason(step("ACCESS_LIST", "The record's access list gives it to role:editors", true).because[0], question, facts),
        "The record's access list gives it to: editors.");
});

test("a permission says whose records it is for", () => {
    const answer = step("GRANT", "Post grants WRITE to _creator: its own records only, and those whose access lists name it", true);
    const any = query("user=ada&type=Post&action=write");
    assert.equal(explain.headline(answer, any, "ada"), "Yes: ada can change and delete records of Post.");
    assert.equal(explain.reason(answer.because[0], any, facts), "Post grants “write” to: creator. "
        + "So only to records that ada has created, or whose access list names ada.");
    assert.equal(explain.reason(step("GRANT", "Post grants READ to editors", true).because[0], query("user=ada&type=Post"), facts),
        "Post grants “read” to: editors.");
    assert.equal(explain.reason({ rule: "SOMETHING", reason: "as the server says" }, any, facts), "as the server says");
    assert.deepEqual(explain.mends(answer, any, facts), []);
});

test("a restricted field is mended by its roles", () => {
    const question = query("user=ada&type=Post&field=cost&action=read");
    const answer = step("FIELD_GRANT");
    assert.equal(explain.headline(answer, question, "ada"), "No: ada cannot read the field cost of Post.");
    assert.equal(explain.reason(answer.because[0], question, facts), "The field cost is only for: editors, creator.");
    assert.deepEqual(explain.mends(answer, question, facts), [{ kind: "role", role: "editors" }, { kind: "open" }]);
});
