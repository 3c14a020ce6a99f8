import Foundation
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// For random records, callers and paths: `expanded` has what look-ups by the same caller find, each record once.
@Suite struct ExpandOracleTests {
    @Test(arguments: seeds(2)) func `expanded records are those that look-ups by the same caller find`(_ seed: Int)
        async throws
    {
        var world = try await ExpandWorld(seed: UInt64(seed))
        var found = 0
        for _ in 0..<25 {
            let paths = world.samplePaths()
            for caller in world.callers {
                guard let result = try await world.page(paths, as: caller) else { continue }
                let page = result.object
                let expected = try world.expectation(paths, of: page, as: caller)
                let expanded = try #require(page["expanded"])
                let records = expanded["records"]?.array ?? []
                let names = records.compactMap { $0["recordName"]?.string.map { Array($0.utf8) } }
                #expect(Set(names).count == names.count, "a record appears twice")
                #expect(Set(names) == Set(expected.records.keys), "\(paths) as \(caller)")
                for (name, record) in zip(names, records) where expected.records[name] != nil {
                    #expect(record == expected.records[name], "\(paths) as \(caller)")
                }
                // As bytes, because a dictionary of strings holds some different names for equal.
                let backward = expected.backward.isEmpty ? "}" : ",\"backward\":{\(expected.backward)}}"
                let end = result.expanded?.suffix(backward.utf8.count) ?? []
                #expect(end.elementsEqual(backward.utf8), "\(paths) as \(caller)")
                found += names.count
            }
        }
        #expect(found > 100)
    }
}

/// Posts, authors, teams and comments with random references to each other, to nothing and to records of other types.
private struct ExpandWorld {
    let test: TestDatabase
    var callers: [Caller]
    private var random: SeededGenerator
    /// All names, with their types.
    private var types: [[UInt8]: String] = [:]
    private var posts: [String] = []
    private var comments: [String] = []

    struct Path: CustomStringConvertible {
        var text: String
        var description: String { text }
        var field = ""
        /// The limit and the direction of the sort, of a backward step.
        var backward: (limit: Int, isAscending: Bool?)?
        var second: String?
    }

