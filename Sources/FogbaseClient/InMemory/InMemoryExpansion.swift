internal import RecordModel
internal import RecordWire

/// The `expanded` member of a response: the records to which a page's records refer, and those that refer to them.
struct InMemoryExpansion {
    private let call: InMemoryCall
    private let database: InMemoryDatabase
    private var found: [[UInt8]: InMemoryRecord] = [:]
    private var names: [[UInt8]] = []
    /// The fields to follow, by the name of the record.
    private var fields: [[UInt8]: Set<String>] = [:]

    /// - Parameter call: The call, which shows all fields.
    init(_ call: InMemoryCall, in database: InMemoryDatabase) {
        var call = call
        call.fields = nil
        self.call = call
        self.database = database
    }

    /// Checks the paths and returns the JSON.
    ///
    /// - Throws: BAD_REQUEST for a field that the type lacks or that is no reference; the errors of a query for a
    ///   backward path; BAD_REQUEST with cause TOO_LARGE for too many targets.
    mutating func json(
        _ paths: [ExpandPath], of records: [InMemoryRecord], type: RecordTypeDefinition
    ) throws -> [UInt8] {
        let seconds = paths.compactMap(\.second).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        for name in seconds { try requireReferenceOfSomeType(name) }
        for case .forward(let name) in paths.map(\.first) { try requireReference(name, of: type) }
        // The order of the targets is that of the server: those of each record, then those of backward paths, then those
        // of second steps.
        for record in records {
            for path in paths {
                guard case .forward(let name) = path.first else { continue }
                try add(try targets(of: name, in: record, type), following: path.second)
            }
        }
        var lists: [(name: String, text: [UInt8])] = []
        for path in paths {
            guard case .backward(let step) = path.first else { continue }
            var text: [UInt8] = []
            if records.isEmpty, let type = database.schema[step.typeName] {
                _ = try call.records(of: type, in: database)
                try requireReference(step.field, of: type)
            }
            for record in records {
                let all = try referring(to: record, step)
                if all.isEmpty { continue }
                try add(Array(all.prefix(step.limit)), following: path.second)
                if !text.isEmpty { text.append(UInt8(ascii: ",")) }
                append(record, all, step, to: &text)
            }
            if !lists.contains(where: { $0.name == step.name }) { lists.append((step.name, text)) }
        }
        for name in names {
            guard let target = found[name], let type = database.schema[id: target.type] else { continue }
            for second in seconds where fields[name]?.contains(second) == true {
                try add(try targets(of: second, in: target, type), following: nil)
            }
        }
        var json = Array(#"{"records":["#.utf8)
        for (index, name) in names.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            if let record = found[name] { try call.append(record, of: database, to: &json) }
        }
        json.append(UInt8(ascii: "]"))
        if !lists.isEmpty {
            json += Array(",\"backward\":{".utf8)
            for (index, list) in lists.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                json += JSONValue.string(list.name).bytes + Array(":{".utf8) + list.text + [UInt8(ascii: "}")]
            }
            json.append(UInt8(ascii: "}"))
        }
        return json + [UInt8(ascii: "}")]
    }

    private func append(
        _ record: InMemoryRecord, _ all: [InMemoryRecord], _ step: BackwardStep, to text: inout [UInt8]
    ) {
        text += JSONValue.string(record.key.name.text).bytes
        text += Array(":{\"recordNames\":".utf8)
        text += JSONValue.array(all.prefix(step.limit).map { .string($0.key.name.text) }).bytes
        text += Array(",\"moreComing\":\(all.count > step.limit)}".utf8)
    }

    /// Adds targets.
    ///
    /// - Parameter second: The field to follow from them.
    private mutating func add(_ targets: [InMemoryRecord], following second: String?) throws(RecordError) {
        for target in targets {
            let name = Array(target.key.name.text.utf8)
            if let second { fields[name, default: []].insert(second) }
            if found.updateValue(target, forKey: name) == nil { names.append(name) }
        }
        guard names.count <= Limits.expandedRecords else {
            throw .badRequest("The paths of 'expand' lead to too many records", cause: .tooLarge)
        }
    }

    private static func isUser(_ name: String) -> SystemField? {
        SystemField(name).flatMap { [.createdUserRecordName, .modifiedUserRecordName].contains($0) ? $0 : nil }
    }

    private func requireReference(_ name: String, of type: RecordTypeDefinition) throws(RecordError) {
        if Self.isUser(name) != nil { return }
        guard let field = type[name] else {
            throw .badRequest("Field \(name) not found in \(type.name)", cause: .unknownName)
        }
        guard field.type.isReference else {
            throw .badRequest("Field '\(name)' of \(type.name) is no reference", cause: .typeMismatch)
        }
    }

    private func requireReferenceOfSomeType(_ name: String) throws(RecordError) {
        if Self.isUser(name) != nil { return }
        let isKnown = database.schema.types.values.contains {
            $0[name]?.type.isReference == true && call.permitted(.read, $0) != .none
        }
        guard isKnown else {
            throw .badRequest("Field \(name) not found as a reference in any type", cause: .unknownName)
        }
    }

    /// The readable records to which a field of a record refers.
    private func targets(
        of name: String, in record: InMemoryRecord, _ type: RecordTypeDefinition
    ) throws(RecordError) -> [InMemoryRecord] {
        let targets: [RecordName]
        if let user = Self.isUser(name) {
            let id = user == .createdUserRecordName ? record.creator : record.modifier
            targets = [RecordName(database.accounts.name(of: id))].compactMap { $0 }
        } else {
            guard let field = type[name] else { return [] }
            targets = try record.fields.withView { view throws(RecordError) in
                try view.references(includingNone: true).filter { $0.fieldID == field.id }.map(\.reference.recordName)
            }
        }
        return targets.compactMap { name in
            guard let target = database.find(name, zone: call.zone), let type = database.schema[id: target.type],
                call.permitted(.read, type) != .none, call.may(.read, target, type)
            else { return nil }
            return target
        }
    }

    /// The readable records of the step's type that refer to a record, in the order of the step.
    private func referring(to record: InMemoryRecord, _ step: BackwardStep) throws -> [InMemoryRecord] {
        guard let type = database.schema[step.typeName] else { return [] }
        var records = try call.records(of: type, in: database)
        try requireReference(step.field, of: type)
        var input = QueryInput()
        input.recordType = step.typeName
        input.filters = [
            FilterSyntax(
                fieldName: step.field, comparator: type[step.field]?.type.isList == true ? "LIST_CONTAINS" : "EQUALS",
                value: .reference(record.key.name.text))
        ]
        input.sort = step.sort
        input.condition = step.condition
        let condition = try InMemoryCondition(
            input, of: type, now: database.now, InMemoryTargets(call: call, database: database))
        records.removeAll { !condition.holds(for: $0) }
        records.sort(by: condition.isBefore)
        return records
    }
}
