import FogbaseClient
import Foundation
import RecordModel
import Testing

@Suite struct AccountTests {
    private struct Note: Codable, RecordCodable {
        var text: String
    }

    private static let password = "correct horse"

    @Test func `a user signs up, which signs in, and signs out`() async throws {
        let server = try LiveServer()
        let tokens = MemoryTokenStore()
        let container = server.client(tokens: tokens)
        #expect(try await container.accountStatus() == .noAccount)
        let ada = try await container.signUp("ada", password: Self.password, label: "phone")
        #expect(ada.name == "ada" && !ada.isAnonymous)
        #expect(try await container.accountStatus() == .available(ada))

        var note = Record("Note")
        note["text"] = "mine"
        #expect(try await container.privateDatabase.save(note).metadata?.creator == ada.recordName)
        let me = try await container.currentUser()
        #expect(me.user == ada && me.roles.isEmpty && !me.isAdministrator)
        #expect(me.createdAt != nil && (me.usage?.records ?? 0) >= 1)
        #expect(try await container.sessions().map(\.label) == ["phone"])

        let token = try #require(await tokens.token())
        try await container.signOut()
        #expect(await tokens.token() == nil)
        #expect(try await container.accountStatus() == .noAccount)
        let old = server.client(tokens: MemoryTokenStore(token))
        #expect(try await old.accountStatus() == .noAccount)
        #expect(try await container.signIn("ada", password: Self.password) == ada)
    }

