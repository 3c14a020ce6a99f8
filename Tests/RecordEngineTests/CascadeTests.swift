import RecordEngine
import RecordModel
import RecordWire
import Testing

@Suite struct CascadeTests {
    private static func reference(_ field: String, _ target: String) -> String {
        #""\#(field)":{"recordName":"\#(target)","action":"DELETE_SELF"}"#
    }

    @Test func `a child with many references leaves no sibling undeleted`() async throws {
        var limits = DatabaseLimits()
        limits.cascadeRecords = 3
        let test = try TestDatabase(limits: limits)
        try await test.create("root")
        let many = ["a", "b", "c", "d", "e"].map { Self.reference($0, "root") }.joined(separator: ",")
        try await test.create("first", many)
        try await test.create("second", Self.reference("a", "root"))
        try await test.delete("root")
        #expect(try test.list().names.isEmpty)
    }

    @Test func `the cascade limit holds for a whole request, however many deletions it has`() async throws {
        var limits = DatabaseLimits()
        limits.cascadeRecords = 3
        let test = try TestDatabase(limits: limits)
        for root in ["r", "s"] {
            try await test.create(root)
            for child in 0..<2 { try await test.create("\(root)\(child)", Self.reference("a", root)) }
        }
        let both =
            #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"r"}},{"operationType":"forceDelete","record":{"recordName":"s"}}]}"#
        let rejected = try await test.batch(both)
        #expect(rejected.map { $0["details"]?["cause"]?.string } == [nil, "TOO_LARGE"])
        #expect(try test.list().names.count == 6)
        try await test.delete("r")
        try await test.delete("s")
        #expect(try test.list().names.isEmpty)
    }
}
