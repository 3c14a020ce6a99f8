import RecordEngine
import RecordModel
import RecordWire
import Testing

/// A field with fewer readers and writers than its record.
extension AccessWorld {
    /// The effect of a write on the field.
    enum SecretChange {
        case set(Int)
        case remove

        var value: Int? {
            if case .set(let value) = self { value } else { nil }
        }
    }

    private static let grantsOfFields: [Set<String>?] = [
        nil, nil, [], ["_world"], ["_icloud"], ["_creator"], ["editors"], ["_creator", "staff"],
    ]

    func secret() -> SecretChange? {
        switch random.next() % 4 {
        case 0: .set(Int(random.next() % 4))
        case 1: .remove
        default: nil
        }
    }

    func json(_ secret: SecretChange?) -> String {
        switch secret {
        case nil: ""
        case .set(let value): #","secret":\#(value)"#
        case .remove: #","secret":null"#
        }
    }

    func setFieldGrants(_ type: String) async throws {
        model.readers[type] = pick(Self.grantsOfFields)
        model.writers[type] = pick(Self.grantsOfFields)
        try await putSchema()
    }

    /// Puts both types with the field permissions of the model.
    func putSchema() async throws {
        func roles(_ roles: Set<String>?) -> String {
            roles.map { "[" + $0.sorted().map { "\"\($0)\"" }.joined(separator: ",") + "]" } ?? "null"
        }
        let types = Self.types.map { type in
            """
            "\(type)":{"fields":{"n":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]},
            "tags":{"type":"STRING_LIST","indexes":["QUERYABLE"]},
            "secret":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"],
            "read":\(roles(model.readers[type] ?? nil)),"write":\(roles(model.writers[type] ?? nil))}}}
            """
        }
        let schema = "{\"types\":{\(types.joined(separator: ","))}}"
        try await test.database.schemas.put(SchemaDocument.read(Array(schema.utf8)))
    }

    /// The value of a field that a reader of the record sees.
    func shownSecret(of record: AccessModel.Record, _ name: String) -> Int64? {
        guard model.mayField("read", name, type: record.type, isOwn: record.creator == name) else { return nil }
        return record.secret.map(Int64.init)
    }

    /// Pages, queries and the feed show the field to its readers; conditions and sorts by it are rejected for all
    /// others.
    func compareSecrets(_ name: String, _ caller: Caller, _ type: String) async throws {
        let all = model.readable(name, type: type)
        guard !all.isEmpty else { return }
        func check(_ records: [JSONValue], _ way: String) {
            for json in records where json["deleted"] != .bool(true) {
                guard let record = json["recordName"]?.string.flatMap({ model.records[$0] }) else { continue }
                let shown = json["fields"]?["secret"]?["value"]?.integer
                #expect(shown == shownSecret(of: record, name), "\(name) sees \(json) by \(way)")
            }
        }
        check(try await test.query(type: type, as: caller).json["records"]?.array ?? [], "query")
        check(try test.changes(as: caller, limit: 1_000).changes, "changes")
        let readsAll = all.allSatisfy { record in
            model.mayField("read", name, type: type, isOwn: model.records[record]?.creator == name)
        }
        // A caller that reads only its own records, and those of access lists, may query fields of creators: in its own
        // records.
        let isRestrictedToOwn =
            !model.readsAll(name, type: type) && model.mayField("read", name, type: type, isOwn: true)
        let readsAny = model.mayField("read", name, type: type, isOwn: false)
        let value = pick([0, 1, 2, 3])
        let conditions: [(String, (Int?, Int) -> Bool)] = [
            ("secret == \(value)", { secret, _ in secret == value }),
            ("secret > \(value)", { secret, _ in (secret ?? -1) > value }),
            ("n == 1 OR secret == \(value)", { secret, n in n == 1 || secret == value }),
            ("NOT secret == \(value)", { secret, _ in secret != value }),
        ]
        let asked = conditions + [("sort secret", { _, _ in true }), ("sort -n,-secret", { _, _ in true })]
        for (text, matches) in asked {
            let isSort = text.hasPrefix("sort ")
            let page: QueryPage
            do {
                page = try await test.query(
                    isSort ? "" : text, sort: isSort ? String(text.dropFirst(5)) : "", limit: 1_000, type: type,
                    as: caller)
            } catch let rejection as RecordError {
                #expect(rejection.code == .badRequest, "\(rejection)")
                #expect(!readsAny && !isRestrictedToOwn, "\(name) asks for \(text): \(rejection)")
                continue
            }
            #expect(readsAll || isRestrictedToOwn, "\(name) was answered \(text)")
            let expected = model.readable(name, type: type) {
                matches($0.secret, $0.n) && (readsAny || $0.creator == name)
            }
            #expect(page.names.sorted() == expected.sorted(), "\(name) asks for \(text)")
        }
    }
}
