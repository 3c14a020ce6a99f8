internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Collects the records to which a page's records refer, and those that refer to them, and composes the `expanded`
/// member of the response:
///
/// ```text
/// {"records":[…],"backward"?:{"Comment.post":{"<record name>":{"recordNames":["…"],"moreComing":false}}}}
/// ```
///
/// Each record is read by name with the caller's permissions, as in a lookup. Names that lead to no readable record are
/// left out. The type belongs to one attempt at a query.
struct ExpandedRecords {
    /// The names of records as UTF-8. `String` would treat names as equal that are different.
    private typealias Name = [UInt8]

    private let plan: ExpandPlan
    private let reader: RecordReader
    private let budget: QueryBudget
    /// The names of the page's records.
    private var parents: [Name] = []
    /// The names to which the first steps lead, in the order found, each with the fields to follow.
    private var first: [Name] = []
    private var fields: [Name: ExpandPlan.Fields] = [:]
    /// The names to which only the second steps lead.
    private var second: [Name] = []
    private var isSecond: Set<Name> = []
    private var types: [TypeID: TargetType] = [:]
    private var list = RecordList(#"{"records":["#)

    /// What is known about the type of some targets.
    private struct TargetType {
        let definition: RecordTypeDefinition
        let visibility: Visibility
        let shown: VisibleFields
        /// The reference fields with the names of `ExpandPlan.secondFields`.
        let second: [QueryField?]
    }

    init(_ plan: ExpandPlan, by reader: RecordReader, _ budget: QueryBudget) {
        self.plan = plan
        self.reader = reader
        self.budget = budget
    }

    /// Adds a record of the page, at whose position the cursor is.
    ///
    /// - Throws: As `QueryBudget.take`; BAD_REQUEST with cause TOO_LARGE for too many targets.
    mutating func add(
        _ record: RecordCursor, _ system: RecordSystemFields, _ visibility: Visibility
    ) throws(RecordError) {
        if !plan.backward.isEmpty { parents.append(Name(record.name)) }
        guard !plan.forward.isEmpty else { return }
        let hidden = visibility.unreadable(creator: system.creator)
        for step in plan.forward {
            for name in try targets(of: step.field, in: record, system, hidden) {
                try add(name, following: step.second)
            }
        }
    }

    private mutating func add(_ name: Name, following fields: ExpandPlan.Fields) throws(RecordError) {
        if let known = self.fields[name] {
            if !fields.isEmpty { self.fields[name] = known.union(fields) }
            return
        }
        self.fields[name] = fields
        first.append(name)
        try checkCount()
    }

    private func checkCount() throws(RecordError) {
        if first.count + second.count > Limits.expandedRecords { throw .tooManyExpanded }
    }

    /// Reads the targets and returns the `expanded` member.
    ///
    /// - Throws: As `QueryBudget.match`; BAD_REQUEST with cause TOO_LARGE for too many or too long targets.
    mutating func json(in zone: ZoneID) throws(RecordError) -> [UInt8] {
        var found: [(step: BackwardStep, parents: [(Name, BackwardTargets)])] = []
        for backward in plan.backward {
            var lists: [(Name, BackwardTargets)] = []
            for parent in parents {
                let targets = try reader.queries.targets(of: backward, for: parent, budget)
                if targets.names.isEmpty { continue }
                for name in targets.names { try add(name, following: backward.second) }
                lists.append((parent, targets))
            }
            found.append((backward.step, lists))
        }
        for name in first { try read(name, in: zone, following: fields[name] ?? []) }
        // The number of second targets does not change here.
        for name in second { try read(name, in: zone, following: []) }
        list.json.append(UInt8(ascii: "]"))
        if !found.isEmpty { append(found) }
        list.json.append(UInt8(ascii: "}"))
        return list.json
    }

    private mutating func append(_ found: [(step: BackwardStep, parents: [(Name, BackwardTargets)])]) {
        list.json.appendLiteral(",\"backward\":{")
        for (number, (step, parents)) in found.enumerated() {
            if number > 0 { list.json.append(UInt8(ascii: ",")) }
            list.json.appendString(step.name)
            list.json.appendLiteral(":{")
            for (number, (parent, targets)) in parents.enumerated() {
                if number > 0 { list.json.append(UInt8(ascii: ",")) }
                append(parent)
                list.json.appendLiteral(":{\"recordNames\":[")
                for (number, name) in targets.names.enumerated() {
                    if number > 0 { list.json.append(UInt8(ascii: ",")) }
                    append(name)
                }
                list.json.appendLiteral(targets.hasMore ? "],\"moreComing\":true}" : "],\"moreComing\":false}")
            }
            list.json.append(UInt8(ascii: "}"))
        }
        list.json.append(UInt8(ascii: "}"))
    }

    private mutating func append(_ name: Name) {
        name.withUnsafeBytes { list.json.appendString($0) }
    }

    /// Reads a target if it exists and the caller may read it, and collects the targets of its fields.
    private mutating func read(
        _ name: Name, in zone: ZoneID, following fields: ExpandPlan.Fields
    ) throws(RecordError) {
        try budget.take(1)
        let cursor = try reader.store.records.find(zone: zone, name: String(decoding: name, as: UTF8.self))
        guard let cursor else { return }
        defer { cursor.finish() }
        let row = cursor.row
        guard !row.isDeleted, let type = type(row.type), type.visibility.reads != .none,
            type.visibility.mayRead(row.facts)
        else { return }
        let start = list.bytes
        list.beginMember()
        try reader.append(cursor.record, row.systemFields, type.definition, type.shown, to: &list.json)
        // Hidden fields count as work but not as length, because the length would reveal them.
        try budget.didCopy(list.bytes - start + cursor.fields.count)
        let limit = reader.database.limits.pageBytes
        if list.bytes > limit { throw .expandedTooLong(limit: limit) }
        guard !fields.isEmpty else { return }
        let hidden = type.visibility.unreadable(creator: row.creator)
        for number in fields.sorted() {
            guard let field = type.second[number] else { continue }
            for name in try targets(of: field, in: cursor.record, row.systemFields, hidden) {
                guard self.fields[name] == nil, isSecond.insert(name).inserted else { continue }
                second.append(name)
                try checkCount()
            }
        }
    }

    private mutating func type(_ id: TypeID) -> TargetType? {
        if let known = types[id] { return known }
        guard let type = reader.type(id) else { return nil }
        let visibility = Visibility(of: type, for: plan.caller, in: plan.address.scope)
        let known = TargetType(
            definition: type, visibility: visibility, shown: VisibleFields(nil, of: type, visibility),
            second: plan.secondFields.map { name in
                if let system = SystemField(name), ExpandPlan.users.contains(system) { return .system(system) }
                return type[name].flatMap { $0.type.isReference ? .field($0) : nil }
            })
        types[id] = known
        return known
    }

    /// The names to which a field of a record refers.
    ///
    /// - Parameter hidden: The fields of the record that the caller may not read.
    private func targets(
        of field: QueryField, in record: RecordCursor, _ system: RecordSystemFields, _ hidden: [Int]
    ) throws(RecordError) -> [Name] {
        switch field {
        case .distance, .rank: return []
        case .system(let field):
            let user = field == .modifiedUserRecordName ? system.modifier : system.creator
            return [Name(try reader.userNames.name(of: user).utf8)]
        case .field(let field):
            guard !hidden.contains(field.id) else { return [] }
            let view = try StoredFieldsView(text: record.fields, layout: record.layout)
            guard let entry = view.entry(field.id), entry.type.isReference, !entry.isExternal else { return [] }
            try budget.spend(entry.value.count)
            let value = try CanonicalValue.decode(view.valueText(of: entry), as: entry.type)
            let members: [FieldValue] = if case .list(_, let members) = value { members } else { [value] }
            return members.compactMap {
                if case .reference(let reference) = $0 { Name(reference.recordName.text.utf8) } else { nil }
            }
        }
    }
}

/// The records that refer to one record of a page.
struct BackwardTargets {
    /// Their names in the order of the step.
    var names: [[UInt8]] = []
    /// Whether there are more than the limit of the step.
    var hasMore = false
}

extension QueryReader {
    /// The work of binding and planning a query, in the unit of `QueryBudget.spend`.
    private static let planningWork = 20_000
    /// The work of parsing and binding one byte of a condition.
    private static let parsingWork = 200

