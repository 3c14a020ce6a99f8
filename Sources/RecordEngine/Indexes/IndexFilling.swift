internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The new indexes of one type on the way through its records.
final class IndexFilling {
    let type: RecordTypeDefinition
    var indexes: [IndexDefinition]
    /// Why some of them cannot be built.
    private(set) var failures: [Int64: String] = [:]
    /// The records of the type so far.
    private(set) var records = 0
    /// The entries made so far.
    private(set) var entries = 0
    private var key: [UInt8] = []

    init(_ type: RecordTypeDefinition, _ indexes: [IndexDefinition] = []) {
        self.type = type
        self.indexes = indexes
    }

    /// Adds the entries of one record. A record whose stored form is damaged gets none: nobody can read it, and the doctor
    /// tells of it.
    func add(
        _ cursor: RecordRowCursor, _ row: RecordRow, zone: Int64, in transaction: WriteTransaction
    ) throws(RecordError) {
        records += 1
        let record: IndexedRecord
        do { record = try IndexedRecord(cursor.record) } catch { return }
        let places = try transaction.places(of: row, zone: zone)
        for index in indexes where failures[index.id] == nil {
            switch index.kind {
            case .ordered:
                let traits: IndexKeyTraits
                key.removeAll(keepingCapacity: true)
                do { traits = try record.appendKey(of: index, to: &key) } catch { continue }
                if index.isUnique, traits.isComplete {
                    let names = type.columnNames(of: index)
                    if let column = traits.cutColumn {
                        failures[index.id] = .textTooLong(try shown(cursor, zone, in: transaction), names[column])
                        continue
                    }
                    if let other = try other(row.id, zone, index, in: transaction) {
                        let name = try shown(cursor, zone, in: transaction)
                        failures[index.id] = .duplicates(name.map { ($0, other) }, names)
                        continue
                    }
                }
                try insert(key, row.id, places, index, in: transaction)
            case .members:
                let keys: [[UInt8]]
                do { keys = try record.keys(of: index) } catch { continue }
                guard keys.count <= Limits.indexedMembers else {
                    failures[index.id] = .tooManyMembers(
                        try shown(cursor, zone, in: transaction), type.columnNames(of: index).first ?? "")
                    continue
                }
                for key in keys { try insert(key, row.id, places, index, in: transaction) }
            }
        }
    }

    private func insert(
        _ key: [UInt8], _ record: Int64, _ places: RecordPlaces, _ index: IndexDefinition,
        in transaction: WriteTransaction
    ) throws(RecordError) {
        try transaction.store { () throws(StoreError) in
            try key.withUnsafeBufferPointer { key throws(StoreError) in
                try places.forEach { place throws(StoreError) in
                    entries += 1
                    try transaction.indexes.table.insert(
                        zone: place, key: UnsafeRawBufferPointer(key), record: record, into: index.id)
                }
            }
        }
    }

    /// The name of another record with the same key.
    private func other(
        _ record: Int64, _ zone: Int64, _ index: IndexDefinition, in transaction: WriteTransaction
    ) throws(RecordError) -> String? {
        try transaction.store { () throws(StoreError) in
            let found = try key.withUnsafeBufferPointer { key throws(StoreError) in
                try transaction.otherRecord(
                    zone: zone, key: UnsafeRawBufferPointer(key), than: record, in: index.id, of: type)
            }
            guard let found else { return nil }
            return String(decoding: try transaction.records.find(id: found)?.name ?? [], as: UTF8.self)
        }
    }

    /// The name of the record under a cursor, where administrators may know it; `nil` in a private database.
    private func shown(
        _ cursor: RecordRowCursor, _ zone: Int64, in transaction: WriteTransaction
    ) throws(RecordError) -> String? {
        let isPublic = try transaction.store { () throws(StoreError) in try transaction.zones.isPublic(zone) }
        return isPublic ? String(decoding: cursor.name, as: UTF8.self) : nil
    }
}

/// Why an index cannot be built, in sentences for administrators, who alone read the schema. Most of them may not enter
/// private databases, so that no name of a record there is told.
extension String {
    fileprivate static func duplicates(_ names: (String, String)?, _ fields: [String]) -> String {
        let places = fields.map { "'\($0)'" }.joined(separator: ", ")
        let records = names.map { "The records '\($0.0)' and '\($0.1)'" } ?? "Two records of a private database"
        return "\(records) have the same value in \(places). Change one of them, then put the schema again"
    }

    private static func record(_ name: String?) -> String {
        name.map { "The record '\($0)'" } ?? "A record of a private database"
    }

    fileprivate static func textTooLong(_ name: String?, _ field: String) -> String {
        "\(record(name)) has a text in '\(field)' that is longer than the \(IndexKey.textBytes) bytes which a UNIQUE index compares. Shorten it, then put the schema again"
    }

    fileprivate static func tooManyMembers(_ name: String?, _ field: String) -> String {
        "\(record(name)) has more than \(Limits.indexedMembers) distinct members in '\(field)'. Shorten the list, then put the schema again"
    }
}
