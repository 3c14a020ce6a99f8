import Cryptography
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import TestSupport
import Testing

/// Names and passwords that are the same to people are the same account's.
@Suite struct LookAlikeTests {
    private static func lookUp(_ name: String, _ test: TestDatabase) throws -> String? {
        try test.reader.refresh()
        return try test.reader.accounts.list(named: name).users.first?.user.name
    }

    @Test(arguments: [
        ("Ann@Example.com", "ann@example.com"), ("jose\u{301}", "jos\u{E9}"), ("jos\u{E9}", "jose\u{301}"),
        ("bob", "bob\u{200B}"), ("b\u{AD}ob", "BOB"), ("ann", "\u{FF21}\u{FF2E}\u{FF2E}"), ("Strasse", "stra\u{DF}e"),
        ("a b", "a\u{A0}b"),
    ]) func `a look-alike of a name is taken and signs in to the account that has it`(
        name: String, other: String
    ) async throws {
        let test = try TestDatabase()
        let made = try await test.signUp(name).session
        #expect(await rejection { _ = try await test.signUp(other) }?.cause == .nameTaken)
        let session = try await test.signIn(other)
        #expect(session.user.id == made.user.id)
        // The original spelling is kept.
        #expect(Array(session.user.name.utf8) == Array(name.utf8))
        #expect(try Self.lookUp(other, test).map { Array($0.utf8) } == Array(name.utf8))
        _ = try await test.signUp("zoe")
        await test.close()
    }

    @Test func `a look-alike as a new name is rejected for others and accepted from its owner`() async throws {
        let test = try TestDatabase()
        let (_, ann) = try await test.signUp("ann")
        let (_, zoe) = try await test.signUp("zoe")
        func rename(_ session: Session, to name: String) async throws -> String {
            try test.reader.refresh()
            return try await test.database.accounts.change(
                AccountChange(name: name, password: nil, currentPassword: "correct horse"),
                of: try test.reader.accounts.lookUp(session.user.id), token: Array(session.token.utf8)
            ).user.name
        }
        #expect(await rejection { _ = try await rename(zoe, to: "A\u{301}nn\u{200D}") } == nil)
        #expect(await rejection { _ = try await rename(zoe, to: "ANN") }?.cause == .nameTaken)
        #expect(try await rename(ann, to: "Ann") == "Ann")
        #expect(try Self.lookUp("aNN", test) == "Ann")
        // Different bytes make another name, though Swift considers both equal.
        _ = try await rename(zoe, to: "zo\u{E9}")
        _ = try await rename(zoe, to: "zoe\u{301}")
        #expect(try Self.lookUp("ZO\u{C9}", test).map { Array($0.utf8) } == Array("zoe\u{301}".utf8))
        await test.close()
    }

