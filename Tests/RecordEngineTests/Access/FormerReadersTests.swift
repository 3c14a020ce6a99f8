import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Testing

/// Records that more have ceased to read than the feed tells one by one.
@Suite struct FormerReadersTests {
    /// A record of Ann's that as many have ceased to read as it may remember.
    private static func fill(_ folder: String) async throws {
        let test = try TestDatabase(folder: folder, keepsFolder: true)
        try await test.putType(
            fields: #""n":{"type":"INT64"}"#, grants: #"{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"]}"#)
        let ann = try await test.signUp("ann").caller
        _ = try await test.signUp("bob")
        try await test.perform(
            .create, "Post", "x", #"{"fields":{"n":1},"acl":{"_creator":["read","write"],"*":["read"]}}"#, as: ann)
        await test.close()
        let connection = try Connection(path: DataFolder.databasePath(in: folder), role: .writer)
        let former = StoredFormerReaders.encode(
            Set((1...Limits.formerReaders).map { Principal.user(UserID(1_000 + $0)).number }))
        let store = try connection.prepare("UPDATE record SET former = ?1 WHERE name = 'x'")
        store.bind(1, blob: former)
        try store.run()
    }

    private func caller(_ name: String, _ test: TestDatabase) async throws -> Caller {
        let session = try await test.signIn(name)
        return try Array(session.token.utf8).withUnsafeBytes { try test.reader.authenticate($0) }
    }

    @Test func `a user does not void everybody's tokens by it`() async throws {
        let patient = try await DoctorPatient { try await Self.fill($0) }
        let test = try TestDatabase(folder: patient.folder, keepsFolder: true)
        let bob = try await caller("bob", test)
        let ann = try await caller("ann", test)
        let token = try test.changes(as: bob).token
        let list = #"{"acl":{"_creator":["read","write"]}}"#
        let modify = RecordOperation.Verb.modify(createsMissing: false, replacesAll: false)
        let refused = await refusal { try await test.perform(modify, "Post", "x", list, as: ann) }
        #expect(refused?.cause == .tooLarge && refused?.reason.contains("make it anew") == true)
        _ = try test.changes(since: token, as: bob)
        // Whoever may change the rights of types could let all tokens start again anyway.
        try await test.perform(modify, "Post", "x", list)
        #expect(await refusal { _ = try test.changes(since: token, as: bob) }?.cause == .tokenExpired)
        await test.close()
    }
}
