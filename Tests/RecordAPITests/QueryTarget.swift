import Foundation
import HTTP
import RecordWire
import Testing

/// The address of a query, percent-encoded. `{creator}` and the like stay as they are, for `TestDatabase.call`.
func queryTarget(_ type: String, _ items: [(String, String)]) -> String {
    let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    func encoded(_ text: String) -> String {
        var text = text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
        for who in TestDatabase.Who.allCases {
            text = text.replacingOccurrences(of: "%7B\(who.rawValue)%7D", with: "{\(who.rawValue)}")
        }
        return text
    }
    let query = items.map { "\($0.0)=\(encoded($0.1))" }.joined(separator: "&")
    return "/query/\(type)" + (query.isEmpty ? "" : "?\(query)")
}

/// One row of a table of queries: a condition, its arguments, a sort, and which records come, in order.
struct QueryRow: Sendable, CustomTestStringConvertible {
    let condition: String
    /// JSON.
    var arguments: [String] = []
    var sort: String?
    let names: [String]

    /// Without arguments.
    init(_ condition: String, sort: String? = nil, _ names: [String]) {
        self.init(condition, [], sort: sort, names)
    }

    init(_ condition: String, _ arguments: [String], sort: String? = nil, _ names: [String]) {
        self.condition = condition
        self.arguments = arguments
        self.sort = sort
        self.names = names
    }

    var items: [(String, String)] {
        [("where", condition)] + arguments.map { ("arg", $0) } + (sort.map { [("sort", $0)] } ?? [])
    }

    func target(_ type: String, _ more: [(String, String)] = []) -> String {
        queryTarget(type, items + more)
    }

    /// The same query as the body of `POST /query`.
    func body(_ type: String) -> String {
        var object = JSONObject()
        object["recordType"] = .string(type)
        object["where"] = .string(condition)
        object["args"] = .array(arguments.compactMap { try? JSONValue.parse(Array($0.utf8)) })
        if let sort { object["sort"] = .string(sort) }
        return String(decoding: JSONValue.object(object).bytes, as: UTF8.self)
    }

    var testDescription: String { "\(condition) \(arguments) \(sort ?? "")" }
}

extension Response {
    /// The names of the records, in order.
    var names: [String] { records.compactMap { $0["recordName"]?.string } }
    var count: Int64? { json?["count"]?.integer }
    var cursor: String? { json?["cursor"]?.string }
}

extension TestDatabase {
    /// Sends each row by GET and by POST, which must give the same response.
    func expect(_ rows: [QueryRow], of type: String, as who: Who = .creator) async {
        for row in rows {
            let response = await call(.get, row.target(type), as: who)
            #expect(response.status == 200, "\(row.testDescription): \(response.text)")
            #expect(response.names == row.names, "\(row.testDescription)")
            let posted = await call(.post, "/query", as: who, body: row.body(type))
            #expect(posted.status == 200, "\(row.testDescription): \(posted.text)")
            #expect(posted.names == row.names, "POST \(row.testDescription)")
        }
    }

    /// Creates records in one batch: name and fields as JSON.
    func make(_ records: [(String, String)], _ type: String, as who: Who = .creator) async throws {
        let operations = records.map {
            #"{"operationType":"create","record":{"recordType":"\#(type)","recordName":"\#($0.0)","fields":\#($0.1)}}"#
        }
        let response = await call(
            .post, "/records", as: who, body: #"{"operations":[\#(operations.joined(separator: ","))]}"#)
        try #require(response.status == 200 && !response.text.contains("serverErrorCode"), "\(response.text)")
    }
}
