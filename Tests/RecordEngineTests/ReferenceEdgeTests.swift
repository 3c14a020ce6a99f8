import RecordEngine
import RecordModel
import RecordWire
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
        #expect(await refusal { try await test.delete(Self.decomposed) }?.code == .validatingReferenceError)
        #expect(await refusal { try await test.delete(Self.composed) } == nil)
    }

    @Test func `of two references to one target the one that stays still counts`() async throws {
        let test = try TestDatabase()
        try await test.create("t")
        let deleting = #"{"recordName":"t","action":"DELETE_SELF"}"#
        let validating = #"{"recordName":"t","action":"VALIDATE"}"#
        try await test.create("holder", #""refs":[\#(deleting),\#(validating)]"#)
        // VALIDATE protects the target as long as it stands.
        #expect(await refusal { try await test.delete("t") }?.code == .validatingReferenceError)
        try await test.change("holder", #""refs":[\#(deleting)]"#)
        try await test.delete("t")
        #expect(try test.list().names.isEmpty)
    }

    @Test func `who may not read a target may still change the record that refers to it`() async throws {
        let test = try TestDatabase()
        let bob = try await test.signUp("bob").caller
        try await test.create("hidden", type: "Secret")
        try await test.create("holder", #""n":1,"t":{"recordName":"hidden","action":"VALIDATE"}"#)
        let secret = try #require(RecordTypeName("Secret"))
        let post = try #require(RecordTypeName("Post"))
        try await test.database.setGrants(Grants(), of: secret)
        try await test.database.setGrants(Grants([.authenticated: [.read, .create, .write]]), of: post)
        try await test.change("holder", #""n":{"increment":1}"#, as: bob)
        #expect(try test.read("holder").fields["n"] == .int64(2))
        // A reference of his own to it is one to nothing.
        #expect(
            await refusal {
                try await test.create("probe", #""t":{"recordName":"hidden","action":"VALIDATE"}"#, as: bob)
            }?.code == .validatingReferenceError)
    }

    @Test(.timeLimit(.minutes(1))) func `a long list of validating references costs what its length does`() async throws
    {
        let test = try TestDatabase()
        let count = 12_000
        try await test.create("seed", #""n":1"#)
        for start in stride(from: 0, to: count, by: 200) {
            let operations = (start..<start + 200).map {
                #"{"operationType":"create","record":{"recordType":"Post","recordName":"target-with-a-long-name-\#($0)"}}"#
            }
            _ = try await test.batch("{\"operations\":[\(operations.joined(separator: ","))]}")
        }
        let references = (0..<count).map { #"{"recordName":"target-with-a-long-name-\#($0)","action":"VALIDATE"}"# }
        func seconds(_ name: String, _ count: Int) async throws -> Double {
            let clock = ContinuousClock()
            let time = try await clock.measure {
                try await test.create(name, #""refs":[\#(references[..<count].joined(separator: ","))]"#)
            }
            return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        }
        _ = try await seconds("warm", 10)
        let short = try await seconds("short", count / 8)
        let long = try await seconds("long", count)
        #expect(long < short * 16, "8 times the references took \(long / short) times as long")
    }
}
