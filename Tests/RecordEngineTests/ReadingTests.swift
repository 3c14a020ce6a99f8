import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct ReadingTests {
    @Test func `pages in creation order hold every record once`() async throws {
        let test = try TestDatabase()
        for number in 0..<23 { try await test.create("r\(number)") }
        var seen: [String] = []
        var cursor: String?
        repeat {
            let page = try test.list(limit: 5, cursor: cursor)
            seen += page.names
            cursor = page.cursor
        } while cursor != nil
        #expect(seen == (0..<23).map { "r\($0)" })
    }

    @Test func `a cursor of another caller or type is rejected`() async throws {
        let test = try TestDatabase()
        for number in 0..<3 { try await test.create("r\(number)") }
        try await test.create("o", type: "Other")
        let cursor = try #require(try test.list(limit: 1).cursor)
        #expect(await rejection { _ = try test.list(as: .anonymous, cursor: cursor) }?.cause == .tokenInvalid)
        #expect(await rejection { _ = try test.list(type: "Other", cursor: cursor) }?.cause == .tokenInvalid)
        #expect(await rejection { _ = try test.list(cursor: "AAAA" + cursor.dropFirst(4)) }?.cause == .tokenInvalid)
    }

    @Test func `selected fields are shown and no others`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""x":1,"y":2,"z":3"#)
        #expect(try test.read("a", fields: ["z", "x", "unknown"]).fields == ["x": .int64(1), "z": .int64(3)])
        #expect(try test.read("a", fields: []).fields.isEmpty)
    }

    @Test func `the feed gives each record once with its newest state`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""n":1"#)
        try await test.create("b", #""n":1"#)
        try await test.change("a", #""n":2"#)
        let first = try test.changes()
        #expect(first.changes.compactMap { $0["recordName"]?.string } == ["b", "a"])
        #expect(!first.moreComing)
        let second = try test.changes(since: first.token)
        #expect(second.changes.isEmpty && !second.moreComing)
        try await test.delete("b")
        let third = try test.changes(since: first.token)
        #expect(third.changes.first?["deleted"]?.bool == true)
        #expect(third.changes.first?["recordType"]?.string == "Post")
        // A token is a position in the feed, and may be used again.
        #expect(try test.changes(since: first.token).changes.count == 1)
    }

    @Test func `the feed pages without gaps`() async throws {
        let test = try TestDatabase()
        for number in 0..<12 { try await test.create("r\(number)") }
        var token: String?
        var names: [String] = []
        var more = true
        while more {
            let page = try test.changes(since: token, limit: 5)
            names += page.changes.compactMap { $0["recordName"]?.string }
            token = page.token
            more = page.moreComing
        }
        #expect(names == (0..<12).map { "r\($0)" })
    }

    @Test func `the list and the feed show callers the records that they may read`() async throws {
        let test = try TestDatabase()
        let alice = try await test.signUp("alice").caller
        let bob = try await test.signUp("bob").caller
        try await test.create("hers", as: alice)
        try await test.create("his", as: bob)
        let type = try #require(RecordTypeName("Post"))
        try await test.database.schemas.setGrants(
            Grants([.creator: [.read, .write], .authenticated: .create]), of: type)
        #expect(try test.list(as: alice).names == ["hers"])
        func followed(_ caller: Caller) throws -> [String] {
            try test.changes(as: caller).changes.filter { $0["recordType"]?.string != "Users" }
                .compactMap { $0["recordName"]?.string }
        }
        #expect(try followed(bob) == ["his"])
        #expect(await rejection { _ = try test.read("his", as: alice) } == .recordNotFound)
        #expect(await rejection { _ = try test.list(as: .anonymous) }?.code == .authenticationRequired)
        #expect(try test.changes(as: .anonymous).changes.isEmpty)
        try await test.delete("his", as: bob)
        #expect(try followed(alice) == ["hers"])
        #expect(try followed(bob).count == 1)
    }

    @Test func `older tokens start over after a change of grants or roles`() async throws {
        let test = try TestDatabase()
        let alice = try await test.signUp("alice")
        try await test.create("a")
        let token = try test.changes(as: alice.caller).token
        let type = try #require(RecordTypeName("Post"))
        try await test.database.schemas.setGrants(Grants([.creator: [.read]]), of: type)
        #expect(await rejection { _ = try test.changes(since: token, as: alice.caller) }?.cause == .tokenExpired)
        let fresh = try test.changes(as: alice.caller).token
        #expect(try test.changes(since: fresh, as: alice.caller).changes.isEmpty)
        let editors = try #require(RoleName("editors"))
        _ = try await test.database.roles.put(editors, members: [alice.session.user.recordName])
        #expect(await rejection { _ = try test.changes(since: fresh, as: alice.caller) }?.cause == .tokenExpired)
    }

    @Test func `a former reader gets the tombstone of a deleted record although its name is taken again`() async throws
    {
        let test = try TestDatabase()
        let alice = try await test.signUp("alice").caller
        let bob = try await test.signUp("bob").caller
        try await test.create("a", as: alice)
        try await test.create("x", type: "Secret", as: bob)
        let secret = try #require(RecordTypeName("Secret"))
        try await test.database.schemas.setGrants(Grants([.authenticated: .create]), of: secret)
        let token = try test.changes(as: alice).token
        try await test.delete("a", as: alice)
        try await test.create("a", type: "Secret", as: bob)
        let seen = try test.changes(since: token, as: alice).changes
        #expect(seen.count == 1)
        #expect(seen.first?["deleted"] == .bool(true))
        #expect(seen.first?["recordType"]?.string == "Post")
    }

    @Test func `only owners access their private databases`() async throws {
        let test = try TestDatabase()
        let alice = try await test.signUp("alice").caller
        let bob = try await test.signUp("bob").caller
        let owner = try #require(alice.userID)
        let hers = DatabaseAddress(scope: .privateDatabase(owner: owner))
        try await test.create("secret", #""n":1"#, as: alice, in: hers)
        #expect(try test.read("secret", as: alice, in: hers).fields["n"] == .int64(1))
        #expect(await rejection { _ = try test.read("secret", as: bob, in: hers) } == .recordNotFound)
        #expect(await rejection { _ = try test.changes(as: bob, in: hers) }?.code == .accessDenied)
        #expect(await rejection { _ = try test.read("secret", as: alice) } == .recordNotFound)
        #expect(try test.changes(as: alice, in: hers).changes.count == 1)
    }

    @Test func `a page ends early when it has enough bytes`() async throws {
        var limits = DatabaseLimits()
        limits.pageBytes = 2_000
        let test = try TestDatabase(limits: limits)
        for number in 0..<10 {
            try await test.create("r\(number)", #""text":"\#(String(repeating: "x", count: 500))""#)
        }
        let page = try test.list(limit: 10)
        #expect((1..<10).contains(page.names.count))
        #expect(page.cursor != nil)
    }

    @Test func `a page that shows little of large records ends early too`() async throws {
        var limits = DatabaseLimits()
        limits.pageBytes = 2_000
        let test = try TestDatabase(limits: limits)
        for number in 0..<10 {
            try await test.create("r\(number)", #""n":1,"text":"\#(String(repeating: "x", count: 3_000))""#)
        }
        var page: [UInt8] = []
        var feed: [UInt8] = []
        try test.reader.refresh()
        try test.reader.list(
            type: try #require(RecordTypeName("Post")), in: .publicDefault, for: .administrator(.bootstrap),
            fields: ["n"],
            limit: 10, cursor: nil, to: &page)
        try test.reader.changes(
            in: .publicDefault, for: .administrator(.bootstrap), since: nil, limit: 10, fields: [], to: &feed)
        let listed = try JSONValue.parse(page)
        #expect((1..<10).contains(listed["records"]?.array?.count ?? 0))
        #expect(listed["cursor"] != nil)
        let changes = try JSONValue.parse(feed)
        #expect((1..<10).contains(changes["changes"]?.array?.count ?? 0))
        #expect(changes["moreComing"] == .bool(true))
    }
}

@Suite struct AccountTests {
    @Test func `a session is known until it is signed out`() async throws {
        let test = try TestDatabase()
        let alice = try await test.signUp("alice")
        let lookup = try test.reader.accounts.lookUp(named: "alice")
        let session = try await test.database.accounts.signIn(
            Credentials(name: "alice", password: "correct horse"), account: lookup)
        #expect(session.user.recordName == alice.session.user.recordName)
        let token = Array(session.token.utf8)
        try test.reader.refresh()
        #expect(try token.withUnsafeBytes { try test.reader.callers.authenticate($0) } == alice.caller)
        try await test.database.sessions.signOut(token)
        try test.reader.refresh()
        #expect(
            await rejection { _ = try token.withUnsafeBytes { try test.reader.callers.authenticate($0) } }?.code
                == .authenticationFailed)
    }

    @Test func `a wrong password and an unknown name are rejected alike`() async throws {
        let test = try TestDatabase()
        _ = try await test.signUp("alice")
        let wrong = await rejection {
            _ = try await test.database.accounts.signIn(
                Credentials(name: "alice", password: "wrong horse"),
                account: test.reader.accounts.lookUp(named: "alice"))
        }
        let unknown = await rejection {
            _ = try await test.database.accounts.signIn(
                Credentials(name: "mallory", password: "wrong horse"),
                account: test.reader.accounts.lookUp(named: "mallory"))
        }
        #expect(wrong == unknown)
        #expect(wrong?.code == .authenticationFailed)
        #expect(await rejection { _ = try await test.signUp("alice") }?.cause == .nameTaken)
    }

    @Test func `roles are held through other roles and end with them`() async throws {
        let test = try TestDatabase()
        let alice = try await test.signUp("alice")
        let inner = try #require(RoleName("inner"))
        let outer = try #require(RoleName("outer"))
        _ = try await test.database.roles.put(inner, members: [alice.session.user.recordName])
        _ = try await test.database.roles.put(outer, members: ["role:inner"])
        let token = Array(alice.session.token.utf8)
        try test.reader.refresh()
        guard case .user(_, let roles) = try token.withUnsafeBytes({ try test.reader.callers.authenticate($0) }) else {
            Issue.record("not a user")
            return
        }
        #expect(Set(roles.keys) == [inner, outer])
        try await test.database.roles.remove(inner)
        try test.reader.refresh()
        guard case .user(_, let after) = try token.withUnsafeBytes({ try test.reader.callers.authenticate($0) }) else {
            return
        }
        #expect(after.isEmpty)
        #expect(
            await rejection { _ = try await test.database.roles.put(outer, members: ["role:outer"]) }?.cause
                == .unknownName)
    }
}
