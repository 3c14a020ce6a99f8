internal import RecordModel
internal import RecordWire

extension ObjectConversion {
    // MARK: Schema

    func writeSchema() throws(ConversionError) {
        for item in classes {
            let isOfUsers = item.name == dialect.userClass
            var fields: [(String, JSONValue)] = []
            for field in item.order {
                guard let plan = item.plans[field], let name = item.names.known(field) else { continue }
                var entry = JSONObject([("type", .string(plan.type.schemaName))])
                // Otherwise users could change what the server of the source has checked.
                if isOfUsers, dialect.protectedUserFields.contains(field) { entry["write"] = [] }
                fields.append((name, .object(entry)))
            }
            // The type of users has the permissions that it has here.
            let grants = isOfUsers ? nil : grants(of: item)
            guard !isOfUsers || !fields.isEmpty else { continue }
            conversion.add(type: item.type, fields: fields, indexes: indexes(of: item), grants: grants)
        }
        try conversion.writeSchema(from: files.classes.first?.paths.first ?? ".")
    }

    private func grants(of item: ObjectClass) -> JSONObject? {
        item.schema?.grants(
            role: { name in
                let known = roleNames.known(name)
                if known == nil {
                    conversion.report.note(item.type, "grants to roles that the export does not have were left out")
                }
                return known
            },
            note: { conversion.report.note(item.type, $0, count: 0) })
    }

    private func indexes(of item: ObjectClass) -> [JSONValue] {
        var indexes: [JSONValue] = []
        for columns in item.schema?.indexes ?? [] {
            let names = columns.compactMap { column -> String? in
                let name: String?
                switch column.field {
                case "_created_at": name = SystemField.createdTimestamp.name.description
                case "_updated_at": name = SystemField.modifiedTimestamp.name.description
                default: name = item.plans[column.field] == nil ? nil : item.names.known(column.field)
                }
                return name.map { column.ascends ? $0 : "-" + $0 }
            }
            let types = columns.map { item.plans[$0.field]?.type ?? .timestamp }
            let isOfPlaces = types.contains { $0.element == .location }
            guard names.count == columns.count, Set(names).count == names.count,
                IndexRules.rejection(
                    ofColumns: types, forms: types.map { _ in .exact }, kind: isOfPlaces ? .places : .ordered,
                    isUnique: false) == nil
            else {
                let text = columns.map(\.field).joined(separator: ", ")
                conversion.report.note(item.type, "the index on \(text) was left out", count: 0)
                continue
            }
            let index: JSONValue = ["fields": .array(names.map(JSONValue.string))]
            if !indexes.contains(index) { indexes.append(index) }
        }
        return indexes
    }

    // MARK: Accounts

    func writeAccounts(_ item: ObjectClass) throws(ConversionError) {
        try forEachObject(of: item, reports: true) { object, place throws(ConversionError) in
            let account = Conversion.Account(
                place: place, id: object.id, recordName: conversion.account(dialect.scope, object.id),
                names: object.userNames, password: object.password, created: object.created)
            let isWritten = try conversion.write(account)
            if !isWritten, let row = item.row { conversion.report.rows[row].rejected += 1 }
            if isWritten, object.hasOtherSignIns {
                conversion.report.note("accounts", "sign-in by other services, such as Apple or Google, was left out")
            }
        }
    }

    // MARK: Records

    /// Returns the record name of an object.
    func recordName(_ className: String, _ id: String) -> String {
        if className == dialect.userClass { return conversion.account(dialect.scope, id) }
        guard let index = positions[className], classes[index].isPrefixed else { return id }
        return "\(classes[index].type).\(id)"
    }

