import RecordModel
import RecordStorage
import TestSupport
import Testing

@testable import RecordEngine

/// Positions and tokens of notifications, and what becomes of them in time.
@Suite struct NotificationTests {
    private static func row(
        _ name: String, of account: UserID = 7, definition: String = #"{"type":"database"}"#
    ) -> SubscriptionRow {
        SubscriptionRow(
            account: account, database: .publicDatabase, name: name, definition: definition, created: 1, changed: 1,
            since: 1)
    }

    @Test func `a position comes before the notifications that are left`() {
        var position = NotificationPosition(sequence: 5, complete: 5, floor: 0)
        #expect(!position.isBefore(5, 9) && position.isBefore(6, 1) && position.readsAfter == 5)
        position.within = 3
        #expect(!position.isBefore(5, 3) && position.isBefore(5, 4) && position.readsAfter == 4)
        #expect(!position.hasMissed(purged: 5) && position.hasMissed(purged: 6))
        position.floor = 8
        #expect(!position.hasMissed(purged: 8))
    }

    @Test func `positions and tokens open for their account and database only`() async throws {
        let (test, other) = (try TestDatabase(), try TestDatabase())
        let (keys, others) = (test.database.keys, other.database.keys)
        let position = NotificationPosition(sequence: 5, complete: 3, floor: 2)
        let text = position.sealed(of: 7, in: 4, with: keys)
        let opened = NotificationPosition.open(text, of: 7, with: keys)
        #expect(opened?.position == position && opened?.epoch == 4)
        #expect(NotificationPosition.open(text, of: 8, with: keys) == nil)
        #expect(NotificationPosition.open(text, of: 7, with: others) == nil)
        #expect(position.sealed(of: 7, in: 4, with: keys) != text)
        let token = NotificationToken(account: 7, number: 1 << 60)
        let sealed = token.text(keys)
        #expect(NotificationToken(sealed, keys) == token)
        // Clients read it as base64 or as hexadecimal digits.
        #expect(sealed.utf8.count % 4 == 0 && sealed.allSatisfy { "0123456789abcdef".contains($0) })
        for wrong in ["", "zz", String(sealed.dropLast(2)), sealed + "00"] {
            #expect(NotificationToken(wrong, keys) == nil, "\(wrong)")
        }
        #expect(NotificationToken(sealed, others) == nil)
        await test.close()
        await other.close()
    }

    @Test func `the position of a device is stored after a minute with news, after an hour without`() {
        let queues = NotificationQueues()
        let token = NotificationToken(account: 7, number: 2)
        let row = NotificationTokenRow(account: 7, number: 2, environment: "production", used: 1_000, position: "a")
        #expect(queues.position(of: token, stored: row) == "a")
        #expect(!queues.move(token, to: "b", isNotified: false, now: 61_000))
        #expect(queues.position(of: token, stored: row) == "b")
        #expect(queues.takeMoved().isEmpty)
        #expect(queues.move(token, to: "c", isNotified: true, now: 61_000))
        #expect(!queues.move(token, to: "d", isNotified: true, now: 120_999))
        #expect(queues.takeMoved().map(\.1) == ["d"] && queues.takeMoved().isEmpty)
        #expect(!queues.move(token, to: "e", isNotified: false, now: 3_660_999))
        #expect(queues.move(token, to: "f", isNotified: false, now: 3_661_000))
    }

    @Test func `maintenance deletes unused tokens and subscriptions that have fired, after a month`() async throws {
        let test = try TestDatabase()
        let month = NotificationTokens.lifetime
        try await test.database.write { transaction throws(RecordError) in
            let (table, tokens) = (transaction.store.subscriptions, transaction.store.notificationTokens)
            for (name, age) in [("old", month + 1), ("recent", month - 60_000)] {
                try table.put(Self.row(name))
                guard let id = try table.find(name, of: 7, in: .publicDatabase)?.id else { return }
                try table.fire(id, at: 1, changed: 2, now: transaction.now - age)
                try tokens.put(
                    NotificationTokenRow(
                        account: 7, number: age, environment: "production", used: transaction.now - age, position: ""))
            }
            try table.put(Self.row("live"))
        }
        _ = try await test.database.maintenance.run()
        let (names, tokens) = try await test.database.write { transaction throws(RecordError) in
            (
                try transaction.store.subscriptions.list(of: 7).map(\.name),
                try [month + 1, month - 60_000].map { number throws(RecordError) in
                    try transaction.store.notificationTokens.find(number, of: 7) != nil
                }
            )
        }
        #expect(names == ["live", "recent"] && tokens == [false, true])
        await test.close()
    }

