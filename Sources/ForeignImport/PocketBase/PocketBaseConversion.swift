internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Converts a data directory of PocketBase: `data.db` and the files in `storage`.
final class PocketBaseConversion {
    let conversion: Conversion
    let directory: String
    let database: PocketBaseDatabase
    var collections: [Collection] = []
    /// The positions of the collections, by their identifiers.
    var positions: [String: Int] = [:]
    private var types = NameMapping(.type)
    private var userFields = NameMapping(.field)
    private var userTypes: [String: FieldType] = [:]

    /// A collection, and what becomes of it.
    struct Collection {
        let source: PocketBaseCollection
        let type: String
        /// The names of the fields here, by those at the source.
        var names: [String: String] = [:]
        /// The field that names the user to whom a record belongs.
        var owner: String?
        var grants: JSONObject?
        /// The fields whose empty texts are absent, as the unique index leaves them out.
        var emptyIsAbsent: Set<String> = []
        var isPrefixed = false
        var row = 0

        var isOfUsers: Bool { source.kind == .auth }
    }

    init(_ conversion: Conversion, _ directory: String) throws(ConversionError) {
        self.conversion = conversion
        var directory = directory
        while directory.hasSuffix("/"), directory.count > 1 { directory.removeLast() }
        self.directory = directory
        database = try PocketBaseDatabase(in: directory)
    }

    /// Runs the conversion.
    func run() throws(ConversionError) {
        try readCollections()
        try findOverlaps()
        for index in collections.indices { finish(index) }
        try writeSchema()
        for item in collections where item.isOfUsers { try writeAccounts(item) }
        for item in collections where item.isOfUsers { try writeRecords(item) }
        for item in collections where !item.isOfUsers { try writeRecords(item) }
        try conversion.writer.end()
    }

    // MARK: Collections

    /// The collections of PocketBase itself.
    private static let own: Set<String> = ["_superusers", "_externalAuths", "_mfas", "_otps", "_authOrigins"]

    private func readCollections() throws(ConversionError) {
        let columns = try database.columns(of: "_collections")
        let isOld = !columns.contains("fields")
        guard columns.contains("type"), columns.contains("fields") || columns.contains("schema") else {
            throw ConversionError(
                database.path,
                columns.isEmpty
                    ? "This is no database of PocketBase: it has no table _collections"
                    : "PocketBase before 0.8 wrote this database. Start a newer one with it once, such as 0.22")
        }
        // `indexes` and `options` are younger than the table.
        func column(_ name: String) -> String { columns.contains(name) ? name : "NULL" }
        let rules = PocketBaseRule.Operation.allCases
        let names =
            ["id", "name", "type", isOld ? "schema" : "fields", column("indexes"), column("options")]
            + rules.map(\.column)
        var found: [PocketBaseCollection] = []
        try database.forEachRow("SELECT \(names.joined(separator: ", ")) FROM _collections ORDER BY rowid") { row in
            let name = row.text(1)
            if Self.own.contains(name) { return }
            guard let kind = PocketBaseCollection.Kind(rawValue: row.text(2)), kind != .view else {
                conversion.report.note(name, "views and other computed collections were left out", count: 0)
                return
            }
            var texts: [PocketBaseRule.Operation: String] = [:]
            for (index, rule) in rules.enumerated() { texts[rule] = row.optionalText(Int32(6 + index)) }
            guard row.json(3).array != nil else {
                conversion.report.reject(name, "the fields of the collection cannot be read, so it was left out")
                return
            }
            found.append(
                PocketBaseCollection(
                    id: row.text(0), name: name, kind: kind, fields: row.json(3), isOld: isOld, indexes: row.json(4),
                    options: row.json(5), rules: texts
                ) { conversion.report.note("\(name).\($0)", $1, count: 0) })
        }
        for source in found {
            let isOfUsers = source.kind == .auth
            let type = isOfUsers ? RecordTypeName.users.text : types.name(for: source.name)
            guard isOfUsers || conversion.options.includes(source.name, type) else { continue }
            if type != source.name {
                conversion.report.note(source.name, "the collection is called \(type) here", count: 0)
            }
            positions[source.id] = collections.count
            var item = Collection(source: source, type: type)
            item.row = conversion.report.rows.count
            conversion.report.rows.append(ConversionReport.Row(source: source.name, type: type))
            collections.append(item)
        }
        try noteLeftOut(isOld: isOld)
    }

