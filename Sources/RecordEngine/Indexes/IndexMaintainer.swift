internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Updates the entries in a type's indexes when a record changes.
///
/// An update has two steps, so that a write by a single statement learns first whether index entries must also be
/// written. `prepare` computes and compares the keys in the indexes whose columns may have changed, and rejects violations
/// of a UNIQUE index. `write` changes the tables. Indexes that are being built are maintained like ready indexes. Failed
/// indexes are not maintained.
///
/// Only the writer's thread may use a maintainer.
final class IndexMaintainer {
    private struct Change {
        let index: IndexID
        let isInsertion: Bool
        let home: RowHome
        let record: RecordNumber
        /// The position of the key's bytes in `keys`.
        let key: Range<Int>
        /// The payload of an inserted entry; `nil` in indexes without payloads.
        let payload: Int64?
    }

    let table: IndexTable
    private let audiences: AudienceTable
    /// The bulk load that is filling new indexes; `nil` if there is none.
    var load: IndexBulkLoad?
    private var keys: [UInt8] = []
    private var changes: [Change] = []
    /// The keys of a record in an index with many entries, before and after a write.
    private var (before, after) = (KeyList(), KeyList())
    /// The UNIQUE keys that another record had during `prepare`. The caller of `prepare` checks these keys again later.
    private(set) var duplicates: [Duplicate] = []

    /// A key of a UNIQUE index. Two records may share it until the deferred check.
    struct Duplicate {
        let index: IndexDefinition
        let key: [UInt8]
    }

    /// The maximum size in bytes of a buffer that is kept for the next write.
    private static let keptBytes = 1 << 20

    init(_ table: IndexTable, audiences: AudienceTable) {
        self.table = table
        self.audiences = audiences
    }

    /// Determines which index entries a write to a record removes and inserts.
    ///
    /// - Parameters:
    ///   - zone: The zone of the record. A UNIQUE index applies to all records of the zone, also to records that the
    ///     caller cannot read.
    ///   - old: The stored record and the homes of its entries; `nil` if the write creates the record.
    ///   - new: The record after the write and the homes of its entries; `nil` if the write deletes the record.
    ///   - unread: The fields that the caller writes but may not read. The caller must not learn how much changes in
    ///     them.
    ///   - memberEntries: Counts the entries that the request adds to indexes on lists.
    ///   - defersUnique: Whether to collect violations of a UNIQUE index in `duplicates` instead of throwing an error.
    /// - Returns: Whether `write` has something to do.
    /// - Throws: EXISTS with cause UNIQUE_VIOLATION; BAD_REQUEST with cause TOO_LARGE for a text that a UNIQUE index
    ///   cannot compare, or for lists with too many members; BAD_REQUEST with cause TYPE_MISMATCH for a number that no
    ///   DOUBLE equals, in a field that is becoming a DOUBLE.
    func prepare(
        _ type: RecordTypeDefinition, zone: ZoneID, record: RecordNumber,
        old: (record: IndexedRecord, homes: RecordHomes)?,
        new: (record: IndexedRecord, homes: RecordHomes)?, unread: Set<Int>, memberEntries: inout Int,
        defersUnique: Bool = false
    ) throws(RecordError) -> Bool {
        if keys.capacity > Self.keptBytes { keys = [] }
        if before.size + after.size > Self.keptBytes { (before, after) = (KeyList(), KeyList()) }
        keys.removeAll(keepingCapacity: true)
        changes.removeAll(keepingCapacity: true)
        duplicates.removeAll(keepingCapacity: true)
        let columns: IndexedChanges? =
            if let old, let new { IndexedChanges(from: old.record, to: new.record) } else { nil }
        let isMoved = old?.homes != new?.homes
        for index in type.maintainedIndexes {
            if case .failed = index.state { continue }
            let mayChange = columns?.mayChange(index) ?? true
            switch index.kind {
            case .ordered:
                if !mayChange, !isMoved { continue }
                let before = try old.map { old throws(RecordError) in try append(old.record, index).key }
                guard let new else {
                    if let before { note(index, record, before, from: old?.homes) }
                    continue
                }
                let (after, traits) = try append(new.record, index)
                if let before, isSame(before, after) {
                    if old?.homes == new.homes {
                        keys.removeSubrange(before.lowerBound...)
                    } else {
                        note(index, record, before, from: old?.homes, to: new.homes)
                    }
                    continue
                }
                if index.isUnique,
                    try hasOther(index, of: type, traits, after, zone: zone, record: record)
                {
                    guard defersUnique else {
                        throw .uniqueViolation(type.columnNames(of: index), type: type.name)
                    }
                    duplicates.append(Duplicate(index: index, key: Array(keys[after])))
                }
                if let before { note(index, record, before, from: old?.homes) }
                note(index, record, after, to: new.homes)
            case .members, .parts, .places, .words:
                try prepareMany(
                    index, of: type, record: record, old: old, new: new, isKept: !mayChange && !isMoved, unread,
                    &memberEntries)
            case .widening:
                // The build has checked an unchanged value, or will check it.
                guard mayChange, let new, let field = index.checkedField,
                    try !new.record.equalsDouble(inField: field)
                else { continue }
                throw .noDouble(type.columnNames(of: index).first ?? "", type: type.name)
            }
        }
        return !changes.isEmpty
    }