    @Test func `a wrong password, a taken name and closed sign-up have different errors`() async throws {
        let server = try LiveServer()
        let container = server.client()
        try await container.signUp("ada", password: Self.password)
        let wrong = await #expect(throws: FogbaseError.self) {
            try await container.signIn("ada", password: "wrong horse")
        }
        guard case .authenticationFailed? = wrong else { throw wrong ?? CancellationError() }
        let taken = await #expect(throws: FogbaseError.self) {
            try await container.signUp("ada", password: Self.password)
        }
        guard case .exists? = taken else { throw taken ?? CancellationError() }
        let anonymous = await #expect(throws: FogbaseError.self) { try await container.signUpAnonymously() }
        guard case .accessDenied? = anonymous else { throw anonymous ?? CancellationError() }
        let password = await #expect(throws: FogbaseError.self) {
            try await container.changePassword(from: "wrong horse", to: "another horse")
        }
        #expect(password?.serverError?.cause == .wrongPassword)
        // None of these has ended the session.
        #expect(try await container.currentUser().user.name == "ada")
    }

    @Test func `reads of public records continue as a guest after the session has ended`() async throws {
        let server = try LiveServer()
        let tokens = MemoryTokenStore()
        let container = server.client(tokens: tokens)
        try await container.signUp("ada", password: Self.password)
        let database = container.publicDatabase
        try await database.create(Note(text: "for all"), named: "open")
        try await database.create(Note(text: "mine"), named: "secret", access: .onlyCreator)
        let ended = try #require(await tokens.token())
        try await container.signOut()

        /// A client that does not know that its session has ended.
        func stale() -> (Database, MemoryTokenStore) {
            let tokens = MemoryTokenStore(ended)
            return (server.client(tokens: tokens).publicDatabase, tokens)
        }
        let (reading, dropped) = stale()
        #expect(try await reading.fetch(Note.self, "open").text == "for all")
        #expect(await dropped.token() == nil)
        let (querying, _) = stale()
        #expect(try await querying.fetch(Query<Note>()).items.map(\.text) == ["for all"])
        // A request that a guest may not send fails with its cause: the end of the session.
        for call in [
            { _ = try await stale().0.fetch(Note.self, "secret") },
            { _ = try await stale().0.create(Note(text: "third")) },
            { _ = try await stale().0.changes() },
            { _ = try await server.client(tokens: MemoryTokenStore(ended)).privateDatabase.fetch(Query<Note>()) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: FogbaseError.self) { try await call() }
            guard case .notAuthenticated? = error else { throw error ?? CancellationError() }
        }
    }

    @Test func `a token whose session has ended is deleted, and a newer token is kept`() async throws {
        let server = try LiveServer()
        let (here, there) = (MemoryTokenStore(), MemoryTokenStore())
        try await server.client(tokens: here).signUp("ada", password: Self.password)
        try await server.client(tokens: there).signIn("ada", password: Self.password)
        try await server.client(tokens: there).endOtherSessions()
        let ended = await #expect(throws: FogbaseError.self) {
            try await server.client(tokens: here).currentUser()
        }
        guard case .notAuthenticated? = ended else { throw ended ?? CancellationError() }
        #expect(await here.token() == nil)
        #expect(await there.token() != nil)

        // The store gets another token during a call with the old one: the call is repeated with the new one.
        let changing = ChangingTokens(first: "fbs_old", then: try #require(await there.token()))
        #expect(try await server.client(tokens: changing).currentUser().user.name == "ada")
        #expect(await changing.token() == there.token())
    }

    @Test func `a new password ends other sessions, and this one goes on`() async throws {
        let server = try LiveServer()
        let (here, there) = (MemoryTokenStore(), MemoryTokenStore())
        let container = server.client(tokens: here)
        try await container.signUp("ada", password: Self.password)
        try await server.client(tokens: there).signIn("ada", password: Self.password)
        let before = await here.token()
        try await container.changePassword(from: Self.password, to: "another horse")
        #expect(await here.token() != before)
        #expect(try await container.rename(to: "lovelace", password: "another horse").name == "lovelace")
        #expect(try await container.currentUser().user.name == "lovelace")
        #expect(try await server.client(tokens: there).accountStatus() == .noAccount)

        try await container.rotateSession()
        #expect(try await container.sessions().count == 1)
        try await container.deleteAccount(password: "another horse")
        #expect(await here.token() == nil)
        await #expect(throws: FogbaseError.self) { try await container.signIn("lovelace", password: "another horse") }
    }

    @Test func `an anonymous account keeps what it has when it gets a name`() async throws {
        let server = try LiveServer(settings: ["FOGBASE_ACCOUNTS_ANONYMOUS": "on"])
        let container = server.client()
        let nobody = try await container.signUpAnonymously()
        #expect(nobody.isAnonymous)
        #expect(try await container.currentUser().user == nobody)
        let note = try await container.privateDatabase.save(Record("Note"))
        let ada = try await container.nameAccount("ada", password: Self.password)
        #expect(ada.recordName == nobody.recordName && ada.name == "ada")
        #expect(try await container.privateDatabase.fetch("Note", note.name) == note)
        try await container.signOut(everywhere: true)
        #expect(try await container.signIn("ada", password: Self.password) == ada)
    }

    @Test func `a session can be ended from another one`() async throws {
        let server = try LiveServer()
        let (here, there) = (MemoryTokenStore(), MemoryTokenStore())
        try await server.client(tokens: here).signUp("ada", password: Self.password, label: "here")
        let container = server.client(tokens: there)
        try await container.signIn("ada", password: Self.password, label: "there")
        let sessions = try await container.sessions()
        #expect(Set(sessions.map(\.label)) == ["here", "there"])
        try await container.endSession(try #require(sessions.first { !$0.isCurrent }))
        #expect(try await server.client(tokens: here).accountStatus() == .noAccount)
        try await container.endSession(try #require(sessions.first { $0.isCurrent }))
        #expect(await there.token() == nil)
    }

    @Test func `the account status is unavailable while the server is unreachable`() async throws {
        let server = try LiveServer()
        let container = server.client()
        try await container.signUp("ada", password: Self.password)
        server.kill()
        guard case .temporarilyUnavailable(let error) = try await container.accountStatus() else {
            Issue.record("The status is known without a server")
            return
        }
        guard case .unreachable = error else { throw error }
        await #expect(throws: FogbaseError.self) { try await container.signOut() }
        try server.start()
        #expect(try await container.accountStatus().user?.name == "ada")
    }

    @Test func `a token file is private to its owner and is read again later`() async throws {
        let directory = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appendingPathComponent("deep/token")
        let store = FileTokenStore(file)
        #expect(await store.token() == nil)
        await store.setToken("fbs_one")
        await store.setToken("fbs_two")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(await FileTokenStore(file).token() == "fbs_two")
        await store.forgetToken("fbs_one")
        #expect(await FileTokenStore(file).token() == "fbs_two")
        await store.forgetToken("fbs_two")
        let folderNow = try FileManager.default.contentsOfDirectory(
            atPath: directory.appendingPathComponent("deep").path)
        #expect(folderNow.isEmpty)
    }
}

/// A store whose first response is already outdated.
private actor ChangingTokens: TokenStore {
    private var first: String?
    private var then: String?

    init(first: String, then: String) {
        self.first = first
        self.then = then
    }

    func token() -> String? {
        defer { first = nil }
        return first ?? then
    }

    func setToken(_ token: String?) { then = token }
}
