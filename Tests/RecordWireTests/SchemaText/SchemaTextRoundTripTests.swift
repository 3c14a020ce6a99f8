import RecordModel
import RecordWire
import TestSupport
import Testing

/// Random schemas become texts and schemas again.
@Suite struct SchemaTextRoundTripTests {
    @Test(arguments: 0..<8) func `a schema is the same after its text is read`(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for round in 0..<200 {
            let document = RandomSchema.document(using: &random)
            let text = document.text
            let parsed = try SchemaDocument.parse(text: utf8(text))
            // The macro would print both documents.
            let isSame = parsed == document.complete
            try #require(isSame, "seed \(seed), round \(round):\n\(text)")
            try #require(parsed.text == text, "seed \(seed), round \(round)")
            // What JSON carries is all there: both forms have the same text.
            guard round.isMultiple(of: 4) else { continue }
            let fromJSON = try SchemaDocument.read(document.json.bytes)
            try #require(fromJSON.text == text, "seed \(seed), round \(round)")
        }
    }

    @Test(arguments: 0..<8) func `a damaged text is rejected, or its text reads back`(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(100 + seed))
        let pieces = [
            " ", "\n", ",", ";", "(", ")", "<", ">", "\"", "--", "//", "/*", "*/", "GRANT", "LIST", "NUMBER",
            "-- fogbase: {}\n", "é", "_", "{", "QUERYABLE",
        ].map(utf8)
        for _ in 0..<100 {
            var text = utf8(RandomSchema.document(using: &random).text)
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let start = Int.random(in: 0...text.count, using: &random)
                let end = min(text.count, start + Int.random(in: 0..<6, using: &random))
                text.replaceSubrange(start..<end, with: pieces.randomElement(using: &random) ?? [])
            }
            do throws(SchemaTextError) {
                let document = try SchemaDocument.parse(text: text)
                let again = try SchemaDocument.parse(text: utf8(document.text))
                let isSame = again == document.complete
                #expect(isSame, "\(document.text)")
            } catch {
                let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                #expect((1...lines.count).contains(error.line))
                #expect(error.column >= 1 && error.column <= lines[error.line - 1].count + 1)
            }
        }
    }
}

/// Makes random schema documents with everything that the JSON form has.
enum RandomSchema {
    static func document(using random: inout SeededGenerator) -> SchemaDocument {
        let names = pick(["Post", "Thread", "User", "grant", "Größe", "x", "List", "record"], 5, &random)
        return SchemaDocument(types: names.map { type($0, &random) })
    }

    private static let roles = ["_world", "_icloud", "_creator", "editors", "queryable", "équipe"]

    private static func pick<Value>(_ values: [Value], _ most: Int, _ random: inout SeededGenerator) -> [Value] {
        Array(values.shuffled(using: &random).prefix(Int.random(in: 0...most, using: &random)))
    }

    private static func type(_ name: String, _ random: inout SeededGenerator) -> SchemaDocument.TypeEntry {
        guard let typeName = RecordTypeName(name) else { preconditionFailure("\(name) is no name") }
        var entry = SchemaDocument.TypeEntry(name: typeName)
        let names = ["title", "n", "grant", "SORTABLE", "größe", "type", "to", "a_b", "x1", "list", "Z"]
        entry.fields = pick(names, 8, &random).map { field($0, &random) }
        if Bool.random(using: &random) {
            var grants = Grants()
            for role in pick(roles, 4, &random).compactMap(RoleName.init) {
                let permissions = Permissions(rawValue: UInt8.random(in: 1...7, using: &random))
                grants.byRole[role] = permissions
            }
            entry.grants = grants
        }
        if Bool.random(using: &random) { entry.indexes = indexes(of: entry.fields, &random) }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: entry.access = .none
        case 1: entry.access = .remove
        default:
            let names = ["*", "_creator", "role:editors", "role:équipe", "_0123456789abcdef0123456789abcdef"]
            let rights: [AccessRights] = [[], .read, .write, [.read, .write]]
            entry.access = .replace(
                AccessTemplate(
                    entries: pick(names, 4, &random).compactMap(AccessTemplate.Name.init).map {
                        .init(name: $0, rights: rights.randomElement(using: &random) ?? [])
                    }))
        }
        entry.requiresAccess = [nil, true, false].randomElement(using: &random) ?? nil
        return entry
    }

    private static func field(_ name: String, _ random: inout SeededGenerator) -> SchemaDocument.FieldEntry {
        guard let fieldName = FieldName(name) else { preconditionFailure("\(name) is no name") }
        let type = FieldType.allCases.randomElement(using: &random) ?? .string
        let options = IndexOptions(rawValue: UInt8.random(in: 0...7, using: &random))
        return SchemaDocument.FieldEntry(
            name: fieldName, type: type,
            options: IndexRules.rejection(of: options, on: type) == nil ? options : nil,
            readers: change(&random), writers: change(&random))
    }

    private static func change(_ random: inout SeededGenerator) -> RolesChange {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .replace(Set(pick(roles, 3, &random).compactMap(RoleName.init)))
        case 1: .remove
        default: .none
        }
    }

    private static func indexes(
        of fields: [SchemaDocument.FieldEntry], _ random: inout SeededGenerator
    ) -> [SchemaDocument.IndexEntry] {
        var entries: [SchemaDocument.IndexEntry] = []
        for _ in 0..<Int.random(in: 0..<5, using: &random) {
            let isUnique = Int.random(in: 0..<4, using: &random) == 0
            var columns: [(name: ColumnName, type: FieldType)] = []
            let sources =
                fields.map { ($0.name.text, $0.type) }
                + [("createdTimestamp", .timestamp), ("modifiedUserRecordName", .reference)]
            for (name, type) in pick(sources, 3, &random) {
                var column = ColumnName(name, isAscending: Bool.random(using: &random))
                if type.element == .string, Bool.random(using: &random) {
                    let words = ["", "[c]", "[cd]", "[reversed]", "[d,reversed]", "[contains]", "[words]"]
                    let form = ColumnName(parsing: name + (words.randomElement(using: &random) ?? ""))
                    column.form = form?.form ?? .exact
                    column.kind = form?.kind
                }
                columns.append((column, type))
            }
            let types = columns.map(\.type)
            let hasPlace = types.contains { $0.element == .location }
            let kind: IndexDefinition.Kind =
                columns.compactMap(\.name.kind).first ?? (hasPlace ? .places : .ordered)
            let rejection = IndexRules.rejection(
                ofColumns: types, forms: columns.map(\.name.form), kind: kind, isUnique: isUnique)
            guard rejection == nil else { continue }
            let entry = SchemaDocument.IndexEntry(columns: columns.map(\.name), isUnique: isUnique)
            if !entries.contains(entry) { entries.append(entry) }
        }
        return entries
    }
}
