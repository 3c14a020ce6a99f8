import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing
import Threads

@Suite struct AccountChangeTests {
    /// Has its own queue of password hashes: many at once would keep other tests from signing in. How long a hash takes
    /// does not matter here: each is a job of the queue, between which the others are made.
    private static func open() throws -> TestDatabase {
        try TestDatabase(passwords: PasswordWorkers(threads: 1, queueLength: 1_000, scheme: .quick))
    }

    private static func isGood(_ session: Session, _ test: TestDatabase) -> Bool {
        let token = Array(session.token.utf8)
        try? test.reader.refresh()
        return (try? token.withUnsafeBytes { try test.reader.callers.authenticate($0) }) != nil
    }

    @Test(arguments: seeds(6)) func `no session of the old password is valid after a change, in any order of events`(
        _ seed: Int
    ) async throws {
        let test = try Self.open()
        let (_, session) = try await test.signUp("ann")
        let lookup = try test.reader.accounts.lookUp(named: "ann")
        let credentials = try Credentials(name: "ann", password: "correct horse")
        let mine = try test.reader.accounts.lookUp(session.user.id)
        // Sign-ins before, during and after the change, in the order of the threads.
        let others = await withTaskGroup(of: Session?.self) { group in
            for number in 0..<3 {
                if number == seed % 3 {
                    group.addTask { [database = test.database] in
                        _ = try? await database.accounts.change(
                            AccountChange(
                                name: nil, password: "battery staple", currentPassword: "correct horse"),
                            of: mine, token: Array(session.token.utf8))
                        return nil
                    }
                }
                group.addTask { [database = test.database] in
                    try? await database.accounts.signIn(credentials, account: lookup)
                }
            }
            return await group.reduce(into: [Session]()) { if let session = $1 { $0.append(session) } }
        }
        for other in others { #expect(!Self.isGood(other, test)) }
        #expect(!Self.isGood(session, test))
        #expect(await rejection { try await test.signIn("ann") } == .some(.signInRefused))
        try await test.signIn("ann", "battery staple")
    }

    @Test func `one of two concurrent changes is made`() async throws {
        let test = try Self.open()
        let (_, session) = try await test.signUp("ann")
        let lookup = try test.reader.accounts.lookUp(session.user.id)
        let made = await withTaskGroup(of: String?.self) { group in
            for password in ["battery staple", "stapled horse", "correct battery"] {
                group.addTask { [database = test.database] in
                    let changed = try? await database.accounts.change(
                        AccountChange(name: nil, password: password, currentPassword: "correct horse"), of: lookup,
                        token: Array(session.token.utf8))
                    return changed == nil ? nil : password
                }
            }
            return await group.reduce(into: [String]()) { if let password = $1 { $0.append(password) } }
        }
        #expect(made.count == 1)
        try await test.signIn("ann", try #require(made.first))
    }

    @Test func `a session that was revoked while the password was checked changes nothing`() async throws {
        let test = try Self.open()
        let (_, session) = try await test.signUp("ann")
        let lookup = try test.reader.accounts.lookUp(session.user.id)
        try await test.database.sessions.signOut(Array(session.token.utf8))
        let error = await rejection {
            _ = try await test.database.accounts.change(
                AccountChange(name: "anna", password: nil, currentPassword: "correct horse"), of: lookup,
                token: Array(session.token.utf8))
        }
        #expect(error?.code == .authenticationFailed)
        try await test.signIn("ann")
    }

    @Test func `a sign-in succeeds although its password is rehashed concurrently`() async throws {
        let test = try Self.open()
        let (_, ann) = try await test.signUp("ann")
        let stale = try test.reader.accounts.lookUp(named: "ann")
        // The same password with another salt, as after two sign-ins with an outdated hash.
        let name = try #require(UserRecordName(ann.user.recordName))
        _ = try await test.database.accounts.change(name, password: "correct horse", by: .shell)
        _ = try await test.database.accounts.signIn(Credentials(name: "ann", password: "correct horse"), account: stale)
        // A renamed account is not found by its old name.
        let session = try await test.signIn("ann")
        try test.reader.refresh()
        let old = try test.reader.accounts.lookUp(named: "ann")
        _ = try await test.database.accounts.change(
            AccountChange(name: "anna", password: nil, currentPassword: "correct horse"),
            of: try test.reader.accounts.lookUp(session.user.id), token: Array(session.token.utf8))
        let error = await rejection {
            _ = try await test.database.accounts.signIn(
                Credentials(name: "ann", password: "correct horse"), account: old)
        }
        #expect(error == .signInRefused)
    }

    @Test func `neither a service nor a name without an account signs in with a password`() async throws {
        let test = try Self.open()
        let (_, ann) = try await test.signUp("ann")
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        // Even with a hash that is right.
        test.reader.rest()
        try connection.execute("UPDATE account SET kind = 2")
        #expect(await rejection { try await test.signIn("ann") } == .signInRefused)
        #expect(await rejection { try await test.signIn("zoe") } == .signInRefused)
        let name = try #require(UserRecordName(ann.user.recordName))
        let error = await rejection {
            _ = try await test.database.accounts.change(name, password: "battery staple", by: .shell)
        }
        #expect(error?.code == .notFound, "A key's account is no user")
    }

    // MARK: Invitations

    @Test(arguments: [(uses: 1, tries: 50), (uses: 3, tries: 8)])
    func `an invitation creates no more accounts than it permits, however many callers use it at once`(
        _ uses: Int, _ tries: Int
    ) async throws {
        let test = try Self.open()
        let made = try await test.database.invitations.create(
            NewInvitation(name: nil, seconds: nil, uses: Int64(uses), roles: []), by: .shell)
        // A failed sign-up uses nothing up.
        _ = try await test.signUp("taken")
        let invitation = Invitation(token: made.token)
        #expect(
            await rejection {
                _ = try await test.database.accounts.signUp(
                    Credentials(name: "taken", password: "correct horse"), invitation: invitation)
            }?.cause == .nameTaken)
        let names = await withTaskGroup(of: String?.self) { group in
            for number in (0..<tries).shuffled() {
                group.addTask { [database = test.database] in
                    guard let credentials = try? Credentials(name: "u\(number)", password: "correct horse") else {
                        return nil
                    }
                    return try? await database.accounts.signUp(credentials, invitation: invitation).user.name
                }
            }
            return await group.reduce(into: [String]()) { if let name = $1 { $0.append(name) } }
        }
        #expect(names.count == uses)
        try test.reader.refresh()
        #expect(try test.reader.invitations.list().map(\.used) == [Int64(uses)])
        #expect(try test.reader.accounts.list(after: nil, limit: 100).users.count == uses + 1)
        #expect(try test.list(type: "Users").names.count == uses + 1)
        #expect(
            await rejection { try test.reader.invitations.check(invitation, name: "x") }?.code == .accessDenied)
        // The rolled-back account leaves no name: the next account's records have their own.
        let (next, session) = try await test.signUp("next")
        let response = try await test.create("n", as: next)
        #expect(String(decoding: response.records.json, as: UTF8.self).contains(session.user.recordName))
    }