    private func noteLeftOut(isOld: Bool) throws(ConversionError) {
        let administrators = try database.count(isOld ? "_admins" : "_superusers")
        if administrators > 0 {
            conversion.report.note(
                "administrators", "superusers were left out. 'fogbase admin add' creates administrators",
                count: Int(administrators))
        }
        let others = try database.count("_externalAuths")
        if others > 0 {
            conversion.report.note(
                "accounts", "sign-in by other services, such as Apple or Google, was left out", count: Int(others))
        }
    }

    /// Finds the collections of which another one has a record with the same identifier.
    private func findOverlaps() throws(ConversionError) {
        var ids = IdentifierSets()
        var numbers: [Int: Int] = [:]
        for index in collections.indices where !collections[index].isOfUsers {
            let number = ids.addClass()
            numbers[number] = index
            let table = PocketBaseDatabase.name(collections[index].source.name)
            try database.forEachRow("SELECT id FROM \(table)") { ids.add($0.text(0), of: number) }
        }
        for number in ids.finish().overlapping {
            guard let index = numbers[number] else { continue }
            collections[index].isPrefixed = true
            let type = collections[index].type
            conversion.report.note(
                type, "other collections have the same ids, so record names begin with '\(type).'", count: 0)
        }
    }

    // MARK: Schema

    private var hasSeveralUserCollections: Bool { collections.count(where: \.isOfUsers) > 1 }

    /// Decides the names of fields, the grants and the creator of the records of a collection.
    private func finish(_ index: Int) {
        let source = collections[index].source
        let subject = collections[index].type
        var names = NameMapping(.field)
        for field in source.fields {
            let name = source.kind == .auth ? userFieldName(of: field, in: source) : names.name(for: field.name)
            collections[index].names[field.name] = name
            if name != field.name {
                conversion.report.note("\(source.name).\(field.name)", "the field is called \(name) here", count: 0)
            }
            if let note = field.note { conversion.report.note("\(subject).\(name)", note, count: 0) }
        }
        conversion.report.rows[collections[index].row].fields = source.fields.count
        var owners: Set<String> = source.kind == .auth ? ["id"] : []
        for field in source.fields where field.kind == .relation && !field.isMultiple {
            if let target = positions[field.collectionID], collections[target].isOfUsers { owners.insert(field.name) }
        }
        let grants = PocketBaseGrants(source.rules, owners: owners, isOfUsers: source.kind == .auth)
        collections[index].owner = grants.owner
        for note in grants.notes { conversion.report.note(source.name, note, count: 0) }
        collections[index].grants = JSONObject(
            grants.words.map { ($0.role, .array($0.words.map(JSONValue.string))) })
    }

    /// Returns the name of a field of user records, which all collections of accounts share.
    private func userFieldName(of field: PocketBaseField, in source: PocketBaseCollection) -> String {
        let name = userFields.name(for: field.name)
        if (userTypes[name] ?? field.type) == field.type {
            userTypes[name] = field.type
            return name
        }
        let other = userFields.name(for: source.name + "_" + field.name)
        userTypes[other] = field.type
        return other
    }

    /// The field of user records with the name of the collection, if there are several.
    var collectionField: String { userFields.known("") ?? "collection" }