    /// Finds the records that refer to one record.
    ///
    /// - Parameter parent: The name of that record.
    /// - Throws: The errors of a query.
    fileprivate func targets(
        of backward: ExpandPlan.Backward, for parent: [UInt8], _ budget: QueryBudget
    ) throws(RecordError) -> BackwardTargets {
        var targets = BackwardTargets()
        // Binding and planning take about as long as 20 short records.
        try budget.spend(Self.planningWork + Self.parsingWork * (backward.step.condition?.utf8.count ?? 0))
        var request = backward.request
        guard !request.input.filters.isEmpty else { return targets }
        request.input.filters[0].value = .reference(String(decoding: parent, as: UTF8.self))
        guard let query = try bind(request, keepsWords: false), let zone = query.zone else { return targets }
        let limit = backward.step.limit
        try runner(of: query, zone: zone, sort: query.sort, limit: limit, budget)
            .forEach(after: nil, limit: limit + 1) { cursor, _ throws(RecordError) in
                guard targets.names.count < limit else {
                    targets.hasMore = true
                    return false
                }
                targets.names.append([UInt8](cursor.name))
                return true
            }
        return targets
    }
}

extension QueryReader {
    /// The indexes that a query, its tests of other records and its backward steps lack and the caller may add, each
    /// with its type.
    ///
    /// - Parameter isFirst: As in `checkIndexes`.
    /// - Throws: As `checkIndexes`.
    func missingIndexes(
        of query: PreparedQuery, _ request: QueryRequest, isFirst: Bool
    ) throws(RecordError) -> [(request: IndexRequest, type: RecordTypeName)] {
        var missing: [(request: IndexRequest, type: RecordTypeName)] = []
        if let wanted = try checkIndexes(query, request, isFirst: isFirst) {
            missing.append((wanted, request.typeName))
        }
        for branch in query.targets.flatMap(\.branches) {
            if let wanted = try checkIndexes(branch.query, branch.request, isFirst: isFirst) {
                missing.append((wanted, branch.request.typeName))
            }
        }
        for backward in query.expansion?.backward ?? [] {
            guard let query = try bind(backward.request, keepsWords: false) else { continue }
            if let wanted = try checkIndexes(query, backward.request, isFirst: isFirst) {
                missing.append((wanted, backward.request.typeName))
            }
        }
        return missing
    }
}