    @Test func `an invitation expires, and ends with its role`() async throws {
        let test = try Self.open()
        let editors = try #require(RoleName("editors"))
        _ = try await test.database.roles.put(editors, members: [])
        let made = try await test.database.invitations.create(
            NewInvitation(name: nil, seconds: nil, uses: 2, roles: [editors]), by: .shell)
        #expect(made.info.roles == ["editors"])
        try await test.database.roles.remove(editors)
        _ = try await test.database.roles.put(editors, members: [])
        let session = try await test.database.accounts.signUp(
            Credentials(name: "ann", password: "correct horse"), invitation: Invitation(token: made.token))
        try test.reader.refresh()
        // Another role of the name that the old one had.
        #expect(try test.reader.roles.find(editors)?.members == [])
        #expect(session.user.name == "ann")
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        test.reader.rest()
        try connection.execute("UPDATE invitation SET expires = 1")
        #expect(
            await rejection {
                _ = try await test.database.accounts.signUp(
                    Credentials(name: "bob", password: "correct horse"), invitation: Invitation(token: made.token))
            }?.code == .accessDenied)
        _ = try await test.database.maintenance.run()
        try test.reader.refresh()
        #expect(try test.reader.invitations.list().isEmpty)
    }

    @Test func `an invitation leaves the list a week after it was used up or has expired`() async throws {
        let test = try TestDatabase()
        var tokens: [String] = []
        for _ in 0..<4 {
            let request = try NewInvitation(name: nil, seconds: 86_400, uses: nil, roles: [])
            tokens.append(try await test.database.invitations.create(request, by: .shell).token)
        }
        for (name, token) in zip(["ann", "bob"], tokens) {
            _ = try await test.database.accounts.signUp(
                Credentials(name: name, password: "correct horse"), invitation: Invitation(token: token))
        }
        func states() throws -> [String] {
            try test.reader.refresh()
            let now = WallClock.milliseconds
            return try test.reader.invitations.list().map { $0.state(at: now) }.sorted()
        }
        let day: Int64 = 86_400_000
        try await test.database.travel(
            """
            UPDATE invitation SET expires = expires - 2 * \(day)
            WHERE hash = (SELECT hash FROM invitation WHERE used = 0 LIMIT 1)
            """)
        #expect(try states() == ["expired", "open", "used", "used"])
        #expect(try await test.database.maintenance.run().invitations == 0)
        try await test.database.travel(
            """
            UPDATE invitation SET used_at = used_at - 8 * \(day)
            WHERE hash = (SELECT hash FROM invitation WHERE used = 1 LIMIT 1)
            """)
        #expect(try await test.database.maintenance.run().invitations == 1)
        #expect(try states() == ["expired", "open", "used"])
        try await test.database.travel("UPDATE invitation SET expires = expires - 8 * \(day)")
        #expect(try await test.database.maintenance.run().invitations == 3)
        #expect(try await test.database.maintenance.run().isEmpty)
    }
}

extension RecordError {
    static let signInRefused = RecordError(.authenticationFailed, "The name or the password is wrong")
}
