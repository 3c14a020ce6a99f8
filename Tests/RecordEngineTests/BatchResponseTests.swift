import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct BatchResponseTests {
    @Test func `a conflict shows no rolled-back change of its own batch`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""n":1"#)
        let results = try await test.batch(
            """
            {"operations":[
            {"operationType":"forceUpdate","record":{"recordType":"Post","recordName":"a","fields":{"n":100}}},
            {"operationType":"update","record":{"recordType":"Post","recordName":"a","recordChangeTag":"zz","fields":{}}}]}
            """)
        #expect(results.map { $0["serverErrorCode"]?.string } == ["ATOMIC_ERROR", "CONFLICT"])
        #expect(results.last?["serverRecord"]?["fields"]?["n"]?["value"]?.integer == 1)
        #expect(results.last?["serverRecord"]?["recordChangeTag"]?.string == (try test.read("a").recordChangeTag))
        #expect(try test.read("a").fields["n"] == .int64(1))
    }

    @Test func `a batch is rejected at the item where its response exceeds the limit`() async throws {
        var limits = DatabaseLimits()
        limits.bodyBytes = 20_000
        let test = try TestDatabase(limits: limits)
        let text = String(repeating: "x", count: 10_000)
        try await test.create("a", #""text":"\#(text)""#)
        let touch =
            #"{"operationType":"forceUpdate","record":{"recordType":"Post","recordName":"a","fields":{"n":{"increment":1}}}}"#
        let operations = Array(repeating: touch, count: 50).joined(separator: ",")
        let atomic = try await test.batch("{\"operations\":[\(operations)]}")
        #expect(atomic.compactMap { $0["details"]?["cause"]?.string } == ["TOO_LARGE"])
        #expect(try test.read("a").fields["n"] == nil)
        let each = try await test.batch("{\"atomic\":false,\"operations\":[\(operations)]}")
        let done = each.filter { $0["serverErrorCode"] == nil }.count
        #expect((1..<50).contains(done))
        #expect(try test.read("a").fields["n"] == .int64(Int64(done)))
        // With fewer fields all records fit.
        let few = try await test.batch("{\"desiredKeys\":[\"n\"],\"operations\":[\(operations)]}")
        #expect(few.allSatisfy { $0["serverErrorCode"] == nil })
    }
}
