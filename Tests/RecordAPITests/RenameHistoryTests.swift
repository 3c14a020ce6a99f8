import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Random renames between random writes, against a model that knows the fields by number.
@Suite struct RenameHistoryTests {
    /// What the database must show.
    private struct Model {
        /// The present names of the fields: a text, a number, a reference, bytes that may be large, a list.
        var names = ["text", "number", "target", "bytes", "list"]
        /// The earlier names that no field has now, each with the fields that had it.
        var former: [String: Set<Int>] = [:]
        private var all: [String: Set<Int>] = [:]
        /// The values as JSON, by record and field.
        var records: [String: [Int: JSONValue]] = [:]

        mutating func rename(_ field: Int, to name: String) {
            all[names[field], default: []].insert(field)
            names[field] = name
            former = all.filter { !names.contains($0.key) }
        }

        func fields(of record: String) -> [String: JSONValue] {
            Dictionary(uniqueKeysWithValues: (records[record] ?? [:]).map { (names[$0.key], $0.value) })
        }
    }

    private static let pool = ["text", "number", "target", "bytes", "list", "a", "b", "headline", "note", "x1"]

    private static func schema() -> String {
        #"""
        {"types":{"Post":{"fields":{"text":{"type":"STRING","indexes":["QUERYABLE","SORTABLE","SEARCHABLE"]},
        "number":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]},"target":{"type":"REFERENCE"},
        "bytes":{"type":"BYTES"},"list":{"type":"STRING_LIST","indexes":["QUERYABLE"]}},
        "indexes":[{"fields":["number","-text"]}]},
        "Log":{"fields":{"text":{"type":"STRING"}}}}}
        """#
    }

    private static func value(_ field: Int, _ random: inout SeededGenerator) -> JSONValue {
        switch field {
        case 0: return .string("w\(Int.random(in: 0..<5, using: &random)) fog")
        case 1: return .integer(Int64.random(in: 0..<20, using: &random))
        case 2: return ["recordName": .string("r\(Int.random(in: 0..<6, using: &random))")]
        case 3:
            let count = Bool.random(using: &random) ? 3 : 2_000
            return ["value": .string(String(repeating: "QUJD", count: count)), "type": "BYTES"]
        default: return .array([.string("m\(Int.random(in: 0..<3, using: &random))"), "fog"])
        }
    }

    /// The value of a field in a response, in the form of the model.
    private static func shown(_ value: JSONValue?, _ field: Int) -> JSONValue? {
        guard let value = value?["value"] else { return nil }
        switch field {
        case 2: return value["recordName"].map { ["recordName": $0] }
        case 3: return ["value": value, "type": "BYTES"]
        default: return value
        }
    }

    private func check(_ client: CloudKitClient, _ model: Model, _ random: inout SeededGenerator) async throws {
        let database = client.test
        func expect(_ record: JSONValue, _ face: String) {
            let name = record["recordName"]?.string ?? "?"
            let fields = record["fields"]?.object?.members ?? []
            #expect(Set(fields.map(\.key)) == Set(model.fields(of: name).keys), "\(face) \(name)")
            for (number, value) in model.records[name] ?? [:] {
                #expect(
                    Self.shown(record["fields"]?[model.names[number]], number) == value,
                    "\(face) \(name).\(model.names[number])")
            }
        }
        let names = model.records.keys.sorted()
        if let name = names.randomElement(using: &random) {
            expect(await database.call(.get, "/records/Post/\(name)", as: .administrator).json ?? .null, "GET")
            let one = await database.call(
                .get, "/records/Post/\(name)?fields=\(model.names[1])", as: .administrator)
            #expect(
                one.json?["fields"]?.object?.members.count == (model.records[name]?[1] == nil ? 0 : 1), "\(one.text)")
        }
        let feed = await database.call(.get, "/changes?limit=200", as: .administrator)
        let live = (feed.json?["changes"]?.array ?? []).filter {
            $0["recordType"] == "Post" && $0["deleted"] != true
        }
        #expect(Set(live.compactMap { $0["recordName"]?.string }) == Set(names))
        for record in live { expect(record, "feed") }

        let word = "w\(Int.random(in: 0..<5, using: &random)) fog"
        let wanted = names.filter { model.records[$0]?[0] == .string(word) }
        let queries = [
            ("\(model.names[0]) == '\(word)'", wanted),
            ("\(model.names[0]) TOKENMATCHES '\(word.prefix(2))'", wanted),
            (
                "\(model.names[1]) >= 10 AND ANY \(model.names[4]) == 'm1'",
                names.filter {
                    guard let number = model.records[$0]?[1]?.integer, case .array(let list)? = model.records[$0]?[4]
                    else { return false }
                    return number >= 10 && list.contains("m1")
                }
            ),
        ]
        for (condition, found) in queries {
            let body: JSONValue = [
                "recordType": "Post", "where": .string(condition), "sort": .string("-\(model.names[1])"), "limit": 200,
            ]
            let response = await database.call(.post, "/query", as: .administrator, body: Self.text(body))
            let records = response.json?["records"]?.array ?? []
            #expect(
                response.status == 200 && Set(records.compactMap { $0["recordName"]?.string }) == Set(found),
                "\(condition): \(response.text.prefix(500))")
            let numbers = records.map { Self.shown($0["fields"]?[model.names[1]], 1)?.integer ?? -1 }
            #expect(numbers == numbers.sorted(by: >))
            for record in records { expect(record, "query") }
        }
        let sum = await database.call(
            .get, "/query/Post?aggregate=sum(\(model.names[1]))", as: .administrator)
        let total = model.records.values.reduce(0) { $0 + ($1[1]?.integer ?? 0) }
        if model.records.values.contains(where: { $0[1] != nil }) {
            #expect(sum.text.contains("\(total)"), "\(sum.text)")
        }
        let expanded = await database.call(
            .get, "/records/Post?limit=200&expand=\(model.names[2])", as: .administrator)
        #expect(expanded.status == 200, "\(expanded.text)")
        for record in expanded.json?["records"]?.array ?? [] { expect(record, "list") }
        let leads = Set(model.records.values.compactMap { $0[2]?["recordName"]?.string })
        // Records of the page itself are not repeated.
        #expect((expanded.json?["expanded"]?["records"]?.array ?? []).count <= leads.count)

        let cloudKit = await client.call(
            .post, "public/records/query",
            body:
                #"{"query":{"recordType":"Post","filterBy":[{"fieldName":"\#(model.names[0])","comparator":"EQUALS","fieldValue":{"value":"\#(word)"}}]}}"#
        )
        let records = cloudKit.json?["records"]?.array ?? []
        #expect(Set(records.compactMap { $0["recordName"]?.string }) == Set(wanted), "\(cloudKit.text.prefix(500))")
        for record in records { expect(record, "CloudKit") }

        for (name, fields) in model.former {
            let bad = await database.call(
                .patch, "/records/Post/\(names.first ?? "none")", as: .administrator,
                body: #"{"fields":{"\#(name)":null}}"#)
            if !names.isEmpty {
                let told = bad.json?["details"]?["renamedTo"]?.string
                let present = fields.map { model.names[$0] }
                #expect(bad.status == 400 && present.contains(told ?? ""), "\(bad.text)")
            }
        }
    }

    private static func text(_ value: JSONValue) -> String { String(decoding: value.bytes, as: UTF8.self) }

    @Test(arguments: UInt64(0)..<6) func `every face shows each field under its present name`(_ seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let client = try await CloudKitClient.make(withUsers: false)
        let database = client.test
        let made = await database.call(.put, "/schema", as: .administrator, body: Self.schema())
        try #require(made.status == 200, "\(made.text)")
        let grants = await database.call(
            .put, "/grants/Post", as: .administrator, body: #"{"grants":{"_world":["READ","CREATE","WRITE"]}}"#)
        try #require(grants.status < 300, "\(grants.text)")
        var model = Model()
        for step in 0..<70 {
            let name = "r\(Int.random(in: 0..<25, using: &random))"
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8:
                // A create, or a replacement.
                var fields: [Int: JSONValue] = [:]
                for field in 0..<5 where Int.random(in: 0..<3, using: &random) > 0 {
                    fields[field] = Self.value(field, &random)
                }
                let body = JSONObject(fields.map { (model.names[$0.key], $0.value) })
                let response = await database.call(
                    .put, "/records/Post/\(name)", as: .administrator, body: Self.text(["fields": .object(body)]))
                #expect(response.status < 300, "\(response.text)")
                model.records[name] = fields
            case 8..<12 where model.records[name] != nil:
                let field = Int.random(in: 0..<5, using: &random)
                let value = Self.value(field, &random)
                let isRemoval = Int.random(in: 0..<4, using: &random) == 0
                let response = await database.call(
                    .patch, "/records/Post/\(name)", as: .administrator,
                    body: Self.text(["fields": .object(JSONObject([(model.names[field], isRemoval ? .null : value)]))]))
                #expect(response.status == 200, "\(response.text)")
                // `nil` alone would be the JSON null.
                if isRemoval {
                    model.records[name]?.removeValue(forKey: field)
                } else {
                    model.records[name]?[field] = value
                }
                for (number, value) in model.records[name] ?? [:] {
                    #expect(Self.shown(response.json?["fields"]?[model.names[number]], number) == value)
                }
            case 12 where model.records[name] != nil:
                await database.call(.delete, "/records/Post/\(name)", as: .administrator)
                model.records[name] = nil
            case 13..<17:
                let field = Int.random(in: 0..<5, using: &random)
                guard let free = Self.pool.filter({ !model.names.contains($0) }).randomElement(using: &random) else {
                    continue
                }
                let response = await database.call(
                    .patch, "/schema/types/Post/fields/\(model.names[field])", as: .administrator,
                    body: #"{"name":"\#(free)"}"#)
                #expect(response.status == 200, "\(response.text)")
                model.rename(field, to: free)
            case 17:
                // Two fields exchange their names.
                let (one, other) = (model.names[0], model.names[4])
                for (field, from, to) in [(0, one, "between"), (4, other, one), (0, "between", other)] {
                    let response = await database.call(
                        .patch, "/schema/types/Post/fields/\(from)", as: .administrator, body: #"{"name":"\#(to)"}"#)
                    #expect(response.status == 200, "\(response.text)")
                    model.rename(field, to: to)
                }
            case 18 where step % 3 == 0: try await database.restart()
            default: break
            }
            if step % 5 == 4 { try await check(client, model, &random) }
        }
        try await check(client, model, &random)
        try await database.restart()
        try await check(client, model, &random)
    }
}