    private static let schema = #"""
        {"types":{
        "Post":{"fields":{"n":{"type":"INT64"},"author":{"type":"REFERENCE"},"links":{"type":"REFERENCE_LIST"},
        "hidden":{"type":"REFERENCE","read":["_creator"]},"next":{"type":"REFERENCE"}},
        "grants":{"_world":["READ"],"_icloud":["CREATE","WRITE"]}},
        "Author":{"fields":{"team":{"type":"REFERENCE"},"links":{"type":"REFERENCE_LIST","read":["_creator"]}},
        "grants":{"_icloud":["CREATE"],"_creator":["READ","WRITE"]}},
        "Team":{"fields":{"next":{"type":"REFERENCE"}},"grants":{"_icloud":["READ","CREATE"]}},
        "Comment":{"fields":{"n":{"type":"INT64","indexes":["SORTABLE"]},
        "post":{"type":"REFERENCE","indexes":["QUERYABLE"]},"author":{"type":"REFERENCE"},
        "about":{"type":"REFERENCE_LIST","indexes":["QUERYABLE"]}},
        "grants":{"_world":["READ"],"_icloud":["CREATE"]}}}}
        """#

    init(seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        test = try TestDatabase(seed % 2 == 0 ? .development : .production)
        // Some readers have no time of their own, so that the pool makes every page.
        if seed % 3 == 0 { test.reader.spareTime = .nanoseconds(1) }
        try await test.database.schemas.put(SchemaDocument.read(Array(Self.schema.utf8)))
        callers = [.administrator(.bootstrap)]
        for name in ["ann", "bob"] { callers.append(try await test.signUp(name).caller) }
        let writers = callers
        callers.append(.anonymous)
        // Two names that `String` holds for equal.
        let names = ["caf\u{E9}", "cafe\u{301}"] + (0..<40).map { "r\($0)" }
        for name in names { types[Array(name.utf8)] = pick(["Post", "Post", "Author", "Team", "Comment", "Comment"]) }
        let targets = names + ["none", "\u{E9}"]
        for name in names.shuffled(using: &random) {
            let type = try #require(types[Array(name.utf8)])
            var fields = ["\"n\":\(number(0...3))"]
            for field in ["author", "next", "hidden", "post", "team"] where number(0...3) > 0 {
                fields.append(#""\#(field)":{"recordName":"\#(pick(targets))"}"#)
            }
            for field in ["links", "about"] where number(0...2) > 0 {
                let members = (0..<number(0...4)).map { _ in #"{"recordName":"\#(pick(targets))"}"# }
                fields.append(#""\#(field)":{"value":[\#(members.joined(separator: ","))],"type":"REFERENCE_LIST"}"#)
            }
            let known: [String: [String]] = [
                "Post": ["n", "author", "links", "hidden", "next"], "Author": ["team", "links"], "Team": ["next"],
                "Comment": ["n", "post", "author", "about"],
            ]
            fields = fields.filter { field in known[type]?.contains { field.hasPrefix("\"\($0)\"") } ?? false }
            let access = type == "Author" && number(0...1) == 0 ? #","acl":{"*":["read"]}"# : ""
            try await test.perform(
                .create, type, name, #"{"fields":{\#(fields.joined(separator: ","))}\#(access)}"#, as: pick(writers))
            if type == "Post" { posts.append(name) }
            if type == "Comment" { comments.append(name) }
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func samplePaths() -> [Path] {
        var paths: [Path] = []
        var steps: Set<String> = []
        for _ in 0..<number(1...4) {
            var path = Path(text: "")
            if number(0...2) == 0 {
                path.field = pick(["post", "about", "author"])
                guard steps.insert(path.field).inserted else { continue }
                let limit = number(1...4)
                let isAscending: Bool? = pick([nil, true, false])
                path.backward = (limit, isAscending)
                let sort = isAscending.map { ",sort=" + ($0 ? "n" : "-n") } ?? ""
                path.text = "Comment.\(path.field)(limit=\(limit)\(sort))"
            } else {
                path.field = pick(["author", "links", "next", "createdUserRecordName"])
                path.text = path.field
            }
            if number(0...1) == 0 {
                path.second = pick(["team", "links", "next", "author", "modifiedUserRecordName"])
                path.text += "." + (path.second ?? "")
            }
            paths.append(path)
        }
        return paths.isEmpty ? samplePaths() : paths
    }

    /// - Returns: `nil` if the caller may read no type with one of the fields.
    func page(_ paths: [Path], as caller: Caller) async throws -> RecordPage? {
        var input = QueryInput()
        input.expand = try QueryInput.expand(paths.map(\.text).joined(separator: ", "))
        let request = QueryRequest(
            caller: caller, address: .publicDefault, typeName: try #require(RecordTypeName("Post")), input: input)
        do {
            if let page = try await run(request) { return page }
        } catch let error as RecordError {
            try #require(error.cause == .unknownName && caller == .anonymous)
            try #require(paths.contains { $0.second == "team" })
            return nil
        }
        // Production has no index on `author`, and only callers with WRITE add one in development.
        if test.database.environment == .production {
            let comment = try #require(RecordTypeName("Comment"))
            let field = try #require(test.reader.schema[comment]?["author"]).id
            _ = try await test.database.indexes.add(IndexRequest(options: [field: .queryable]), to: comment)
        } else {
            var administrators = request
            administrators.caller = .administrator(.bootstrap)
            _ = try await run(administrators)
        }
        return try await run(request)
    }

    /// - Returns: `nil` if an index is missing.
    private func run(_ request: QueryRequest) async throws -> RecordPage? {
        try test.reader.refresh()
        do {
            return try await test.reader.queries.run(request)
        } catch {
            guard error.cause == .notIndexed else { throw error }
            return nil
        }
    }

    // MARK: The oracle

    private func lookUp(_ name: [UInt8], as caller: Caller) throws -> JSONValue? {
        // User records are found as well.
        let text = String(decoding: name, as: UTF8.self)
        var json: [UInt8] = []
        try test.reader.refresh()
        guard let recordName = RecordName(text) else { return nil }
        for type in test.reader.schema.types.values {
            let found = try? test.reader.lookUp(
                recordName, type: type.name, in: .publicDefault, for: caller, fields: nil, to: &json)
            if found != nil { return try JSONValue.parse(json) }
        }
        return nil
    }

    private func targets(of field: String, in record: JSONValue) -> [[UInt8]] {
        let moments = ["createdUserRecordName": "created", "modifiedUserRecordName": "modified"]
        if let moment = moments[field] { return [Array((record[moment]?["userRecordName"]?.string ?? "").utf8)] }
        guard let value = record["fields"]?[field]?["value"] else { return [] }
        return (value.array ?? [value]).compactMap { $0["recordName"]?.string.map { Array($0.utf8) } }
    }

    func expectation(
        _ paths: [Path], of page: JSONValue, as caller: Caller
    ) throws -> (records: [[UInt8]: JSONValue], backward: String) {
        var records: [[UInt8]: JSONValue] = [:]
        var backward: [String] = []
        let parents = page["records"]?.array ?? []
        for path in paths {
            var names: [[UInt8]] = []
            if let (limit, isAscending) = path.backward {
                var lists: [String] = []
                for parent in parents {
                    let name = parent["recordName"]?.string ?? ""
                    let all = try referring(to: Array(name.utf8), by: path.field, isAscending, as: caller)
                    if all.isEmpty { continue }
                    let some = all.prefix(limit)
                    names += some.map { Array($0.utf8) }
                    let quoted = some.map { "\"\($0)\"" }.joined(separator: ",")
                    lists.append(
                        "\"\(name)\":{\"recordNames\":[\(quoted)],\"moreComing\":\(all.count > limit)}")
                }
                backward.append("\"Comment.\(path.field)\":{\(lists.joined(separator: ","))}")
            } else {
                names = parents.flatMap { targets(of: path.field, in: $0) }
            }
            for name in names {
                guard let record = try lookUp(name, as: caller) else { continue }
                records[name] = record
                guard let second = path.second else { continue }
                for name in targets(of: second, in: record) { records[name] = try lookUp(name, as: caller) }
            }
        }
        return (records, backward.joined(separator: ","))
    }

    private func referring(
        to name: [UInt8], by field: String, _ isAscending: Bool?, as caller: Caller
    ) throws -> [String] {
        var found: [(name: String, n: Int64)] = []
        // The comments are in creation order.
        for comment in comments {
            guard let record = try lookUp(Array(comment.utf8), as: caller),
                targets(of: field, in: record).contains(name)
            else { continue }
            found.append((comment, record["fields"]?["n"]?["value"]?.integer ?? .min))
        }
        guard let isAscending else { return found.map(\.name) }
        let places = found.enumerated().sorted { one, other in
            if one.element.n == other.element.n { return one.offset < other.offset }
            return isAscending == (one.element.n < other.element.n)
        }
        return places.map(\.element.name)
    }
}