    private func writeSchema() throws(ConversionError) {
        let users = collections.filter(\.isOfUsers)
        if !users.isEmpty {
            var fields: [(String, JSONValue)] = []
            for item in users {
                for field in item.source.fields {
                    guard let name = item.names[field.name], !fields.contains(where: { $0.0 == name }) else { continue }
                    fields.append((name, entry(of: field, isOfUsers: true)))
                }
            }
            if users.count > 1 {
                let name = userFields.name(for: "collection")
                userFields.reserve(name, for: "")
                fields.append((name, ["type": "STRING", "write": []]))
                conversion.report.note(
                    RecordTypeName.users.text,
                    "all collections of accounts became this type, with the default grants; \(name) has the collection",
                    count: 0)
            }
            conversion.add(
                type: RecordTypeName.users.text, fields: fields, indexes: users.count > 1 ? [] : indexes(0, users),
                grants: users.count > 1 ? nil : users[0].grants)
        }
        for index in collections.indices where !collections[index].isOfUsers {
            let item = collections[index]
            let fields = item.source.fields.compactMap { field in
                item.names[field.name].map { ($0, entry(of: field, isOfUsers: false)) }
            }
            let indexes = indexes(index, collections)
            conversion.add(type: item.type, fields: fields, indexes: indexes, grants: item.grants)
        }
        try conversion.writeSchema(from: database.path)
    }

    private func entry(of field: PocketBaseField, isOfUsers: Bool) -> JSONValue {
        var entry = JSONObject([("type", .string(field.type.schemaName))])
        if field.isHidden { (entry["read"], entry["write"]) = ([], []) }
        if isOfUsers {
            // PocketBase shows addresses only to their users, and only administrators can change these fields.
            if field.name == "email" || field.name == "emailVisibility" { entry["read"] = ["_creator"] }
            if ["username", "email", "verified"].contains(field.name) { entry["write"] = [] }
        }
        return .object(entry)
    }

    private func indexes(_ index: Int, _ items: [Collection]) -> [JSONValue] {
        let item = items[index]
        var indexes: [JSONValue] = []
        for statement in item.source.indexes {
            func leaveOut(_ reason: String) {
                conversion.report.note(item.source.name, "\(reason): \(statement.prefix(200))", count: 0)
            }
            guard let read = PocketBaseIndex(statement) else {
                leaveOut("an index that has no equivalent was left out")
                continue
            }
            // Records are found by their name without an index, and nobody sees tokens.
            if read.columns.map(\.name) == ["id"] || read.columns.contains(where: { $0.name == "tokenKey" }) {
                continue
            }
            var (names, types): ([String], [FieldType]) = ([], [])
            for column in read.columns {
                let name: String
                if column.name == "created", item.source.hasCreated {
                    name = SystemField.createdTimestamp.name.description
                    types.append(.timestamp)
                } else if column.name == "updated", item.source.hasUpdated {
                    name = SystemField.modifiedTimestamp.name.description
                    types.append(.timestamp)
                } else if let field = item.source.fields.first(where: { $0.name == column.name }),
                    let local = item.names[column.name]
                {
                    name = local + (column.ignoresCase && field.type == .string ? "[c]" : "")
                    types.append(field.type)
                } else {
                    continue
                }
                names.append((column.ascends ? "" : "-") + name)
            }
            let isOfPlaces = types.contains { $0.element == .location }
            var isUnique = read.isUnique && !isOfPlaces
            if read.condition != nil, !read.leavesOutEmptyTexts {
                leaveOut("an index with a condition holds for all records\(isUnique ? ", and is not unique" : "") here")
                isUnique = false
            }
            let rejection = IndexRules.rejection(
                ofColumns: types, forms: types.map { _ in .exact }, kind: isOfPlaces ? .places : .ordered,
                isUnique: isUnique)
            guard names.count == read.columns.count, rejection == nil, indexes.count < IndexDefinition.maxPerType else {
                leaveOut("an index that has no equivalent was left out")
                continue
            }
            if read.leavesOutEmptyTexts, let position = positions[item.source.id] {
                collections[position].emptyIsAbsent.insert(read.columns[0].name)
            }
            var entry = JSONObject([("fields", .array(names.map(JSONValue.string)))])
            if isUnique { entry["unique"] = true }
            if !indexes.contains(.object(entry)) { indexes.append(.object(entry)) }
        }
        return indexes
    }
}
