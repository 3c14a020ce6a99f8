import Cryptography
import RecordEngine
import RecordModel
import RecordStorage
import TestSupport
import Testing

/// Passwords whose hashes come from another server.
@Suite struct ForeignPasswordTests {
    @Test(arguments: [
        // The password of `TestDatabase.signUp`, and its hash by Python's crypt.
        "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        "$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
    ]) func `a bcrypt hash signs in once, and is then one of today's scheme`(hash: String) async throws {
        let test = try TestDatabase()
        _ = try await test.signUp("ann")
        try await test.database.sessions.endAll(of: 1, but: nil)
        func stored() throws -> String {
            test.reader.rest()
            let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .reader)
            let statement = connection.prepare("SELECT password FROM account WHERE name = 'ann'")
            _ = try statement.step()
            return statement.text(0)
        }
        do {
            test.reader.rest()
            let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
            try connection.execute(SQL("UPDATE account SET password = '\(hash)' WHERE name = 'ann'"))
        }
        #expect(await rejection { try await test.signIn("ann", "correct house") } == .some(.signInRefused))
        #expect(try stored() == hash)
        try await test.signIn("ann", "correct horse")
        #expect(try PasswordHash.scheme(of: stored()) != nil)
        try await test.signIn("ann", "correct horse")
        #expect(await rejection { try await test.signIn("ann", "correct house") } == .some(.signInRefused))
        await test.close()
    }
}
