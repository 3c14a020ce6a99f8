internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Fills the new indexes of one type from existing records. Also collects the reasons why indexes fail.
final class IndexBackfill {
    let type: RecordTypeDefinition
    var indexes: [IndexDefinition]
    /// The indexes that cannot be built, each with its reason.
    private(set) var failures: [IndexID: String] = [:]
    private var key: [UInt8] = []
    private var keys = KeyList()

    init(_ type: RecordTypeDefinition, _ indexes: [IndexDefinition] = []) {
        self.type = type
        self.indexes = indexes
    }

    /// Appends the index entries of one record to `runs`. A record whose stored form is damaged gets no entries,
    /// because it cannot be read. The doctor reports such records.
    ///
    /// - Throws: Storage errors. If an index cannot hold the record, the index is added to `failures` instead.
    func gather(
        _ cursor: RecordRowCursor, _ row: RecordRow, zone: ZoneID, into runs: IndexSortedRuns,
        in transaction: WriteTransaction
    ) throws(RecordError) {
        let record: IndexedRecord
        do { record = try IndexedRecord(cursor.record) } catch { return }
        let homes = try transaction.indexes.homes(of: row, zone: zone)
        var memberEntries = 0
        for index in indexes where failures[index.id] == nil {
            switch index.kind {
            case .widening:
                guard let field = index.checkedField else { continue }
                let fits: Bool
                do { fits = try record.equalsDouble(inField: field) } catch { continue }
                if fits { continue }
                let name = try shown(row.id, zone, in: transaction)
                failures[index.id] = .noDouble(name, type.columnNames(of: index).first ?? "")
            case .ordered:
                let traits: IndexKeyTraits
                key.removeAll(keepingCapacity: true)
                do { traits = try record.appendKey(of: index, to: &key) } catch { continue }
                let isUnique = index.isUnique && traits.isComplete
                if isUnique, let column = traits.truncatedColumn {
                    let name = try shown(row.id, zone, in: transaction)
                    failures[index.id] = .textTooLong(name, type.columnNames(of: index)[column])
                    continue
                }
                homes.forEach { home in
                    runs.append(
                        key, index: index.id, home: home, record: row.id, zone: zone, isUnique: isUnique)
                }
            case .members, .parts, .places, .words:
                keys.removeAll()
                do { try record.appendKeys(of: index, to: &keys) } catch { continue }
                guard keys.count <= Limits.indexedMembers else {
                    let name = try shown(row.id, zone, in: transaction)
                    failures[index.id] = .tooManyMembers(name, type.columnNames(of: index).first ?? "")
                    continue
                }
                memberEntries += keys.count * homes.count
                guard memberEntries <= Limits.memberEntries else {
                    let name = try shown(row.id, zone, in: transaction)
                    failures[index.id] = .tooManyEntries(name, type.columnNames(of: index).first ?? "")
                    continue
                }
                // Append the entries in the order in which runs are sorted.
                homes.forEach { home in
                    for position in keys.indices {
                        runs.append(
                            keys[position], index: index.id, home: home, record: row.id, zone: zone, isUnique: false,
                            payload: index.kind.hasPayloads ? keys.payload(position) : nil)
                    }
                }
            }
        }
    }

    /// Inserts an entry into its index table, unless the index has failed. If a UNIQUE index already has the key, the
    /// index is added to `failures`.
    ///
    /// - Throws: Storage errors.
    func insert(
        _ entry: IndexSortedRuns.Entry, of runs: IndexSortedRuns, in transaction: WriteTransaction
    ) throws(RecordError) {
        if !failures.isEmpty, failures[entry.index] != nil { return }
        if entry.isUnique, let other = try other(entry, of: runs, in: transaction) {
            let names = indexes.first { $0.id == entry.index }.map(type.columnNames) ?? []
            let name = try shown(entry.record, entry.zone, in: transaction)
            let otherName = try shown(other, entry.zone, in: transaction)
            failures[entry.index] = .duplicates(name.flatMap { name in otherName.map { (name, $0) } }, names)
            return
        }
        try runs.withKey(of: entry) { key throws(RecordError) in
            try transaction.indexes.table.insert(
                home: entry.home, key: key, record: entry.record, payload: entry.payload, into: entry.index)
        }
    }

    /// Finds another record with the same key.
    private func other(
        _ entry: IndexSortedRuns.Entry, of runs: IndexSortedRuns, in transaction: WriteTransaction
    ) throws(RecordError) -> RecordNumber? {
        // The type may have received its first access list after the entries were gathered.
        let type = transaction.schema[id: type.id] ?? type
        return try runs.withKey(of: entry) { key throws(RecordError) in
            try transaction.indexes.otherRecord(
                zone: entry.zone, key: key, than: entry.record, in: entry.index, of: type)
        }
    }

    /// The record name for the failure reason; `nil` in a private database.
    private func shown(
        _ record: RecordNumber, _ zone: ZoneID, in transaction: WriteTransaction
    ) throws(RecordError) -> String? {
        guard try transaction.zones.isPublic(zone) else { return nil }
        return String(decoding: try transaction.records.find(id: record)?.name ?? [], as: UTF8.self)
    }
}

/// The reasons why an index cannot be built, as sentences for administrators, because only they can read the schema.
/// Most administrators may not enter private databases, so these sentences do not name records there.
extension String {
    fileprivate static func duplicates(_ names: (String, String)?, _ fields: [String]) -> String {
        let homes = fields.map { "'\($0)'" }.joined(separator: ", ")
        let records = names.map { "The records '\($0.0)' and '\($0.1)'" } ?? "Two records of a private database"
        return "\(records) have the same value in \(homes). Change one of them, then add the index again"
    }

    private static func record(_ name: String?) -> String {
        name.map { "The record '\($0)'" } ?? "A record of a private database"
    }

    fileprivate static func textTooLong(_ name: String?, _ field: String) -> String {
        "\(record(name)) has a text in '\(field)' that is longer than the \(IndexKey.textBytes) bytes which a UNIQUE index compares. Shorten it, then add the index again"
    }

    fileprivate static func noDouble(_ name: String?, _ field: String) -> String {
        "\(record(name)) has a number in '\(field)' that no DOUBLE equals: beyond 2^53 not every whole number is one. Change it, then try again"
    }

    fileprivate static func tooManyEntries(_ name: String?, _ field: String) -> String {
        "\(record(name)) would have more than \(Limits.memberEntries) entries in indexes of lists with '\(field)': each distinct member is one, and one more for every reader in its access list. Shorten the list or the access list, then add the index again"
    }

    fileprivate static func tooManyMembers(_ name: String?, _ field: String) -> String {
        "\(record(name)) has more than \(Limits.indexedMembers) distinct members in '\(field)'. Shorten the list, then add the index again"
    }
}
