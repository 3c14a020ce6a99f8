internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The work that rewrites the stored names of fields after a rename.
///
/// Records keep their change tags and sequence numbers: responses had the new names before. The position is in the file,
/// so the work goes on after a restart.
///
/// Unchecked `Sendable`: see `SlicedWork`.
final class RenameWork: SlicedWork, @unchecked Sendable {
    /// The number of records that are read before they are written. No statement may read the table meanwhile.
    private static let recordsAtOnce = 32
    /// The number of records that a slice rewrites. Responses have the new names already, so that nobody waits for the end;
    /// but each write waits for the slice before it: with slices of 4 ms, the median create took 8 ms instead of 3 ms.
    private static let recordsPerSlice = 96

    /// A record with its new stored form.
    private struct Rewrite {
        let row: RecordRow
        let zone: ZoneID
        let fields: StoredFields
        let addedBytes: Int
    }

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        let table = transaction.schemaTable
        var rewritten: [TypeID: Int] = [:]
        var next = try table.firstRenaming()
        while let (id, position) = next, budget.hasMore,
            rewritten.values.reduce(0, +) < Self.recordsPerSlice
        {
            if let type = transaction.schema[id: id], type.hasFormerNames {
                let (end, count) = try rewrite(type, after: position, in: transaction, &budget)
                rewritten[id, default: 0] += count
                try table.setRenaming(end, type: id)
                if end == nil { finish(type, in: transaction) }
            } else {
                try table.setRenaming(nil, type: id)
            }
            next = try table.firstRenaming()
        }
        try showAsJobs(rewritten, in: transaction)
        return SliceProgress(hasMore: next != nil, done: budget.done)
    }

    func didCommit(_ progress: SliceProgress) -> AfterCommit? { nil }

    func didFail(_ error: RecordError) -> SliceRetry { .later }

    /// Publishes that all records of a type have the names of its fields.
    private func finish(_ type: RecordTypeDefinition, in transaction: WriteTransaction) {
        var type = type
        type.renames?.isPending = false
        transaction.schema.set(type)
        transaction.rightsChanged = true
    }

    /// Rewrites some records of a type.
    ///
    /// - Returns: The number of the last record; `nil` if none is left. And how many were rewritten.
    private func rewrite(
        _ type: RecordTypeDefinition, after position: RecordNumber, in transaction: WriteTransaction,
        _ budget: inout SliceBudget
    ) throws(RecordError) -> (end: RecordNumber?, count: Int) {
        // Later records were created with the new names.
        let last = type.renames?.sequence ?? 0
        var position = position
        var count = 0
        var owners: [ZoneID: UserID?] = [:]
        let scan = transaction.store.scan()
        defer { scan.finish() }
        while budget.hasMore, count < Self.recordsPerSlice {
            var rewrites: [Rewrite] = []
            var isAtEnd = false
            try scan.begin(after: position)
            while budget.hasMore, rewrites.count < Self.recordsAtOnce {
                guard let (cursor, zone) = try scan.next() else {
                    isAtEnd = true
                    break
                }
                position = cursor.record.id
                guard position.rawValue <= last else {
                    isAtEnd = true
                    break
                }
                budget.spend(touched: 1)
                let row = cursor.row
                guard !row.isDeleted, row.type == type.id,
                    // A damaged record stays as it is. The doctor reports it.
                    let view = try? StoredFieldsView(text: cursor.fields, layout: cursor.layout),
                    let fields = view.renamed(for: type)
                else { continue }
                let added = fields.text.count + fields.layout.count - view.text.count - view.layout.count
                rewrites.append(Rewrite(row: row, zone: zone, fields: fields, addedBytes: added))
            }
            scan.finish()
            for rewrite in rewrites {
                try transaction.records.setFields(
                    layout: rewrite.fields.layout, fields: rewrite.fields.text, record: rewrite.row.id)
                try note(rewrite, &owners, in: transaction)
            }
            count += rewrites.count
            budget.spend(0)
            if isAtEnd { return (nil, count) }
        }
        return (position, count)
    }

    /// Adds the change of a record's size to the usage of its owner.
    ///
    /// - Parameter owners: The owners of the private databases of zones; `nil` for zones of the public database.
    private func note(
        _ rewrite: Rewrite, _ owners: inout [ZoneID: UserID?], in transaction: WriteTransaction
    ) throws(RecordError) {
        guard rewrite.addedBytes != 0 else { return }
        let owner: UserID?
        if let known = owners[rewrite.zone] {
            owner = known
        } else {
            let address = try transaction.zones.address(of: rewrite.zone)
            owner = address.flatMap { $0.scope == 0 ? nil : $0.owner }
            owners[rewrite.zone] = .some(owner)
        }
        transaction.usage.noteUnchecked(
            Usage(bytes: Int64(rewrite.addedBytes)), of: owner ?? rewrite.row.creator, isPublic: owner == nil)
    }

    private func showAsJobs(_ rewritten: [TypeID: Int], in transaction: WriteTransaction) throws(RecordError) {
        let known = try transaction.store.jobs.unfinished(.renameFields)
        var left: [Int64: (done: Int64, total: Int64?)] = [:]
        for type in transaction.schema.types.values where type.hasFormerNames || rewritten[type.id] != nil {
            let done = known.first { $0.subject == type.id.rawValue }?.progress.done ?? 0
            left[type.id.rawValue] = (done + Int64(rewritten[type.id] ?? 0), nil)
        }
        func task(_ id: Int64) -> JSONValue {
            let name = transaction.schema[id: TypeID(rawValue: id)]?.name.text
            return ["recordType": name.map(JSONValue.string) ?? .null]
        }
        // The job of a finished type first gets its last number, then its end.
        try transaction.jobs.show(.renameFields, left: left, task: task)
        let unfinished = left.filter { transaction.schema[id: TypeID(rawValue: $0.key)]?.hasFormerNames ?? false }
        if unfinished.count != left.count { try transaction.jobs.show(.renameFields, left: unfinished, task: task) }
    }
}
