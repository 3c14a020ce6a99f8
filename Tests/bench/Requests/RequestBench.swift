import Foundation
import RecordModel
import RecordWire

/// Reads the body of a write again and again, with the server's reader and with Foundation's decoder in turns, and prints
/// the CPU time of the best turn: a line of JSON for each, in microseconds per body.
@main
struct RequestBench {
    /// The code that a program with fixed types would have; the fastest form for JSONDecoder.
    struct TypedBody: Decodable {
        struct Text: Decodable { var value: String; var type: String }
        struct Integer: Decodable { var value: Int64; var type: String }
        struct Number: Decodable { var value: Double; var type: String }
        struct Texts: Decodable { var value: [String]; var type: String }
        struct Fields: Decodable {
            var title: Text
            var body: Text
            var good: Integer
            var rating: Number
            var posted: Integer
            var tags: Texts
        }
        var recordName: String
        var fields: Fields
    }

    static let body = Array(
        (#"{"recordName":"0190c2e8-7d31-7cc2-9a5f-2f1f6a1d9b10","fields":{"#
            + #""title":{"value":"A walk along the sea","type":"STRING"},"#
            + #""body":{"value":"We went down to the water before sunrise; the tide was out and the whole bay lay open, "#
            + #"grey and quiet.","type":"STRING"},"#
            + #""good":{"value":1234,"type":"INT64"},"rating":{"value":4.25,"type":"DOUBLE"},"#
            + #""posted":{"value":1772366400123,"type":"TIMESTAMP"},"#
            + #""tags":{"value":["sea","walk","dawn"],"type":"STRING_LIST"}}}"#).utf8)

    static func main() throws {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
        let type = try postType()
        let (data, decoder) = (Data(body), JSONDecoder())
        let typed = try decoder.decode(TypedBody.self, from: data)
        let input = try RecordInput.readSingle(body)
        guard input.recordName?.text == typed.recordName, input.fields.count == type.fields.count,
            try resolved(input, type).changes.count == type.fields.count, typed.fields.posted.value == 1_772_366_400_123
        else { throw CocoaError(.coderInvalidValue) }
        let work: [(name: String, body: () throws -> Int)] = [
            ("request-read", { try RecordInput.readSingle(body).fields.count }),
            ("request-resolve", { try resolved(RecordInput.readSingle(body), type).changes.count }),
            ("request-foundation", { Int(try decoder.decode(TypedBody.self, from: data).fields.good.value) }),
        ]
        var best: [String: Double] = [:]
        for _ in 0..<5 {
            for (name, body) in work {
                let start = processorTime()
                var sum = 0
                for _ in 0..<(rounds / 5) { sum &+= try body() }
                let took = (processorTime() - start) / Double(rounds / 5) + (sum == 0 ? 1 : 0)
                best[name] = min(best[name] ?? .infinity, took)
            }
        }
        for (name, _) in work {
            print(#"{"name":"\#(name)","microseconds":\#(((best[name] ?? 0) * 1_000).rounded() / 1_000)}"#)
        }
    }

    /// The fields as values of the schema's types, as a write stores them.
    private static func resolved(_ input: RecordInput, _ type: RecordTypeDefinition) throws -> ResolvedFields {
        try FieldResolver.resolve(
            input, typeName: type.name, type: type, allowsNewFields: false, recordBytes: 1 << 20)
    }

    private static func postType() throws -> RecordTypeDefinition {
        let names: [(String, FieldType)] = [
            ("title", .string), ("body", .string), ("good", .int64), ("rating", .double), ("posted", .timestamp),
            ("tags", .stringList),
        ]
        guard let typeName = RecordTypeName("Post") else { throw CocoaError(.coderInvalidValue) }
        let fields = try names.enumerated().map { index, pair in
            guard let name = FieldName(pair.0) else { throw CocoaError(.coderInvalidValue) }
            return FieldDefinition(id: index + 1, name: name, type: pair.1)
        }
        return RecordTypeDefinition(id: TypeID(rawValue: 1), name: typeName, grants: .standard, fields: fields)
    }

    /// Microseconds that this process has used.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}