    @Test func `damaged rows and those of later versions are silent`() async throws {
        let test = try TestDatabase()
        try await test.database.write { transaction throws(RecordError) in
            try transaction.store.subscriptions.put(Self.row("damaged", definition: "{"))
            try transaction.store.subscriptions.put(Self.row("later", definition: #"{"type":"share"}"#))
            try transaction.store.subscriptions.put(Self.row("good"))
        }
        try test.reader.refresh()
        let bound = try test.reader.subscriptions.bound(for: .user(7, roles: [:]))
        #expect(bound.items.map(\.subscription.name) == ["good"] && bound.count == 3)
        #expect(try test.reader.subscriptions.areCurrent(bound))
        await test.close()
    }

    @Test func `subscriptions and tokens of a key end with its row`() async throws {
        let test = try TestDatabase()
        let scope = KeyScope(permissions: [.read])
        let (ended, live) = (try await test.makeKey("ended", scope), try await test.makeKey("live", scope))
        guard case .service(let old) = try test.caller(ended.token),
            case .service(let new) = try test.caller(live.token)
        else {
            Issue.record("no services")
            return
        }
        try await test.database.write { transaction throws(RecordError) in
            for account in [old.account, new.account] {
                try transaction.store.subscriptions.put(Self.row("s", of: account))
                try transaction.store.notificationTokens.put(
                    NotificationTokenRow(
                        account: account, number: 1, environment: "production", used: transaction.now, position: ""))
            }
            guard let id = try transaction.store.keys.find(account: old.account)?.id else { return }
            try transaction.store.keys.revoke(id, now: 1)
        }
        #expect(try await test.database.maintenance.run().keys == 1)
        let left = try await test.database.write { transaction throws(RecordError) in
            try [old.account, new.account].map { account throws(RecordError) in
                let token = try transaction.store.notificationTokens.find(1, of: account)
                return (try transaction.store.subscriptions.list(of: account).count, token != nil)
            }
        }
        #expect(left[0] == (0, false) && left[1] == (1, true))
        await test.close()
    }

    @Test func `a commit wakes those who wait for its zone or its type, and no others`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""title":"x""#)
        try await test.create("n", #""title":"x""#, type: "Note")
        try test.reader.refresh()
        let watcher = test.database.commitBroadcast.makeWatcher(nil)
        let (zone, post, note) = (FeedSignal(), FeedSignal(), FeedSignal())
        let types = ["Post", "Note"].compactMap { RecordTypeName($0).flatMap { test.reader.schema[$0]?.id } }
        try #require(types.count == 2)
        watcher.add(zone, for: .zone(.publicDefault))
        watcher.add(post, for: .type(.publicDefault, types[0]))
        watcher.add(note, for: .type(.publicDefault, types[1]))
        watcher.add(note, for: .subscriptions(of: 7))
        #expect(watcher.count == 3)
        // The second pass begins after the first has woken all.
        for name in ["b", "c"] {
            try await test.create(name, #""title":"x""#)
            #expect(await post.wait() == .commit)
            #expect(await zone.wait() == .commit)
        }
        #expect(note.take() == [])
        try await test.create("m", #""title":"x""#, type: "Note")
        #expect(await note.wait() == .commit)
        watcher.remove(note, for: .type(.publicDefault, types[1]))
        #expect(watcher.count == 3)
        test.database.commitBroadcast.remove(watcher)
        await test.close()
    }
}
