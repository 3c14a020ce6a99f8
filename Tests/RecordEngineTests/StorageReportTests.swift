import RecordModel
import Testing

@testable import RecordEngine

@Suite struct StorageReportTests {
    @Test func `sizes of types are counted in small databases, and estimated from a sample in large ones`() async throws
    {
        let test = try TestDatabase()
        for batch in 0..<15 {
            let operations = (0..<200).map { number in
                let type = number % 4 == 0 ? "Long" : "Short"
                let text = String(repeating: "x", count: type == "Long" ? 300 : 20)
                return
                    #"{"operationType":"create","record":{"recordType":"\#(type)","recordName":"r\#(batch)-\#(number)","fields":{"t":{"value":"\#(text)"}}}}"#
            }
            _ = try await test.batch(#"{"operations":[\#(operations.joined(separator: ","))]}"#)
        }
        let counted = try await test.database.maintenance.storage()
        #expect(counted.isExact && counted.usage.records == 3_000)
        let sizes = Dictionary(uniqueKeysWithValues: counted.types.map { ($0.name, $0) })
        #expect(sizes["Long"]?.records == 750 && sizes["Short"]?.records == 2_250)
        let bytes = try #require(sizes["Long"]).bytes
        #expect(bytes > 750 * 300 && bytes < 750 * 400)
        let estimated = try await test.database.maintenance.storage(countingUpTo: 100, typesUpTo: 0)
        #expect(!estimated.isExact && estimated.types.allSatisfy { !$0.isCounted })
        for type in estimated.types {
            let exact = try #require(sizes[type.name])
            #expect(abs(type.records - exact.records) <= exact.records / 5, "\(type)")
        }
        #expect(estimated.types.reduce(0) { $0 + $1.records } == 3_000)
        await test.close()
    }

    @Test func `in a large database, small types are counted in all zones, with access lists and without`() async throws
    {
        let test = try TestDatabase()
        try await test.createAll((0..<900).map { ("many\($0)", "\"n\":\($0)") })
        func create(_ type: String, _ names: [String], acl: String = "") async throws {
            let operations = names.map {
                #"{"operationType":"create","record":{"recordType":"\#(type)","recordName":"\#($0)","fields":{"t":"x"}\#(acl)}}"#
            }
            _ = try await test.batch(#"{"operations":[\#(operations.joined(separator: ","))]}"#)
        }
        try await create("Few", (0..<7).map { "few\($0)" })
        try await create("Few", (0..<5).map { "listed\($0)" }, acl: #","acl":{"*":["read"]}"#)
        _ = try await test.batch(#"{"operations":[{"operationType":"delete","record":{"recordName":"few0"}}]}"#)
        let report = try await test.database.maintenance.storage(countingUpTo: 100, typesUpTo: 500)
        let types = Dictionary(uniqueKeysWithValues: report.types.map { ($0.name, $0) })
        let few = try #require(types["Few"])
        #expect(few.isCounted && few.records == 11 && few.bytes > 0 && few.bytes < 2_000)
        // What the counted types leave is that of the only large one.
        let many = try #require(types["Post"])
        #expect(!many.isCounted && many.records == 900)
        #expect(report.types.reduce(0) { $0 + $1.records } == report.usage.records)
        await test.close()
    }

    @Test func `an empty database has no sizes, and each query counts for the indexes it uses`() async throws {
        let test = try TestDatabase()
        let empty = try await test.database.maintenance.storage()
        #expect(empty.isExact && empty.types.allSatisfy { $0.records == 0 } && empty.freeBytes > 0)
        try await test.create("a", #""n":1"#)
        for _ in 0..<3 { #expect(try await test.query("n == 1").names == ["a"]) }
        test.reader.rest()
        let report = try await test.database.maintenance.storage()
        let index = try #require(report.types.flatMap(\.indexes).first { $0.fields == ["n"] })
        #expect(index.uses == 3)
        await test.close()
    }
}
