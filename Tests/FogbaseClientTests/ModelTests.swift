import Foundation
import FogbaseClient
import RecordModel
import Testing

/// A model without a macro: it is Codable, and that is all.
private struct Goods: Codable, RecordCodable, Equatable {
    enum State: String, Codable, FieldConvertible { case new, sold }
    enum Size: Int, Codable { case small = 1, large = 2 }
    struct Box: Codable, Equatable { var width: Int }

    var name: String
    var price: Int
    var rate: Double?
    var since: Date
    var picture: Data?
    var tags: [String]
    var state: State
    var size: Size
    var isShown: Bool
    var box: Box?
    var link: URL?
    var maker: Reference?
}

@Suite struct ModelTests {
    private static let goods = Goods(
        name: "cup \"large\"\n", price: -3, rate: 2.5, since: Date(timeIntervalSince1970: 1_772_366_400.123),
        picture: Data([0, 1, 255]), tags: ["a", "b\\"], state: .sold, size: .large, isShown: true,
        box: .init(width: 4), link: URL(string: "https://example.org/a"), maker: nil)

    @Test func `a Codable type is written to fields of their types, and read back`() throws {
        var writer = FieldWriter(removesAbsent: true)
        try Self.goods.encode(fields: &writer)
        let text = String(decoding: writer.text, as: UTF8.self)
        for part in [
            #""price":{"value":-3,"type":"INT64"}"#, #""rate":{"value":2.5,"type":"DOUBLE"}"#,
            #""since":{"value":1772366400123,"type":"TIMESTAMP"}"#, #""picture":{"value":"AAH/","type":"BYTES"}"#,
            #""tags":{"value":["a","b\\"],"type":"STRING_LIST"}"#, #""state":{"value":"sold","type":"STRING"}"#,
            #""size":{"value":2,"type":"INT64"}"#, #""isShown":{"value":1,"type":"INT64"}"#,
            #""box":{"value":"{\"width\":4}","type":"STRING"}"#, #""maker":null"#,
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        var record = Record("Goods")
        record.fields = try Record("Goods", name: "a", fields: writer).fields
        #expect(try record.decode(Goods.self) == Self.goods)
    }

    @Test func `a missing or mistyped value is reported with field and record`() throws {
        var record = Record("Goods", name: "cup")
        record["name"] = "cup"
        #expect(throws: FogbaseError.decoding(DecodingProblem(.missing, field: "price", recordName: "cup"))) {
            _ = try record.decode(Goods.self)
        }
        record["price"] = "three"
        let mismatch = DecodingProblem(.mismatch(expected: "INT64", found: "STRING"), field: "price", recordName: "cup")
        #expect(throws: FogbaseError.decoding(mismatch)) { _ = try record.decode(Goods.self) }
    }

    @Test func `a new record omits absent fields`() throws {
        var writer = FieldWriter(removesAbsent: false)
        try Self.goods.encode(fields: &writer)
        #expect(!String(decoding: writer.text, as: UTF8.self).contains("maker"))
    }

    @Test func `changes are the fields that differ`() throws {
        var changed = Self.goods
        changed.price = 4
        changed.rate = nil
        var (before, now) = (
            FieldWriter(removesAbsent: true, keepsEntries: true), FieldWriter(removesAbsent: true, keepsEntries: true)
        )
        try Self.goods.encode(fields: &before)
        try changed.encode(fields: &now)
        let changes = now.changes(since: before)
        #expect(
            String(decoding: changes.text, as: UTF8.self) == #""price":{"value":4,"type":"INT64"},"rate":null"#)
        #expect(now.changes(since: now).text.isEmpty)
    }

    @Test func `NaN and infinity are rejected`() {
        var writer = FieldWriter(removesAbsent: true)
        #expect(throws: FogbaseError.self) { try writer.encode(Double.nan, for: "a") }
        #expect(throws: FogbaseError.self) { try writer.encode([1, .infinity], for: "a") }
        let place = Location(latitude: .nan, longitude: 0)
        #expect(throws: FogbaseError.self) { try writer.encode(place, for: "a") }
    }
}