    func writeRecords(_ item: ObjectClass) throws(ConversionError) {
        let isOfUsers = item.name == dialect.userClass
        try forEachObject(of: item, reports: !isOfUsers) { object, place throws(ConversionError) in
            let name = recordName(item.name, object.id)
            if isOfUsers {
                guard conversion.hasAccount(name) else { return }
            } else if let reason = Conversion.rejection(ofRecordName: name) {
                reject(place, reason, item)
                return
            }
            guard let access = access(of: object, item) else {
                reject(place, "the access list has more than \(Limits.accessEntries) entries. Use a role instead", item)
                return
            }
            var record = JSONObject([
                ("recordType", .string(item.type)), ("recordName", .string(name)),
                ("fields", .object(try fields(of: object, item, place))),
            ])
            // The user record belongs to its user.
            let user = isOfUsers ? name : nil
            if let stamp = Conversion.stamp(object.created, user: user) { record["created"] = stamp }
            if let stamp = Conversion.stamp(object.modified, user: user) { record["modified"] = stamp }
            if let access { record["acl"] = access }
            try conversion.writer.record(record)
            if let row = item.row { conversion.report.rows[row].records += 1 }
        }
    }

    private func fields(
        of object: ForeignObject, _ item: ObjectClass, _ place: String
    ) throws(ConversionError) -> JSONObject {
        var fields = JSONObject()
        var subject = ""
        let writer = ValueWriter(
            target: { [self] className, id in
                if className == dialect.roleClass || positions[className] == nil {
                    conversion.report.note(
                        subject, "references lead to a class of which there are no records here",
                        example: String(className.prefix(64)))
                }
                return recordName(className, id)
            },
            asset: { [self] name, _ throws(ConversionError) in
                guard let directory = files.content, Directory.isFileName(name) else {
                    conversion.report.note(subject, "files whose names are no file names were left out")
                    return nil
                }
                return try conversion.asset(at: directory + "/" + name, name: name, field: subject, place: place)
            })
        var values = object.fields
        for (field, table) in item.joins {
            let members = table.members(of: object.id)
            if members.isEmpty { continue }
            let target = item.tallies[field]?.relation ?? ""
            let className = target.isEmpty ? item.schema?.fields[field]?.target ?? "" : target
            let list = members.map { ForeignValue(content: .reference(className: className, id: $0), source: .null) }
            values.removeAll { $0.name == field }
            values.append((field, ForeignValue(content: .list(list), source: .null)))
        }
        for field in values {
            guard let plan = item.plans[field.name], let name = item.names.known(field.name) else { continue }
            subject = "\(item.type).\(field.name)"
            if case .relation = field.value.content { continue }
            switch try writer.write(field.value, as: plan) {
            case .value(let value): fields[name] = value
            case .none: break
            case .dropped(let reason): conversion.report.note(subject, reason)
            }
        }
        return fields
    }

    /// Returns the access list of a record: `.some(nil)` for none, and `nil` if it has too many entries.
    private func access(of object: ForeignObject, _ item: ObjectClass) -> JSONValue?? {
        guard let entries = object.access else {
            // The source lets everyone read and write such objects, users apart.
            if item.name == dialect.userClass { return .some(nil) }
            conversion.report.note(
                item.type,
                "records without an access list may be read by everyone, and written by everyone who is signed in")
            return .some(["*": ["read", "write"]])
        }
        var list = JSONObject()
        for entry in entries {
            let name: String
            switch entry.principal {
            case .everyone: name = "*"
            case .user(let id):
                name = conversion.account(dialect.scope, id)
                guard conversion.hasAccount(name) else {
                    conversion.report.note(
                        item.type, "entries of access lists for users without an account were left out")
                    continue
                }
            case .role(let role):
                guard let local = roleNames.known(role) else {
                    conversion.report.note(
                        item.type, "entries of access lists for roles that the export does not have were left out")
                    continue
                }
                name = "role:" + local
            }
            var words: [JSONValue] = []
            if entry.rights.contains(.read) { words.append("read") }
            if entry.rights.contains(.write) { words.append("write") }
            if !words.isEmpty { list[name] = .array(words) }
        }
        return list.count > Limits.accessEntries ? nil : .some(.object(list))
    }
}
