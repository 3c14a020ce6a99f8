import Geography
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// One random database: a type, its indexes, records of three writers in the public and in a private database.
struct OracleDatabase {
    let test: TestDatabase
    let fields: [OracleField]
    private(set) var callers: [Caller]
    /// The numbers of accounts by their names.
    let users: [String: UserID]
    /// Whether users see no records but their own.
    let isOwnOnly: Bool
    /// Whether every query has an index: a just-in-time one, or one of the schema.
    let isCovered: Bool
    let environment: RecordEnvironment
    var oracle = Oracle(records: [])

    static let type = "Thing"

    var owner: Caller { callers[1] }
    var privateAddress: DatabaseAddress {
        DatabaseAddress(scope: .privateDatabase(owner: owner.userID ?? 0))
    }

    init(_ samples: inout OracleSamples, users signed: (TestDatabase) async throws -> [(Caller, String)]) async throws {
        environment = samples.chance(50) ? .development : .production
        var limits = DatabaseLimits()
        if samples.chance(50) { limits.deletedAccountsByNumber = 0 }
        // A busy machine must not turn a slow pattern into an error.
        limits.queryMilliseconds = 600_000
        test = try TestDatabase(environment, limits: limits)
        let people = try await signed(test)
        callers = [.administrator(.bootstrap)] + people.map(\.0)
        // Once its account is removed, its name is unknown.
        var users: [String: UserID] = ["_administrator": .administrator, "_deleted": .gone]
        for (caller, name) in people { users[name] = caller.userID }
        self.users = users
        isOwnOnly = samples.chance(40)
        isCovered = samples.chance(70) || environment == .development
        var fields = Self.randomFields(&samples)
        let schema = Self.schema(fields, &samples, coversAll: environment == .production && isCovered, isOwnOnly)
        fields += [
            OracleField(name: "recordName", kind: .recordName), OracleField(name: "createdTimestamp", kind: .created),
            OracleField(name: "modifiedTimestamp", kind: .modified),
            OracleField(name: "createdUserRecordName", kind: .user(users.keys.sorted())),
            OracleField(name: "modifiedUserRecordName", kind: .user(users.keys.sorted())),
        ]
        self.fields = fields
        try await test.database.schemas.put(SchemaDocument(schema))
        // A user that writes like the others, and whose account is then removed.
        let leaver = try await test.signUp("eve").session.user
        callers.append(.user(leaver.id, roles: [:]))
        try await fill(&samples)
        callers.removeLast()
        try await test.database.accounts.remove(#require(UserRecordName(leaver.recordName)), by: .shell)
        for position in oracle.records.indices {
            if oracle.records[position].creator == leaver.id { oracle.records[position].creator = .gone }
            if oracle.records[position].modifier == leaver.id { oracle.records[position].modifier = .gone }
        }
    }

    private static func randomFields(_ samples: inout OracleSamples) -> [OracleField] {
        let types: [FieldType] = [
            .string, .string, .int64, .int64, .double, .timestamp, .reference, .stringList, .int64List, .doubleList,
            .timestampList, .referenceList, .bytes, .location, .location, .locationList,
        ]
        return types.filter { _ in samples.chance(55) }.enumerated().map {
            OracleField(name: $0.offset % 3 == 2 ? "項目\($0.offset)" : "f\($0.offset)", kind: .field($0.element))
        }
    }

    // MARK: Schema

    func typeName() throws -> RecordTypeName { try #require(RecordTypeName(Self.type)) }

    /// The type with the indexes that it has by now.
    func currentType() throws -> RecordTypeDefinition {
        let name = try typeName()
        return try #require(test.database.schema[name])
    }

    private static func schema(
        _ fields: [OracleField], _ samples: inout OracleSamples, coversAll: Bool, _ isOwnOnly: Bool
    ) -> JSONValue {
        let systems = ["createdTimestamp", "modifiedTimestamp", "createdUserRecordName", "modifiedUserRecordName"]
        let texts = fields.filter { $0.type == .string }.map(\.name)
        let forms = ["[c]", "[d]", "[cd]", "[reversed]", "[cd,reversed]", "[c,reversed]"]
        let formed = texts.flatMap { name in forms.filter { _ in samples.chance(50) }.map { name + $0 } }
        let able = fields.filter { $0.isComparable && !$0.type.isList }.map(\.name) + systems + formed
        var indexes: [[String]] = []
        for _ in 0..<samples.number(0...5) {
            var columns: [String] = []
            for _ in 0..<samples.number(1...4) {
                let name = samples.pick(able)
                if columns.contains(where: { $0 == name || $0 == "-" + name }) { continue }
                columns.append(samples.chance(40) ? "-" + name : name)
            }
            indexes.append(columns)
        }
        for field in fields where field.type == .stringList && samples.chance(50) {
            indexes.append([field.name + samples.pick(forms)])
        }
        let named = Set(
            indexes.joined().map { column in
                String((column.hasPrefix("-") ? column.dropFirst() : column[...]).prefix { $0 != "[" })
            })
        if coversAll {
            // A field in some index needs no option of its own.
            for name in systems where !named.contains(name) { indexes.append([name]) }
        }
        for field in fields where field.type.element == .string && samples.chance(50) {
            indexes.append([field.name + samples.pick(["[contains]", "[c,contains]", "[cd,contains]"])])
        }
        var members = JSONObject()
        for field in fields {
            var member: JSONObject = JSONObject([("type", .string(field.type.schemaName))])
            var marks: [JSONValue] = []
            if field.type.element == .location, samples.chance(coversAll ? 100 : 60) { marks.append("QUERYABLE") }
            if field.isComparable {
                let isNeeded = coversAll && !named.contains(field.name)
                if isNeeded || samples.chance(30) { marks.append("QUERYABLE") }
                if !field.type.isList, field.isSortable, isNeeded || samples.chance(30) { marks.append("SORTABLE") }
            }
            if field.type.element == .string, samples.chance(60) { marks.append("SEARCHABLE") }
            member["indexes"] = .array(marks)
            members[field.name] = .object(member)
        }
        var unique: Set<[String]> = []
        let shapes = indexes.filter { unique.insert($0).inserted }.map { columns -> JSONValue in
            ["fields": .array(columns.map { .string($0) })]
        }
        let grants: JSONValue =
            isOwnOnly
            ? ["_icloud": ["CREATE"], "_creator": ["READ", "WRITE"]]
            : ["_world": ["READ"], "_icloud": ["CREATE"], "_creator": ["WRITE"]]
        let type: JSONValue = ["fields": .object(members), "indexes": .array(shapes), "grants": grants]
        return ["types": .object(JSONObject([(Self.type, type)]))]
    }

    // MARK: Records

    private mutating func fill(_ samples: inout OracleSamples) async throws {
        var names: Set<[UInt8]> = []
        var next: Int64 = 0
        for _ in 0..<samples.number(2...6) {
            let caller = samples.pick(callers)
            let isPrivate = samples.chance(25)
            let writer = isPrivate ? owner : caller
            var records: [OracleRecord] = []
            for _ in 0..<samples.number(1...18) {
                let name = samples.pick(["n", "caf\u{E9}", "cafe\u{301}", "N", "a-"]) + String(samples.number(0...99))
                guard names.insert(Array(name.utf8)).inserted else { continue }
                next += 1
                let number = writer.userID ?? 1
                var record = OracleRecord(
                    id: next, name: name, isPrivate: isPrivate, values: [:], creator: number, modifier: number)
                setValues(of: &record, &samples, chance: 75)
                records.append(record)
            }
            try await save(records, kind: "forceUpdate", as: writer, isPrivate: isPrivate)
            oracle.records += records
        }
        try await churn(&samples)
        for isPrivate in [false, true] { try readSystemFields(isPrivate: isPrivate) }
    }

    /// Changes some records and deletes others.
    private mutating func churn(_ samples: inout OracleSamples) async throws {
        for position in oracle.records.indices where samples.chance(20) {
            setValues(of: &oracle.records[position], &samples, chance: 90)
            oracle.records[position].modifier = 1
            let record = oracle.records[position]
            try await save([record], kind: "forceReplace", as: .administrator(.bootstrap), isPrivate: record.isPrivate)
        }
        for position in oracle.records.indices.reversed() where samples.chance(8) {
            let record = oracle.records.remove(at: position)
            try await save([record], kind: "forceDelete", as: .administrator(.bootstrap), isPrivate: record.isPrivate)
        }
    }

    private func setValues(of record: inout OracleRecord, _ samples: inout OracleSamples, chance: Int) {
        record.values = [:]
        record.others = []
        record.places = [:]
        for field in fields {
            guard case .field(let type) = field.kind, samples.chance(chance) else { continue }
            if field.type.element == .location {
                record.places[field.name] = (0..<(type.isList ? samples.number(0...3) : 1)).map { _ in samples.place() }
            } else if !field.isComparable {
                record.others.insert(field.name)
            } else if type.isList {
                record.values[field.name] = (0..<samples.number(0...4)).map { _ in samples.value(of: type) }
            } else {
                record.values[field.name] = [samples.value(of: type)]
            }
        }
    }

    private func save(_ records: [OracleRecord], kind: String, as caller: Caller, isPrivate: Bool) async throws {
        let operations = records.map { record -> JSONValue in
            let head: [(String, JSONValue)] = [
                ("recordName", .string(record.name)), ("recordType", .string(Self.type)),
            ]
            let fields: [(String, JSONValue)] =
                kind == "forceDelete" ? [] : [("fields", .object(JSONObject(json(record))))]
            return ["operationType": .string(kind), "record": .object(JSONObject(head + fields))]
        }
        let document: JSONValue = ["operations": .array(operations), "atomic": true]
        let input = try BatchInput.read(document.bytes, maxOperations: 200)
        let request = WriteRequest(
            caller: caller, address: isPrivate ? privateAddress : .publicDefault, shape: .batch(isAtomic: true),
            operations: try input.operations.map { try RecordOperation($0) }, fields: [])
        _ = try await test.database.modify(request)
    }

    private func json(_ record: OracleRecord) -> [(String, JSONValue)] {
        fields.compactMap { field in
            guard case .field(let type) = field.kind else { return nil }
            let content: JSONValue
            if record.others.contains(field.name) {
                content = "AAEC"
            } else if let places = record.places[field.name] {
                let members = places.map { place -> JSONValue in
                    ["latitude": .double(place.latitude), "longitude": .double(place.longitude)]
                }
                content = type.isList ? .array(members) : members[0]
            } else {
                guard let values = record.values[field.name] else { return nil }
                let members = values.map { OracleSamples.json($0, as: type) }
                content = type.isList ? .array(members) : members[0]
            }
            return (field.name, ["value": content, "type": .string(type.tag.description)])
        }
    }

    /// Takes over the server's times, and checks that its order of creation is that of the writes.
    private mutating func readSystemFields(isPrivate: Bool) throws {
        var text: [UInt8] = []
        try test.reader.refresh()
        try test.reader.list(
            type: typeName(), in: isPrivate ? privateAddress : .publicDefault,
            for: .administrator(.bootstrap), fields: [], limit: 1_000, cursor: nil, to: &text)
        let listed = try JSONValue.parse(text)["records"]?.array ?? []
        let mine = oracle.records.indices.filter { oracle.records[$0].isPrivate == isPrivate }
        try #require(listed.count == mine.count)
        for (position, record) in zip(mine, listed) {
            try #require(record["recordName"]?.string?.utf8.elementsEqual(oracle.records[position].name.utf8) == true)
            oracle.records[position].created = try #require(record["created"]?["timestamp"]?.integer)
            oracle.records[position].modified = try #require(record["modified"]?["timestamp"]?.integer)
        }
    }
}
