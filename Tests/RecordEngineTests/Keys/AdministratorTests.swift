import Cryptography
import Foundation
import RecordModel
import RecordStorage
import RecordWire
import Synchronization
import TestSupport
import StoreTestSupport
import Testing

@testable import RecordEngine

/// Named administrators below the routes, with a clock of their own.
@Suite struct AdministratorTests {
    /// A server's file in its own directory.
    final class Server: Sendable {
        let directory = NSTemporaryDirectory() + "fogbase-server-" + UUID().uuidString
        let administrators: Administrators
        let now: Clock
        private let faults = StoreFaults()

        final class Clock: Sendable {
            let milliseconds = Atomic<Int64>(1_700_000_000_000)
            func pass(_ time: Int64) { milliseconds.add(time, ordering: .relaxed) }
        }

        init() throws {
            let clock = Clock()
            now = clock
            administrators = try Administrators(
                dataPath: directory, passwords: AdministratorTests.passwords,
                clock: { clock.milliseconds.load(ordering: .relaxed) },
                driver: { [faults] in faults.makeDriver(of: $0) })
        }

        /// Makes the disk full from the nth step on, or for only that step.
        func inject(failureAt step: Int?, lasts: Bool = true) {
            faults.plan = step.map {
                FaultPlan(failAt: $0, with: StoreFailure(.full, "full"), losesTransaction: true, lasts: lasts)
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: directory) }

        func add(_ name: String, _ role: AdministratorRole) async throws {
            _ = try await administrators.add(
                AdministratorName(name), password: AdministratorPassword("correct horse \(name)"), role: role,
                by: .shell)
        }

        func signIn(_ name: String, _ password: String? = nil) async throws -> String {
            try await administrators.signIn(
                name: name, password: password ?? "correct horse \(name)",
                by: AuditActor(caller: .anonymous, address: "192.0.2.9", requestID: "r")
            ).token
        }

        func bearer(_ token: String) throws -> Administrator {
            try administrators.authenticate(SHA256.hash(utf8: token))
        }

        func log(_ action: AuditAction? = nil) async throws -> [JSONValue] {
            try JSONValue.parse(try await administrators.auditLog(AuditRequest(action: action)))["entries"]?.array ?? []
        }
    }

    static let passwords = PasswordWorkers(threads: 2, scheme: .quick)

