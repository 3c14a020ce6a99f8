import Foundation
import Geography
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Queries that test the records to which references lead.
@Suite struct TargetQueryTests {
    private func forum(_ environment: RecordEnvironment, limits: DatabaseLimits = DatabaseLimits()) async throws
        -> TestDatabase
    {
        let test = try TestDatabase(environment, limits: limits)
        let indexed = environment == .production ? #","indexes":["QUERYABLE"]"# : ""
        let schema = #"""
            {"types":{"Post":{"fields":{"author":{"type":"REFERENCE"\#(indexed)},"n":{"type":"INT64"\#(indexed)}}},
            "Author":{"fields":{"name":{"type":"STRING"\#(indexed)},"age":{"type":"INT64"}}}}}
            """#
        try await test.database.schemas.put(SchemaDocument.read(Array(schema.utf8)))
        try await test.createAll(
            (0..<20).map { ("a\($0)", #""name":"n\#($0 % 10)","age":\#($0)"#) }, type: "Author")
        try await test.createAll((0..<100).map { ("p\($0)", #""n":\#($0),"author":{"recordName":"a\#($0 % 20)"}"#) })
        return test
    }

    @Test func `the names of the targets become scans of the reference's index`() async throws {
        let test = try await forum(.production)
        let page = try await test.query("author.name == 'n3' AND n < 50", limit: 4)
        #expect(page.names == ["p3", "p13", "p23", "p33"] && page.count == 5)
        #expect(page.plan.hasPrefix(#"targets 2 of Author that pass: author.name == "n3""#), "\(page.plan)")
        #expect(page.plan.contains("scan index (author)"), "\(page.plan)")
        #expect(page.json["plan"]?["targets"]?.array?.first?["records"]?.integer == 2)
        let rest = try await test.query("author.name == 'n3' AND n < 50", limit: 4, cursor: page.cursor)
        #expect(rest.names == ["p43"] && rest.cursor == nil)
        let others = try await test.query("author.name != 'n3'", limit: 1)
        #expect(others.count == 90)
        #expect(others.plan.hasPrefix(#"targets 2 of Author that fail: author.name != "n3""#), "\(others.plan)")
        #expect(try await test.query("author.name == 'none'").names.isEmpty)
        #expect(try await test.query("author.name IN {'n1', 'n2'} AND author.name != 'n2'").count == 10)
    }

    @Test func `each query finds the targets as they are now`() async throws {
        let test = try await forum(.production)
        for _ in 0..<3 { #expect(try await test.query("author.name == 'n3'").count == 10) }
        try await test.change("a3", #""name":"other""#, type: "Author")
        #expect(try await test.query("author.name == 'n3'").count == 5)
        try await test.delete("a13", type: "Author")
        #expect(try await test.query("author.name == 'n3'").names.isEmpty)
    }

    @Test func `production needs the index of the other type, and development adds both`() async throws {
        let test = try await forum(.production)
        let error = await rejection { _ = try await test.query("author.age > 3") }
        #expect(error?.cause == .notIndexed)
        #expect(error?.details.contains { $0.key == "recordType" && $0.value == .text("Author") } == true)
        let other = try await forum(.development)
        let page = try await other.query("author.age > 17")
        #expect(page.count == 10)
        let added = page.notices.compactMap { notice -> String? in
            notice["recordType"]?.string.map { "\($0) \(notice["index"]?.string ?? "")" }
        }
        #expect(Set(added) == ["Post author", "Author age"], "\(page.notices)")
    }

    @Test func `too many targets are rejected with advice`() async throws {
        var limits = DatabaseLimits()
        limits.targetNames = 12
        let test = try await forum(.production, limits: limits)
        #expect(try await test.query("author.name < 'n6'").count == 60)
        for condition in ["author.name < 'n7'", "author.name == NULL", "author.name < 'n4' OR author.name > 'n5'"] {
            let error = await rejection { _ = try await test.query(condition) }
            #expect(error?.cause == .queryTooExpensive, "\(condition)")
            #expect(error?.reason.contains("use IN") == true, "\(String(describing: error))")
            #expect(error?.details.contains { $0.key == "limit" } == true)
        }
    }

    @Test func `more targets than a plan has scans are tested on each record`() async throws {
        let test = try await forum(.production)
        try await test.createAll((100..<1_300).map { ("a\($0)", #""name":"m\#($0)""#) }, type: "Author")
        try await test.create("q", #""n":1,"author":{"recordName":"a777"}"#)
        let page = try await test.query("author.name BEGINSWITH 'm'")
        #expect(page.names == ["q"] && page.count == 1)
        #expect(page.json["plan"]?["residual"] != nil, "\(page.plan)")
        #expect(try await test.query("NOT author.name BEGINSWITH 'm'", limit: 1).count == 100)
    }

    @Test func `bulk changes, aggregates and jobs know the targets`() async throws {
        let test = try await forum(.production)
        var request = try test.queryRequest("author.name == 'n1'")
        (request.input.count, request.input.explain) = (false, false)
        var grouped = request
        grouped.input.aggregate = AggregateInput()
        grouped.input.aggregate?.values = ["count"]
        try test.reader.refresh()
        let groups = try JSONValue.parse((try await test.reader.queries.run(grouped).groups ?? []) + Array("}".utf8))
        #expect(groups["groups"]?.array?.first?["values"]?["count"]?.integer == 10)
        var estimated = request
        (estimated.input.estimatesTotal, estimated.input.limit) = (true, 1)
        let total = try await test.reader.queries.run(estimated).object["total"]
        #expect(total?["value"]?.integer == 10 && total?["relation"]?.string == "exact", "\(String(describing: total))")
        var bulk = BulkRequest(
            query: request, change: .delete, isForAll: false, isDryRun: true, maxAffected: nil, idempotency: nil)
        var response = try await test.reader.bulkChanges.perform(bulk)
        #expect(String(decoding: response.document, as: UTF8.self).contains(#""matched":10"#))
        bulk.isDryRun = false
        response = try await test.reader.bulkChanges.perform(bulk)
        #expect(String(decoding: response.document, as: UTF8.self) == #"{"matched":10,"deleted":10,"skipped":0}"#)
        #expect(try await test.query("").count == 90)
    }
}

/// For random records, callers and predicates: a query finds what the definition of the tests says, where a target is
/// what a look-up by the same caller finds.
@Suite struct TargetOracleTests {
    @Test(arguments: seeds(4)) func `tests of other records agree with look-ups by the same caller`(_ seed: Int)
        async throws
    {
        var world = try await TargetWorld(seed: UInt64(seed))
        var (found, rejected) = (0, 0)
        for _ in 0..<60 {
            let condition = world.sampleCondition()
            for caller in world.callers {
                let expected = try world.expectation(condition, as: caller)
                do {
                    let page = try await world.test.query(condition, limit: 1_000, as: caller)
                    #expect(page.names == expected, "\(condition) as \(caller): \(page.plan)")
                    #expect(page.count == Int64(page.names.count))
                    found += page.names.count
                } catch let error as RecordError {
                    // No type that this caller may read has such a field.
                    #expect(error.cause == .unknownName, "\(condition) as \(caller): \(error)")
                    #expect(caller == .anonymous)
                    rejected += 1
                }
            }
        }
        #expect(found > 500)
        #expect(rejected < 60)
    }
}

/// Posts that refer to authors, teams, posts and nothing. Authors are read by their creators, or by all if an access
/// list says so; their secret by their creators.
private struct TargetWorld {
    let test: TestDatabase
    private(set) var callers: [Caller]
    private var random: SeededGenerator
    private var posts: [String] = []

    private static let schema = #"""
        {"types":{
        "Post":{"fields":{"n":{"type":"INT64","indexes":["QUERYABLE"]},
        "author":{"type":"REFERENCE","indexes":["QUERYABLE"]},"next":{"type":"REFERENCE","indexes":["QUERYABLE"]}},
        "grants":{"_world":["READ"],"_icloud":["CREATE"]}},
        "Author":{"fields":{"name":{"type":"STRING","indexes":["QUERYABLE"]},
        "n":{"type":"INT64","indexes":["QUERYABLE"]},"tags":{"type":"STRING_LIST","indexes":["QUERYABLE"]},
        "secret":{"type":"STRING","indexes":["QUERYABLE"],"read":["_creator"]}},
        "grants":{"_icloud":["CREATE"],"_creator":["READ","WRITE"]}},
        "Team":{"fields":{"name":{"type":"STRING","indexes":["QUERYABLE"]},
        "n":{"type":"DOUBLE","indexes":["QUERYABLE"]}},"grants":{"_icloud":["READ","CREATE"]}}}}
        """#

    init(seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        test = try TestDatabase(.production)
        // Some readers have no time of their own, so that the pool makes every page.
        if seed % 3 == 0 { test.reader.spareTime = .nanoseconds(1) }
        try await test.database.schemas.put(SchemaDocument.read(Array(Self.schema.utf8)))
        callers = [.administrator(.bootstrap)]
        for name in ["ann", "bob"] { callers.append(try await test.signUp(name).caller) }
        let writers = callers
        callers.append(.anonymous)
        let names = (0..<30).map { "r\($0)" }
        for name in names {
            let type = pick(["Post", "Author", "Author", "Team"])
            var fields: [String] = []
            if number(0...3) > 0 { fields.append(#""n":\#(number(0...3))"#) }
            let texts = ["Author": ["name", "secret"], "Team": ["name"]][type] ?? []
            for field in texts where number(0...3) > 0 {
                fields.append(#""\#(field)":"\#(pick(["a", "ab", "b"]))""#)
            }
            if type == "Author", number(0...1) == 0 { fields.append(#""tags":["\#(pick(["x", "y"]))","z"]"#) }
            for field in ["author", "next"] where type == "Post" && number(0...4) > 0 {
                fields.append(#""\#(field)":{"recordName":"\#(pick(names + ["none"]))"}"#)
            }
            let access = type == "Author" && number(0...1) == 0 ? #","acl":{"*":["read"]}"# : ""
            try await test.perform(
                .create, type, name, #"{"fields":{\#(fields.joined(separator: ","))}\#(access)}"#, as: pick(writers))
            if type == "Post" { posts.append(name) }
        }
        for index in 0..<30 {
            let fields = #""n":\#(number(0...3)),"author":{"recordName":"\#(pick(names))"}"#
            try await test.create("p\(index)", fields, as: pick(writers))
            posts.append("p\(index)")
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func sampleCondition(depth: Int = 0) -> String {
        if depth < 2, number(0...2) == 0 {
            let (one, other) = (sampleCondition(depth: depth + 1), sampleCondition(depth: depth + 1))
            return pick(["(\(one)) AND (\(other))", "(\(one)) OR (\(other))", "NOT (\(one))"])
        }
        let reference = pick(["author", "author", "next"])
        let relation = pick(["==", "!=", "<", ">="])
        let text = pick(["'a'", "'ab'", "'c'"])
        return pick([
            "\(reference).name \(relation) \(text)", "\(reference).secret \(relation) \(text)",
            "\(reference).n \(relation) \(number(0...3))", "\(reference).n == 1.5", "\(reference).name == NULL",
            "\(reference).name BEGINSWITH 'a'", "NOT \(reference).name IN {'a', 'b'}", "\(reference).secret != NULL",
            "ANY \(reference).tags == 'x'", "NONE \(reference).tags == 'x'", "ALL \(reference).tags >= 'y'",
            "\(reference).tags.@count > 0", "\(reference).recordName < 'r2'", "\(reference).createdTimestamp < now()",
            "\(reference).createdTimestamp == NULL", "n \(relation) \(number(0...3))", "\(reference) == NULL",
        ])
    }

    /// The names of the posts that match, in creation order.
    func expectation(_ condition: String, as caller: Caller) throws -> [String] {
        try test.reader.refresh()
        let schema = test.reader.schema
        let binder = PredicateBinder(type: try #require(schema.types["Post"]), now: .max) { name throws(RecordError) in
            schema.types.values.filter { SystemField(name) != nil || $0[name] != nil }
        } userID: { _ in
            nil
        }
        let predicate = try binder.bind(try PredicateSyntax.parse(condition))
        return posts.filter { name in
            guard let post = SeenRecord.find(name, by: caller, test) else { return false }
            return predicate.evaluate(post)
        }
    }
}

/// A record as a look-up by a caller shows it.
private struct SeenRecord: PredicateSubject {
    let json: JSONValue
    let type: RecordTypeDefinition
    let caller: Caller
    let test: TestDatabase

    static func find(_ name: String, by caller: Caller, _ test: TestDatabase) -> SeenRecord? {
        guard let recordName = RecordName(name) else { return nil }
        for type in test.reader.schema.types.values {
            var json: [UInt8] = []
            let found = try? test.reader.lookUp(
                recordName, type: type.name, in: .publicDefault, for: caller, fields: nil, to: &json)
            guard found != nil, let value = try? JSONValue.parse(json) else { continue }
            return SeenRecord(json: value, type: type, caller: caller, test: test)
        }
        return nil
    }

    private func read(_ value: JSONValue, _ field: QueryField) -> QueryValue? {
        if let name = value["recordName"]?.string ?? value.string { return .text(Array(name.utf8)) }
        return field.type.element == .double ? value.double.map { .double($0) } : value.integer.map { .integer($0) }
    }

    func value(of field: QueryField) -> QueryValue? {
        switch field {
        case .system(.recordName): return .text(Array((json["recordName"]?.string ?? "").utf8))
        case .system(.createdTimestamp): return json["created"]?["timestamp"]?.integer.map { .integer($0) }
        case .system, .distance, .rank: return nil
        case .field(let definition):
            return json["fields"]?[definition.name.text]?["value"].flatMap { read($0, field) }
        }
    }

    func members(of field: QueryField) -> [QueryValue] {
        (json["fields"]?[field.name]?["value"]?.array ?? []).compactMap { read($0, field) }
    }

    func places(of field: QueryField) -> [Place] { [] }
    func memberCount(of field: QueryField) -> Int { members(of: field).count }

    func isPresent(_ field: QueryField) -> Bool {
        if case .system = field { return true }
        return json["fields"]?[field.name] != nil
    }

    func target(of field: QueryField) -> (type: TypeID, record: any PredicateSubject)? {
        guard case .text(let name)? = value(of: field),
            let target = SeenRecord.find(String(decoding: name, as: UTF8.self), by: caller, test)
        else { return nil }
        return (target.type.id, target)
    }
}
