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
        let estimated = try await test.database.maintenance.storage(countingUpTo: 100)
        #expect(!estimated.isExact)
        for type in estimated.types {
            let exact = try #require(sizes[type.name])
            #expect(abs(type.records - exact.records) <= exact.records / 5, "\(type)")
        }
        #expect(estimated.types.reduce(0) { $0 + $1.records } == 3_000)
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
