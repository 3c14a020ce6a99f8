import FogbaseClient
import Foundation
import Testing

/// Additions of later server versions to responses, and how this version treats them.
@Suite struct LaterServerTests {
    private struct Place: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case title, image, at, above }

        var title: String
        var image: Asset?
        var at: Location?
        var above: Reference?
    }

    /// Reads the same as the macro's models do.
    private struct Title: RecordDecodable, Equatable {
        var title: String
        var shape: String?

        init(fields reader: inout FieldReader) throws {
            title = try reader.decode(String.self, for: "title")
            shape = try reader.decodeIfPresent(String.self, for: "shape")
        }
    }

    private struct OnlyTitle: Codable, RecordCodable {
        var title: String
    }

    private struct Priced: Codable, RecordCodable {
        var title: String
        var price: Double
        var all: [Double]
    }

    private struct PricedByReader: RecordDecodable {
        var price: Double

        init(fields reader: inout FieldReader) throws {
            price = try reader.decode(Double.self, for: "price")
        }
    }

    private struct CodableShape: Codable, RecordCodable {
        var title: String
        var shape: String?
    }

    /// A record with these fields and additional keys of its server.
    private func record(_ fields: String) -> String {
        #"""
        {"recordName":"a","recordType":"Place","fields":{"title":{"value":"sea","type":"STRING","language":"en"},\#(fields)},
        "recordChangeTag":"t1","created":{"timestamp":1,"userRecordName":"_u","deviceID":"2","device":{"name":"x"}},
        "modified":{"timestamp":2,"userRecordName":"_u","deviceID":"7"},"expires":{"timestamp":9},"labels":["x",{"y":[1]}],
        "deleted":false}
        """#
    }

    private func database(_ body: String, status: Int = 200) throws -> Database {
        let url = try #require(URL(string: "http://127.0.0.1"))
        return Fogbase(url, transport: StubTransport(status, body)).container().publicDatabase
    }

    @Test func `keys that this version does not know are ignored`() async throws {
        let checksum = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC0Is0V1sFbDwCgg="
        let body = record(
            #"""
            "image":{"value":{"fileChecksum":"\#(checksum)","size":4,"blurHash":"LEHV6n","frames":{"count":3},"width":2,"height":1,
            "downloadURL":"/files/a"},"type":"ASSETID"},
            "at":{"value":{"latitude":54.5,"longitude":-3,"floor":2,"source":{"kind":"gps"}},"type":"LOCATION"},
            "above":{"value":{"recordName":"b","action":"DELETE_SELF","weight":1},"type":"REFERENCE"}
            """#)
        let stored = try await database(body).fetch(Place.self, "a")
        #expect(stored.title == "sea" && stored.metadata.version == "t1" && stored.metadata.creator == "_u")
        #expect(stored.image?.size == 4 && stored.image?.picture?.width == 2 && stored.image?.downloadURL == "/files/a")
        #expect(stored.at == Location(latitude: 54.5, longitude: -3))
        #expect(try stored.above == Reference(to: "b", .deleteSelf))
        let list = body.replacingOccurrences(
            of: #""at":{"value":"#, with: #""all":{"type":"LOCATION_LIST","value":["#
        ).replacingOccurrences(of: #"},"type":"LOCATION"}"#, with: "}]}")
        let untyped = try await database(list).fetch("Place", "a")
        #expect(untyped["all"] == [Location(latitude: 54.5, longitude: -3)])
        #expect(try untyped.decode(Place.self).image == stored.image, "a file keeps its measures and its address")
    }

    /// A DOUBLE field that was an INT64 keeps old values unchanged.
    @Test func `a whole number in a widened field is read as a Double`() async throws {
        let body = record(#""price":{"value":10,"type":"INT64"},"all":{"value":[1,2],"type":"INT64_LIST"}"#)
        let stored = try await database(body).fetch(Priced.self, "a")
        #expect(stored.price == 10 && stored.all == [1, 2])
        #expect(try await database(body).fetch("Place", "a").decode(Priced.self).price == 10)
        #expect(try await database(body).fetch(PricedByReader.self, "a").price == 10)
    }

    @Test func `a field of an unknown type fails only when it is read`() async throws {
        let body = record(
            #""shape":{"value":{"points":[[1,2]]},"type":"POLYGON"},"vector":{"value":[1],"type":"FLOAT16_LIST"}"#)
        #expect(try await database(body).fetch(OnlyTitle.self, "a").title == "sea")
        #expect(try await database(body).fetch("Place", "a").fields.keys.sorted() == ["title"])
        let problem = DecodingProblem(.mismatch(expected: "STRING", found: "POLYGON"), field: "shape", recordName: "a")
        for type in [Title.self, CodableShape.self] as [any RecordDecodable.Type] {
            let error = await #expect(throws: FogbaseError.self) { try await read(type, body) }
            #expect(error == .decoding(problem))
        }
    }

    @Test(arguments: [
        (#"{"recordName":"b","action":"ARCHIVE"}"#, "action"), (#"["b"]"#, "list"),
        (#"{"recordName":"b","zoneID":"z"}"#, "zone"), (#"{"url":"b"}"#, "recordName"),
    ])
    func `a value of a known type that cannot be understood says what it is`(value: String, word: String) async throws {
        let body = record(#""above":{"value":\#(value),"type":"REFERENCE"}"#)
        let error = await #expect(throws: FogbaseError.self) { _ = try await database(body).fetch(Place.self, "a") }
        #expect(error?.field == "above" && error?.recordName == "a")
        #expect(error?.reason.contains(word) == true, "\(error?.reason ?? "")")
        #expect(try await database(body).fetch(OnlyTitle.self, "a").title == "sea")
    }

    @Test func `a page keeps its other records and takes what it does not know`() async throws {
        let odd = record(#""shape":{"value":1,"type":"POLYGON"}"#)
        let round = record(#""shape":{"value":"round","type":"STRING"}"#)
        let even = round.replacingOccurrences(of: #""a""#, with: #""b""#)
        let body = #"{"took":{"ms":3},"records":[\#(odd),\#(even)],"facets":[1],"notices":[{"code":"NEW","x":1}]}"#
        let page = try await database(body).fetch(Query<CodableShape>())
        #expect(page.items.map(\.shape) == ["round"] && page.failures.map(\.recordName) == ["a"])
        let changes = body.replacingOccurrences(of: #""records""#, with: #""token":"t","moreComing":false,"changes""#)
        #expect(try await database(changes).changes().changed.map(\.name) == ["a", "b"])
    }

    private func read<Model: RecordDecodable>(_ type: Model.Type, _ body: String) async throws {
        _ = try await database(body).fetch(Model.self, "a")
    }
}