    @Test(arguments: [
        ("\u{200B}\u{2060}", "that people can see"), ("\u{200B}_system", "underscore"), ("\u{FF3F}x", "underscore"),
        ("ann\u{202E}", "U+202E"), ("a\u{2066}nn", "U+2066"), ("a\u{2028}b", "U+2028"), ("a\u{E000}", "U+E000"),
        ("a\u{378}", "U+378"), ("a\u{FFFF}", "U+FFFF"), ("ann \u{200B}", "no space at its ends"),
        ("\u{3000}ann", "no space"), ("a\u{85}b", "no control"),
    ]) func `a name that cannot be read or distinguished is rejected by name`(name: String, reason: String) async throws
    {
        let error = #expect(throws: RecordError.self) {
            try Credentials(newName: name, newPassword: "correct horse")
        }
        #expect(error?.code == .badRequest && error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        let test = try TestDatabase()
        #expect(await rejection { _ = try await test.signUp(name) }?.code == .badRequest)
        await test.close()
    }

    @Test func `names in any script with marks, joiners and emoji are accepted unchanged`() throws {
        for name in ["Ὀδυσσεύς", "محمد", "नरेन्द्र", "می‌خواهم", "李 小龍", "👩‍💻 ann", "O’Neill", "x_y", "a.b+c@d"] {
            _ = try Credentials(newName: name, newPassword: "correct horse")
        }
    }

    @Test func `an invitation for a name is valid for every spelling of it`() async throws {
        let test = try TestDatabase()
        let made = try await test.database.invitations.create(
            NewInvitation(name: "Jose\u{301}", seconds: nil, uses: nil, roles: []), by: .shell)
        try test.reader.refresh()
        #expect(throws: RecordError.self) {
            try test.reader.invitations.check(Invitation(token: made.token), name: "josef")
        }
        try test.reader.invitations.check(Invitation(token: made.token), name: "JOS\u{C9}")
        _ = try await test.database.accounts.signUp(
            Credentials(name: "JOS\u{C9}", password: "correct horse"), invitation: Invitation(token: made.token))
        await test.close()
    }

    // MARK: Files from before

    /// A file of accounts as it was before names had keys.
    private static func older(_ names: [String], in directory: String) async throws {
        let test = try TestDatabase(directory: directory, keepsDirectory: true)
        for (place, _) in names.enumerated() { _ = try await test.signUp("user\(place)") }
        await test.close()
        let connection = try Connection(path: DataDirectory.databasePath(in: directory), role: .writer)
        for (place, name) in names.enumerated() {
            let update = connection.prepare("UPDATE account SET name = ?1 WHERE name = ?2")
            update.bind(1, text: name)
            update.bind(2, text: "user\(place)")
            try update.run()
        }
        let first = "(SELECT position FROM migration WHERE name = 'keys of names')"
        let later = try connection.integer("SELECT count(*) FROM migration WHERE position > \(first)")
        try #require(later == 14, "Undo the later steps here too")
        try connection.execute(
            """
            ALTER TABLE record DROP COLUMN received; ALTER TABLE type DROP COLUMN has_preserved;
            ALTER TABLE type DROP COLUMN former; ALTER TABLE field DROP COLUMN former;
            ALTER TABLE type DROP COLUMN renamed; ALTER TABLE type DROP COLUMN renaming;
            DROP TABLE schema_snapshot; DROP TABLE cloudkit_token; DROP INDEX api_key_by_key_id; ALTER TABLE api_key DROP COLUMN key_id;
            ALTER TABLE api_key DROP COLUMN public_key; ALTER TABLE session DROP COLUMN lifetime;
            DROP TABLE job; DROP TABLE schedule; DROP TABLE webhook; DROP TABLE webhook_delivery;
            DROP TABLE hierarchy; DROP TABLE access_update; DROP TABLE job_rejection; DROP TABLE share; DROP TABLE participant;
            DROP TABLE lost_zone; DROP INDEX zone_by_change; DROP TABLE subscription; DROP TABLE notification_token;
            ALTER TABLE zone DROP COLUMN changed; ALTER TABLE zone DROP COLUMN created;
            DROP INDEX account_by_name_key; ALTER TABLE account DROP COLUMN name_key; DROP TABLE look_alike_account;
            DELETE FROM migration WHERE position >= \(first)
            """)
    }

    @Test func `accounts that look the same from before each sign in by their exact spelling`() async throws {
        let names = ["Ann", "ann", "jose\u{301}", "jos\u{E9}", "bob", "bob\u{200B}", "Zoe"]
        let patient = try await DoctorPatient { try await Self.older(names, in: $0) }
        #expect(patient.examine().findings.allSatisfy { !$0.sentence.contains("look the same") })
        let test = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        let found = test.database.confusableNames.map { $0.map { Array($0.utf8) } }
        #expect(found == [[0, 1], [4, 5], [2, 3]].map { $0.map { Array(names[$0].utf8) } })
        for name in names { #expect(try await Array(test.signIn(name).user.name.utf8) == Array(name.utf8)) }
        // An ambiguous name finds no account; an unambiguous one does.
        #expect(await rejection { try await test.signIn("ANN") } == .some(.signInRefused))
        #expect(try await test.signIn("ZOE").user.name == "Zoe")
        // There will be no third.
        #expect(await rejection { _ = try await test.signUp("aNN") }?.cause == .nameTaken)
        await test.close()
        let notices = patient.examine().findings.filter { $0.sentence.contains("look the same") }
        #expect(notices.count == 3 && notices.allSatisfy { $0.kind == .notice && $0.remedy.contains("another name") })
        // With one renamed, every spelling finds the other, and there is no problem left to report.
        let again = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        let session = try await again.signIn("ann")
        try again.reader.refresh()
        _ = try await again.database.accounts.change(
            AccountChange(name: "anna", password: nil, currentPassword: "correct horse"),
            of: try again.reader.accounts.lookUp(session.user.id), token: Array(session.token.utf8))
        #expect(try await again.signIn("ANN").user.name == "Ann")
        await again.close()
        let last = try TestDatabase(directory: patient.directory, keepsDirectory: true)
        #expect(last.database.confusableNames.count == 2)
        await last.close()
    }

    // MARK: Passwords

    private static let composed = "p\u{E4}ssw\u{F6}rd \u{E9}"
    private static let decomposed = "pa\u{308}sswo\u{308}rd\u{3000}e\u{301}"

    @Test func `a password is the same on a system that encodes it in other bytes`() async throws {
        for (first, second) in [(Self.composed, Self.decomposed), (Self.decomposed, Self.composed)] {
            let test = try TestDatabase()
            _ = try await test.database.accounts.signUp(Credentials(name: "ann", password: first))
            try await test.signIn("ann", second)
            try await test.signIn("ann", first)
            #expect(await rejection { try await test.signIn("ann", "passw\u{F6}rd e") } == .some(.signInRefused))
            await test.close()
        }
    }

    @Test func `a hash from before passwords were normalized matches and is renewed`() async throws {
        let test = try TestDatabase()
        _ = try await test.signUp("ann")
        let old = try PasswordHash.hash(Array(Self.decomposed.utf8), scheme: .quick)
        test.reader.rest()
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        try connection.execute("UPDATE account SET password = '\(old)' WHERE name = 'ann'")
        try await test.database.sessions.endAll(of: 1, but: nil)
        #expect(await rejection { try await test.signIn("ann", Self.composed) } == .some(.signInRefused))
        try await test.signIn("ann", Self.decomposed)
        try await test.signIn("ann", Self.composed)
        await test.close()
    }

    @Test func `the length of a new password is that of its normal form`() throws {
        // Six bytes for some, nine for others: too short for all.
        #expect(throws: RecordError.self) {
            try Credentials(newName: "ann", newPassword: String(repeating: "e\u{301}", count: 3))
        }
        _ = try Credentials(newName: "ann", newPassword: String(repeating: "\u{E9}", count: 128))
        _ = try Credentials(newName: "ann", newPassword: String(repeating: "e\u{301}", count: 128))
        // Accounts that have such a password still sign in.
        _ = try Credentials(name: "ann", password: String(repeating: "e\u{301}", count: 3))
    }
}