    /// Writes the changes that `prepare` found, and clears them.
    ///
    /// - Throws: Storage errors.
    func write() throws(RecordError) {
        defer { changes.removeAll(keepingCapacity: true) }
        for change in changes {
            try keys.withUnsafeBufferPointer { keys throws(RecordError) in
                let key = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: keys[change.key]))
                if change.isInsertion {
                    try table.insert(
                        home: change.home, key: key, record: change.record, payload: change.payload, into: change.index)
                } else {
                    try table.remove(home: change.home, key: key, record: change.record, from: change.index)
                }
            }
        }
    }

    private func append(
        _ record: IndexedRecord, _ index: IndexDefinition
    ) throws(RecordError) -> (key: Range<Int>, traits: IndexKeyTraits) {
        let start = keys.count
        let traits = try record.appendKey(of: index, to: &keys)
        return (start..<keys.count, traits)
    }

    private func isSame(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        keys.withUnsafeBytes { keys in
            UnsafeRawBufferPointer(rebasing: keys[left]).hasSameBytes(as: UnsafeRawBufferPointer(rebasing: keys[right]))
        }
    }

    /// Notes the removals and insertions that move an entry from its old homes to its new ones. Homes that are in both
    /// lists stay unchanged, unless the payload changes.
    private func note(
        _ index: IndexDefinition, _ record: RecordNumber, _ key: Range<Int>, from old: RecordHomes? = nil,
        to new: RecordHomes? = nil, payload: Int64? = nil, isNewPayload: Bool = false
    ) {
        load?.note(changeOf: record, in: index.id)
        old?.forEach { home in
            if new?.contains(home) == true { return }
            changes.append(
                Change(index: index.id, isInsertion: false, home: home, record: record, key: key, payload: nil))
        }
        new?.forEach { home in
            if !isNewPayload, old?.contains(home) == true { return }
            changes.append(
                Change(
                    index: index.id, isInsertion: true, home: home, record: record, key: key, payload: payload))
        }
    }

    /// Notes the removals and insertions for the members of a list, the parts of a text or the places of a record.
    ///
    /// - Parameter isKept: Whether the entries stay as they are.
    private func prepareMany(
        _ index: IndexDefinition, of type: RecordTypeDefinition, record: RecordNumber,
        old: (record: IndexedRecord, homes: RecordHomes)?, new: (record: IndexedRecord, homes: RecordHomes)?,
        isKept: Bool, _ unread: Set<Int>, _ memberEntries: inout Int
    ) throws(RecordError) {
        // A caller that may not read the list is charged for all members that it sends. A charge for the changed
        // members only would reveal the old members.
        var isUnread = false
        if case .field(let field)? = index.columns.first?.source {
            isUnread = unread.contains(field)
        }
        if isKept, !isUnread { return }
        before.removeAll()
        after.removeAll()
        try old?.record.appendKeys(of: index, to: &before)
        try new?.record.appendKeys(of: index, to: &after)
        guard after.count <= Limits.indexedMembers else {
            throw .tooManyIndexedMembers(type.columnNames(of: index).first ?? "", type: type.name)
        }
        if isUnread {
            memberEntries += after.count * (new?.homes.count ?? 0)
            guard memberEntries <= Limits.memberEntries else { throw .tooManyMemberEntries(type.name) }
        }
        var (left, right) = (0, 0)
        while left < before.count || right < after.count {
            // Both lists are sorted.
            let (isOld, isNew): (Bool, Bool) =
                if left == before.count {
                    (false, true)
                } else if right == after.count {
                    (true, false)
                } else if before[left] == after[right] {
                    (true, true)
                } else {
                    before[left].lexicographicallyPrecedes(after[right]) ? (true, false) : (false, true)
                }
            defer {
                if isOld { left += 1 }
                if isNew { right += 1 }
            }
            let payload = isNew && index.kind.hasPayloads ? after.payload(right) : nil
            let isNewPayload = isOld && isNew && payload != nil && payload != before.payload(left)
            if isOld, isNew, !isNewPayload, old?.homes == new?.homes { continue }
            let start = keys.count
            keys.append(contentsOf: isOld ? before[left] : after[right])
            let known = changes.count
            note(
                index, record, start..<keys.count, from: isOld ? old?.homes : nil, to: isNew ? new?.homes : nil,
                payload: payload, isNewPayload: isNewPayload)
            if isUnread { continue }
            memberEntries += changes[known...].count(where: \.isInsertion)
            guard memberEntries <= Limits.memberEntries else { throw .tooManyMemberEntries(type.name) }
        }
    }

    /// Whether another record has the same key in a UNIQUE index.
    private func hasOther(
        _ index: IndexDefinition, of type: RecordTypeDefinition, _ traits: IndexKeyTraits, _ key: Range<Int>,
        zone: ZoneID, record: RecordNumber
    ) throws(RecordError) -> Bool {
        // As in SQL, an absent value does not equal any value.
        guard traits.isComplete else { return false }
        if let column = traits.truncatedColumn {
            throw .textTooLongForUnique(type.columnNames(of: index)[column], type: type.name)
        }
        return try keys.withUnsafeBufferPointer { keys throws(RecordError) in
            try otherRecord(
                zone: zone, key: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: keys[key])), than: record,
                in: index.id, of: type)
        } != nil
    }

    /// Finds another record of the zone with the same key, with or without an access list.
    func otherRecord(
        zone: ZoneID, key: UnsafeRawBufferPointer, than record: RecordNumber, in index: IndexID,
        of type: RecordTypeDefinition
    ) throws(RecordError) -> RecordNumber? {
        if let other = try table.otherRecord(home: .zone(zone), key: key, than: record, in: index) { return other }
        guard type.hasAccessLists,
            let listed = try audiences.find(zone: zone, .everything)
        else { return nil }
        return try table.otherRecord(home: .audience(listed), key: key, than: record, in: index)
    }

    /// Returns the homes of a record's entries. Creates missing audiences.
    func homes(of row: RecordRow, zone: ZoneID) throws(RecordError) -> RecordHomes {
        guard let access = row.access else { return RecordHomes(zone: zone) }
        return RecordHomes(
            everything: try audiences.ensure(zone: zone, .everything),
            readers: try StoredAccess.readers(access).map { reader throws(RecordError) in
                try audiences.ensure(zone: zone, .principal(reader))
            })
    }
}
