import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct ReferenceEdgeTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    @Test func `names that look alike are different targets`() async throws {
        let test = try TestDatabase()
        try await test.create(Self.composed)
        try await test.create(Self.decomposed)
        try await test.create("holder", #""t":{"recordName":"\#(Self.composed)","action":"VALIDATE"}"#)
        try await test.change("holder", #""t":{"recordName":"\#(Self.decomposed)","action":"VALIDATE"}"#)
        #expect(await rejection { try await test.delete(Self.decomposed) }?.code == .validatingReferenceError)
        #expect(await rejection { try await test.delete(Self.composed) } == nil)
    }

    @Test func `the remaining one of two references to a target still counts`() async throws {
        let test = try TestDatabase()
        try await test.create("t")
        let deleting = #"{"recordName":"t","action":"DELETE_SELF"}"#
        let validating = #"{"recordName":"t","action":"VALIDATE"}"#
        try await test.create("holder", #""refs":[\#(deleting),\#(validating)]"#)
        // VALIDATE protects the target as long as the reference exists.
        #expect(await rejection { try await test.delete("t") }?.code == .validatingReferenceError)
        try await test.change("holder", #""refs":[\#(deleting)]"#)
        try await test.delete("t")
        #expect(try test.list().names.isEmpty)
    }

    @Test func `a caller that may not read a target may still change the record that refers to it`() async throws {
        let test = try TestDatabase()
        let bob = try await test.signUp("bob").caller
        try await test.create("hidden", type: "Secret")
        try await test.create("holder", #""n":1,"t":{"recordName":"hidden","action":"VALIDATE"}"#)
        let secret = try #require(RecordTypeName("Secret"))
        let post = try #require(RecordTypeName("Post"))
        try await test.database.schemas.setGrants(Grants(), of: secret)
        try await test.database.schemas.setGrants(Grants([.authenticated: [.read, .create, .write]]), of: post)
        try await test.change("holder", #""n":{"increment":1}"#, as: bob)
        #expect(try test.read("holder").fields["n"] == .int64(2))
        // A reference of his own to it is one to nothing.
        #expect(
            await rejection {
                try await test.create("probe", #""t":{"recordName":"hidden","action":"VALIDATE"}"#, as: bob)
            }?.code == .validatingReferenceError)
    }
}
