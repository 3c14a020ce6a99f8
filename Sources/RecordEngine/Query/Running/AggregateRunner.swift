internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Adds the matches of a query to the groups of an aggregate.
///
/// If an index holds all fields of the aggregate, SQLite counts the entries of each key and no record is read.
/// Otherwise each match is read.
struct AggregateRunner {
    private let aggregation: Aggregation
    private let runner: QueryRunner
    private let type: RecordTypeDefinition
    private let fields: [QueryField]
    /// Returns the record name of an account. All deleted accounts are one value.
    private let userName: (UserID) throws(RecordError) -> String
    /// The branches with the scans that the last `fill` used.
    private(set) var parts: [QueryBranch]

    init(
        _ aggregation: Aggregation, _ runner: QueryRunner, of type: RecordTypeDefinition,
        userName: @escaping (UserID) throws(RecordError) -> String
    ) {
        self.aggregation = aggregation
        self.runner = runner
        self.type = type
        self.userName = userName
        fields = aggregation.fields
        parts = runner.parts
    }

    /// Adds all matches to an empty table.
    ///
    /// - Parameter makeTable: Returns an empty table.
    /// - Returns: The table, and the number of matches.
    /// - Throws: As `QueryBudget.match` and `GroupTable.add`.
    mutating func fill(_ makeTable: () -> GroupTable) throws(RecordError) -> (table: GroupTable, matched: Int) {
        let table = makeTable()
        if aggregation.isPlainCount {
            let count = try runner.count()
            if count > 0 { try table.add([], weight: count) }
            return (table, count)
        }
        guard let byIndex = partsByIndex else { return (table, try addRecords(to: table)) }
        if let matched = try addEntries(of: byIndex, to: table) {
            parts = byIndex
            return (table, matched)
        }
        let second = makeTable()
        return (second, try addRecords(to: second))
    }

    // MARK: Records

    private func addRecords(to table: GroupTable) throws(RecordError) -> Int {
        let sources = fields.map { (source: $0.anySource, isDouble: $0.type == .double) }
        let hasUsers = fields.contains(where: \.isAccount)
        var row: [QueryValue?] = Array(repeating: nil, count: fields.count)
        var matched = 0
        try runner.forEachMatch(of: runner.parts, in: .none, needsRecords: true) { _, record throws(RecordError) in
            guard let record else { return .more }
            var indexed = try IndexedRecord(record)
            if hasUsers { try indexed.hideDeletedAccounts(userName) }
            for (number, column) in sources.enumerated() {
                try runner.budget.spend(indexed.bytes(of: column.source))
                row[number] = try indexed.value(of: column.source, asDouble: column.isDouble)
            }
            matched += 1
            try table.add(row)
            return .more
        }
        return matched
    }

    // MARK: Index entries

    /// The branches with scans of ordered indexes that hold all fields; `nil` if there are none, or if two scans can
    /// find the same record.
    private var partsByIndex: [QueryBranch]? {
        if runner.hasOverlaps { return nil }
        var found: [QueryBranch] = []
        for part in runner.parts {
            guard part.countsByEntries else { return nil }
            if part.plan.scans.allSatisfy({ scan in
                if case .index(let index) = scan.source { scan.ids.isEverything && holdsAll(index) } else { false }
            }) {
                found.append(part)
                continue
            }
            // Each record has one entry in each ordered index.
            guard part.plan.predicate == .constant(true), let index = smallestIndex else { return nil }
            var plan = part.plan
            plan.scans = [IndexScan(source: .index(index), condition: .constant(true))]
            found.append(QueryBranch(plan, in: part.home))
        }
        return found
    }

    private var smallestIndex: IndexDefinition? {
        type.indexes.filter(holdsAll).min { $0.columns.count < $1.columns.count }
    }

    /// Whether the keys of an index contain all fields of the aggregate.
    private func holdsAll(_ index: IndexDefinition) -> Bool {
        guard index.isReady, index.kind == .ordered, index.columns.allSatisfy({ type.has($0.source) }) else {
            return false
        }
        return fields.allSatisfy { field in
            index.columns.contains { column in
                // While a field is widened to DOUBLE, its keys are already doubles.
                column.source == field.anySource && (!column.readsAsDouble || field.type == .double)
            }
        }
    }

    /// Adds the entries of all scans to a table.
    ///
    /// - Returns: The number of entries; `nil` if a needed text may be truncated in its key.
    private func addEntries(of parts: [QueryBranch], to table: GroupTable) throws(RecordError) -> Int? {
        var matched = 0
        for part in parts {
            for scan in part.plan.scans {
                guard case .index(let index) = scan.source,
                    let added = try addEntries(of: scan, of: index, in: part.home, to: table)
                else { return nil }
                matched += added
            }
        }
        return matched
    }

    private func addEntries(
        of scan: IndexScan, of index: IndexDefinition, in home: RowHome, to table: GroupTable
    ) throws(RecordError) -> Int? {
        let columns = try columns(of: index)
        let range = IndexScanner.KeyRange(lower: scan.lower, upper: scan.upper)
        let budget = runner.budget
        var row: [QueryValue?] = Array(repeating: nil, count: fields.count)
        var matched = 0
        var isTruncated = false
        // The statement is interrupted at the deadline, because one key can have any number of entries.
        let done = try runner.store.interrupting(at: budget.deadline) { () throws(RecordError) -> Bool in
            try runner.store.indexes.forEachKey(index.id, home: home, range) { key, count throws(RecordError) in
                try budget.take(count)
                matched += count
                var offset = 0
                for column in columns {
                    guard
                        let decoded = IndexKey.column(
                            key, at: &offset, as: column.form, isAscending: column.isAscending)
                    else { throw RecordError(.internalError, "An entry of index \(index.id) is damaged") }
                    guard let slot = column.slot else { continue }
                    if decoded.mayBeTruncated { isTruncated = true }
                    row[slot] = column.isUser ? try account(decoded.value) : decoded.value
                }
                if isTruncated { return false }
                try table.add(row, weight: count)
                return true
            }
            return true
        }
        guard done != nil else { throw Task.isCancelled ? .requestAbandoned : budget.stop(examined: budget.examined) }
        return isTruncated ? nil : matched
    }

    /// A column of a key, up to the last one that the aggregate needs.
    private struct KeyColumn {
        let form: IndexKey.ColumnForm
        let isAscending: Bool
        /// The position of the field in the rows of the table; `nil` if the aggregate does not need the column.
        let slot: Int?
        let isUser: Bool
    }

    private func columns(of index: IndexDefinition) throws(RecordError) -> [KeyColumn] {
        var columns: [KeyColumn] = []
        for column in index.columns {
            guard let field = type.field(of: column.source), let form = IndexKey.ColumnForm(field) else { break }
            columns.append(
                KeyColumn(
                    form: column.readsAsDouble && form == .integer ? .double : form, isAscending: column.isAscending,
                    slot: fields.firstIndex(of: field), isUser: field.isAccount))
        }
        while let last = columns.last, last.slot == nil { columns.removeLast() }
        return columns
    }

    /// The value of an account. All deleted accounts have the same one.
    private func account(_ value: QueryValue?) throws(RecordError) -> QueryValue? {
        guard case .integer(let number)? = value else { return value }
        return try userName(UserID(rawValue: number)) == SystemUser.deleted ? .deletedAccount : value
    }
}

extension QueryField {
    /// Whether the values are accounts.
    var isAccount: Bool {
        self == .system(.createdUserRecordName) || self == .system(.modifiedUserRecordName)
    }
}
