internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension PocketBaseConversion {
    // MARK: Accounts

    /// Returns the record name of the account of a user.
    private func account(_ item: Collection, _ id: String) -> String {
        conversion.account("pocketbase/" + item.source.id, id)
    }

    func writeAccounts(_ item: Collection) throws(ConversionError) {
        let source = item.source
        let columns =
            ["id", source.passwordColumn ?? "", source.hasCreated ? "created" : ""] + source.identityColumns
        let list = columns.map { $0.isEmpty ? "NULL" : PocketBaseDatabase.name($0) }.joined(separator: ", ")
        let query = "SELECT \(list) FROM \(PocketBaseDatabase.name(source.name)) ORDER BY rowid"
        try database.forEachRow(query) { row throws(ConversionError) in
            let id = row.text(0)
            var names = source.identityColumns.indices.map { row.text(Int32(3 + $0)) }.filter { !$0.isEmpty }
            // A name that another collection has too.
            if let first = names.first, conversion.report.accounts > 0 { names.append("\(first) (\(source.name))") }
            names.append(id)
            let isWritten = try conversion.write(
                Conversion.Account(
                    place: "\(source.name) \(id)", id: id, recordName: account(item, id), names: names,
                    password: row.optionalText(1).flatMap { $0.isEmpty ? nil : $0 },
                    created: try? Timestamp.read(row.text(2))))
            if !isWritten { conversion.report.rows[item.row].rejected += 1 }
        }
    }

    // MARK: Records

    /// Returns the record name of a record of a collection.
    private func recordName(_ item: Collection, _ id: String) -> String {
        if item.isOfUsers { return account(item, id) }
        return item.isPrefixed ? "\(item.type).\(id)" : id
    }

    /// The largest value that is read. A record here has at most 1 MiB.
    private static let mostValueBytes = 16 << 20

    func writeRecords(_ item: Collection) throws(ConversionError) {
        // The indexes of the collection have decided about its empty texts meanwhile.
        let item = positions[item.source.id].map { collections[$0] } ?? item
        let source = item.source
        let columns =
            ["id", source.hasCreated ? "created" : "", source.hasUpdated ? "updated" : ""] + source.fields.map(\.name)
        let list = columns.map { $0.isEmpty ? "NULL" : PocketBaseDatabase.name($0) }.joined(separator: ", ")
        let query = "SELECT \(list) FROM \(PocketBaseDatabase.name(source.name)) ORDER BY rowid"
        try database.forEachRow(query) { row throws(ConversionError) in
            let id = row.text(0)
            let place = "\(source.name) \(id.prefix(64))"
            let name = recordName(item, id)
            if item.isOfUsers, !conversion.hasAccount(name) { return }
            var reason = item.isOfUsers ? nil : Conversion.rejection(ofRecordName: name)
            for (index, field) in source.fields.enumerated() where row.length(Int32(3 + index)) > Self.mostValueBytes {
                reason = "the field \(field.name) has more than \(Self.mostValueBytes >> 20) MiB"
            }
            if let reason {
                conversion.report.reject(place, reason)
                conversion.report.rows[item.row].rejected += 1
                return
            }
            var fields = JSONObject()
            var user = item.isOfUsers ? name : nil
            for (index, field) in source.fields.enumerated() {
                guard let local = item.names[field.name] else { continue }
                let value = try value(row, Int32(3 + index), field, item, id)
                if let value { fields[local] = ["value": value, "type": .string(field.type.tag.description)] }
                if field.name == item.owner, let owner = value?["recordName"]?.string, conversion.hasAccount(owner) {
                    user = owner
                }
            }
            if item.isOfUsers, collections.count(where: \.isOfUsers) > 1 {
                fields[collectionField] = ["value": .string(source.name), "type": "STRING"]
            }
            var record = JSONObject([
                ("recordType", .string(item.type)), ("recordName", .string(name)), ("fields", .object(fields)),
            ])
            for (column, key) in [(Int32(1), "created"), (2, "modified")] {
                if let stamp = Conversion.stamp(try? Timestamp.read(row.text(column)), user: user) {
                    record[key] = stamp
                }
            }
            try conversion.writer.record(record)
            conversion.report.rows[item.row].records += 1
        }
    }

    /// Returns the value of a column; `nil` for none.
    private func value(
        _ row: Statement, _ column: Int32, _ field: PocketBaseField, _ item: Collection, _ id: String
    ) throws(ConversionError) -> JSONValue? {
        let subject = "\(item.type).\(field.name)"
        let stored = ForeignColumn(row, column)
        if case .null = stored { return nil }
        func mismatch() -> JSONValue? {
            conversion.report.note(subject, "values that are no \(field.kind.rawValue) were left out")
            return nil
        }
        switch (field.kind, stored) {
        case (.number, .integer(let number)):
            if field.isInteger { return .integer(number) }
            if number.magnitude > 1 << 53 { conversion.report.note(subject, "large numbers were rounded") }
            return .double(Double(number))
        case (.number, .real(let number)):
            guard number.isFinite else { return mismatch() }
            if !field.isInteger { return .double(number) }
            return JSONValue.double(number).integer.map(JSONValue.integer) ?? mismatch()
        case (.number, _): return row.length(column) == 0 ? nil : mismatch()
        case (.bool, .integer(let number)): return number == 0 ? 0 : 1
        case (.bool, _):
            switch row.text(column).lowercased() {
            case "true", "1": return 1
            case "false", "0", "": return 0
            default: return mismatch()
            }
        default: break
        }
        guard let text = String(validating: row.bytes(column), as: UTF8.self) else { return mismatch() }
        switch field.kind {
        case .text, .editor: return text.isEmpty && item.emptyIsAbsent.contains(field.name) ? nil : .string(text)
        case .email, .url: return text.isEmpty ? nil : .string(text)
        case .json: return text.isEmpty || text == "null" ? nil : .string(text)
        case .date, .autodate:
            if text.isEmpty { return nil }
            return (try? Timestamp.read(text)).map(JSONValue.integer) ?? mismatch()
        case .geoPoint:
            let point = row.json(column)
            // What PocketBase has for no place.
            if text.isEmpty || point["lat"]?.double == 0 && point["lon"]?.double == 0 { return nil }
            guard
                case .place(let latitude, let longitude) = ForeignValue.place(
                    point["lat"]?.double, point["lon"]?.double)
            else { return mismatch() }
            return ["latitude": .double(latitude), "longitude": .double(longitude)]
        default: break
        }
        // A list is JSON; a text is a single value, also in a field that could have one value only before.
        var members = [text]
        if field.isMultiple || text.hasPrefix("["), let list = row.json(column).array {
            members = list.compactMap(\.string)
            if members.count < list.count { conversion.report.note(subject, "members that are no texts were left out") }
        }
        members.removeAll(where: \.isEmpty)
        if !field.isMultiple, members.count > 1 {
            conversion.report.note(subject, "of several values, the first was kept")
        }
        var values: [JSONValue] = []
        for member in field.isMultiple ? members[...] : members.prefix(1) {
            if let value = try single(member, field, item, id) { values.append(value) }
        }
        if field.isMultiple, values.count > Limits.listMembers {
            conversion.report.note(subject, "lists of more than \(Limits.listMembers) members were left out")
            return nil
        }
        return field.isMultiple ? .array(values) : values.first
    }

    /// Returns one value of a selection, relation or file field; `nil` for none.
    private func single(
        _ text: String, _ field: PocketBaseField, _ item: Collection, _ id: String
    ) throws(ConversionError) -> JSONValue? {
        let subject = "\(item.type).\(field.name)"
        switch field.kind {
        case .relation:
            let target: String
            if let position = positions[field.collectionID] {
                target = recordName(collections[position], text)
            } else {
                conversion.report.note(subject, "references lead to a collection of which there are no records here")
                target = text
            }
            guard RecordName(target) != nil else {
                conversion.report.note(subject, "references without a valid name were left out")
                return nil
            }
            let action = field.deletesWithTarget && !field.isMultiple ? "DELETE_SELF" : "NONE"
            return ["recordName": .string(target), "action": .string(action)]
        case .file:
            guard [item.source.id, id, text].allSatisfy(Directory.isFileName) else {
                conversion.report.note(subject, "files whose names are no file names were left out")
                return nil
            }
            return try conversion.asset(
                at: "\(directory)/storage/\(item.source.id)/\(id)/\(text)", name: text, field: subject,
                place: "\(item.source.name) \(id)")
        default: return .string(text)
        }
    }
}