    @Test func `an administrator signs in, is known by its role, and signs out`() async throws {
        let server = try Server()
        try await server.add("ada", .developer)
        let token = try await server.signIn("ada")
        #expect(token.hasPrefix("fba_") && token.utf8.count == 47)
        let ada = try server.bearer(token)
        #expect(ada.role == .developer && ada.id != 0)
        let other = try await server.signIn("ada")
        let sessions = server.administrators.sessions(of: ada, token: Array(token.utf8))
        #expect(sessions.count == 2 && sessions.count(where: \.isCurrent) == 1)
        let second = try #require(sessions.first { !$0.isCurrent })
        try await server.administrators.endSession(second.id, of: ada, by: .server)
        #expect(throws: RecordError.tokenRejected) { try server.bearer(other) }
        try await server.administrators.signOut(Array(token.utf8), of: ada, by: .server)
        #expect(throws: RecordError.tokenRejected) { try server.bearer(token) }
        #expect(
            try await server.log().compactMap { $0["action"]?.string } == [
                "administrator.signOut", "administrator.signOut", "administrator.signIn", "administrator.signIn",
                "administrator.create",
            ])
        await server.administrators.close()
    }

    @Test func `sessions slide for twelve hours and end after seven days`() async throws {
        let server = try Server()
        try await server.add("ada", .owner)
        let token = try await server.signIn("ada")
        let idle = try await server.signIn("ada")
        let hour: Int64 = 3_600_000
        for _ in 0..<15 {
            server.now.pass(11 * hour)
            _ = try server.bearer(token)
        }
        #expect(throws: RecordError.tokenRejected) { try server.bearer(idle) }
        server.now.pass(3 * hour)
        #expect(throws: RecordError.tokenRejected) { try server.bearer(token) }
        try await server.administrators.maintain()
        let ada = try #require(server.administrators.list().first)
        #expect(server.administrators.sessions(of: Administrator(id: ada.id, role: .owner), token: []).isEmpty)
        await server.administrators.close()
    }

    @Test func `a change of role or password and a removal apply at once`() async throws {
        let server = try Server()
        for (name, role) in [("ada", AdministratorRole.owner), ("bea", .developer), ("cat", .editor)] {
            try await server.add(name, role)
        }
        let tokens = (try await server.signIn("ada"), try await server.signIn("bea"), try await server.signIn("cat"))
        let ada = AuditActor(caller: .administrator(try server.bearer(tokens.0)))
        let bea = try server.bearer(tokens.1)
        // Only owners manage administrators, and an owner that was demoted meanwhile no longer counts.
        for role in [AdministratorRole.developer, .editor, .viewer] {
            let actor = AuditActor(caller: .administrator(Administrator(id: bea.id, role: role)))
            let rejected = await rejection {
                _ = try await server.administrators.change("bea", role: .owner, by: actor)
            }
            #expect(rejected?.code == .accessDenied)
        }
        let liar = AuditActor(caller: .administrator(Administrator(id: bea.id, role: .owner)))
        #expect(await rejection { try await server.administrators.remove("ada", by: liar) }?.code == .accessDenied)
        _ = try await server.administrators.change("bea", role: .viewer, by: ada)
        #expect(throws: RecordError.tokenRejected) { try server.bearer(tokens.1) }
        #expect(server.administrators.current(bea.id)?.role == .viewer)
        _ = try await server.administrators.change("cat", isDisabled: true, by: ada)
        #expect(throws: RecordError.tokenRejected) { try server.bearer(tokens.2) }
        #expect(await rejection { _ = try await server.signIn("cat") } == .signInFailed)
        _ = try await server.administrators.change("cat", isDisabled: false, by: ada)
        #expect(try server.bearer(try await server.signIn("cat")).role == .editor)
        // A change of one's own password needs the old one.
        let other = try AdministratorPassword("another horse ada")
        #expect(await rejection { _ = try await server.administrators.change("ada", password: other, by: ada) } != nil)
        let second = try await server.signIn("ada")
        let own = try server.bearer(tokens.0)
        let wrong = await rejection {
            try await server.administrators.changePassword(
                of: own, from: "wrong", to: other, token: Array(tokens.0.utf8), by: ada)
        }
        #expect(wrong?.code == .accessDenied && wrong?.cause == .wrongPassword)
        try await server.administrators.changePassword(
            of: own, from: "correct horse ada", to: other, token: Array(tokens.0.utf8), by: ada)
        #expect(throws: RecordError.tokenRejected) { try server.bearer(second) }
        _ = try server.bearer(tokens.0)
        // The last owner may go: the server's own token remains.
        try await server.administrators.remove("ada", by: ada)
        #expect(throws: RecordError.tokenRejected) { try server.bearer(tokens.0) }
        #expect(await rejection { try await server.administrators.remove("bea", by: ada) } == .tokenRejected)
        let log = String(decoding: try await server.administrators.auditLog(AuditRequest()), as: UTF8.self)
        #expect(!log.contains("horse") && !log.contains("fba_") && !log.contains("$argon2") && !log.contains("$scrypt"))
        await server.administrators.close()
    }

    @Test func `failed sign-ins are alike, and are counted`() async throws {
        let server = try Server()
        try await server.add("ada", .owner)
        #expect(await rejection { _ = try await server.signIn("ada", "wrong wrong wrong") } == .signInFailed)
        #expect(await rejection { _ = try await server.signIn("eve") } == .signInFailed)
        let failed = try await server.log(.administratorSignInFailed)
        #expect(Set(failed.compactMap { $0["target"]?.string }) == ["ada", "(unknown name)"])
        #expect(failed.allSatisfy { $0["outcome"] == "refused" && $0["address"] == "192.0.2.9" })
        await server.administrators.close()
    }

    @Test func `everything is there after the next start, and the file has no token`() async throws {
        let server = try Server()
        try await server.add("ada", .owner)
        let token = try await server.signIn("ada")
        #expect(throws: (any Error).self) {
            try Administrators(dataPath: server.directory, passwords: Self.passwords)
        }
        await server.administrators.close()
        let next = try Administrators(
            dataPath: server.directory, passwords: Self.passwords,
            clock: { server.now.milliseconds.load(ordering: .relaxed) })
        #expect(try next.authenticate(SHA256.hash(utf8: token)).role == .owner)
        await next.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: server.directory) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: server.directory + "/" + name))
            #expect(bytes.range(of: Data(token.utf8)) == nil && bytes.range(of: Data("correct horse".utf8)) == nil)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: server.directory) {
            chmod(server.directory + "/" + name, 0o600)
        }
        chmod(server.directory, 0o700)
        #expect(Doctor().examine(dataPath: server.directory).isHealthy)
        let connection = try Connection(path: ServerFile.path(in: server.directory), role: .writer)
        try connection.execute("UPDATE administrator SET role = 'emperor'")
        let report = Doctor().examine(dataPath: server.directory)
        #expect(report.findings.contains { $0.sentence.contains("'emperor'") })
    }

    @Test func `a failure of the store leaves administrators as they were, in memory and in the file`() async throws {
        let server = try Server()
        try await server.add("ada", .owner)
        var step = 0
        var failures = 0
        while true {
            server.inject(failureAt: step)
            let rejected = await rejection { try await server.add("bea", .viewer) }
            server.inject(failureAt: nil)
            guard let rejected else { break }
            failures += 1
            step += 1
            #expect(rejected.cause == .storageFull)
            #expect(server.administrators.list().map(\.name) == ["ada"])
        }
        #expect(failures > 2)
        #expect(server.administrators.list().map(\.name) == ["ada", "bea"])
        #expect(try await server.log(.administratorCreate).count == 2)
        await server.administrators.close()
    }

    @Test func `a change without disk space is made after a checkpoint`() async throws {
        let server = try Server()
        for step in 0..<4 {
            try await server.add("ada\(step)", .owner)
            server.inject(failureAt: step, lasts: false)
            try await server.add("bea\(step)", .viewer)
            server.inject(failureAt: nil)
        }
        #expect(server.administrators.list().count == 8)
        #expect(server.administrators.isHealthy)
        await server.administrators.close()
    }

    @Test(arguments: ["", "me", "sessions", "Ada", "a b", ".a", "a/b", String(repeating: "a", count: 65), "ä"])
    func `a name that a path cannot contain is rejected`(name: String) {
        #expect(throws: RecordError.self) { try AdministratorName(name) }
    }

    @Test func `names are taken once, and passwords are long enough`() async throws {
        let server = try Server()
        try await server.add("ada", .owner)
        #expect(await rejection { try await server.add("ada", .viewer) }?.cause == .nameTaken)
        #expect(throws: RecordError.self) { try AdministratorPassword("eleven byte") }
        #expect(throws: RecordError.self) { try AdministratorPassword(String(repeating: "a", count: 257)) }
        await server.administrators.close()
    }
}
