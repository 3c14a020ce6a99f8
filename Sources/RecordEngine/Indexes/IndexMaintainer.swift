internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Brings the indexes of a type from a record's old state to its new one.
///
/// In two steps, so that whoever writes by a single statement learns first whether there is more to write: `prepare`
/// makes the keys, compares them and refuses what a UNIQUE index does not allow; `write` changes the tables. Indexes
/// that are being built are kept up to date like ready ones; failed ones are left alone.
///
/// Confined to the writer's thread.
final class IndexMaintainer {
    private struct Change {
        let index: IndexID
        let isInsertion: Bool
        let home: RowHome
        let record: RecordNumber
        /// Where the key lies in `keys`.
        let key: Range<Int>
    }

    let table: IndexTable
    private let audiences: AudienceTable
    /// The stretch of records that is on its way into new indexes.
    var load: IndexLoad?
    private var keys: [UInt8] = []
    private var changes: [Change] = []
    /// The keys that another record had when `prepare` looked, which the caller of it asks for again later.
    private(set) var duplicates: [Duplicate] = []

    /// A key of a UNIQUE index that two records have for the time being.
    struct Duplicate {
        let index: IndexDefinition
        let key: [UInt8]
    }

    /// Buffers beyond this many bytes are not kept.
    private static let keptBytes = 1 << 20

    init(_ table: IndexTable, audiences: AudienceTable) {
        self.table = table
        self.audiences = audiences
    }

    /// Finds out what a write means for the indexes of its record's type.
    ///
    /// - Parameters:
    ///   - zone: Of the record: UNIQUE holds within it, whoever may read.
    ///   - old: The record as it is stored, and where its entries stand; `nil` for one that is being made.
    ///   - new: The record as it will be, and where its entries will stand; `nil` for one that goes.
    ///   - unread: Fields that the caller writes and does not read: how much changes in them is not told.
    ///   - memberEntries: Counts the entries that the request brings into indexes of lists.
    ///   - defersUnique: Whether `duplicates` has what a UNIQUE index does not allow, instead of a refusal.
    /// - Returns: Whether there is something to write.
    /// - Throws: `EXISTS` with the cause UNIQUE_VIOLATION; `BAD_REQUEST` with the cause TOO_LARGE for a text that a UNIQUE
    ///   index cannot compare, or for lists with too many members.
    func prepare(
        _ type: RecordTypeDefinition, zone: ZoneID, record: RecordNumber,
        old: (record: IndexedRecord, places: RecordPlaces)?,
        new: (record: IndexedRecord, places: RecordPlaces)?, unread: Set<Int>, memberEntries: inout Int,
        defersUnique: Bool = false
    ) throws(RecordError) -> Bool {
        if keys.capacity > Self.keptBytes { keys = [] }
        keys.removeAll(keepingCapacity: true)
        changes.removeAll(keepingCapacity: true)
        duplicates.removeAll(keepingCapacity: true)
        for index in type.maintainedIndexes {
            if case .failed = index.state { continue }
            switch index.kind {
            case .ordered:
                let before = try old.map { old throws(RecordError) in try append(old.record, index).key }
                guard let new else {
                    if let before { note(index, record, before, from: old?.places) }
                    continue
                }
                let (after, traits) = try append(new.record, index)
                if let before, isSame(before, after) {
                    if old?.places == new.places {
                        keys.removeSubrange(before.lowerBound...)
                    } else {
                        note(index, record, before, from: old?.places, to: new.places)
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
                if let before { note(index, record, before, from: old?.places) }
                note(index, record, after, to: new.places)
            case .members:
                try prepareMembers(index, of: type, record: record, old: old, new: new, unread, &memberEntries)
            case .widening:
                // What stands there unchanged has been looked at, or will be.
                guard let new, let field = index.checkedField,
                    old.map({ new.record.mayDiffer(from: $0.record, inField: field) }) ?? true,
                    try !new.record.equalsDouble(inField: field)
                else { continue }
                throw .noDouble(type.columnNames(of: index).first ?? "", type: type.name)
            }
        }
        return !changes.isEmpty
    }

    /// Writes what `prepare` has found, and forgets it.
    func write() throws(RecordError) {
        defer { changes.removeAll(keepingCapacity: true) }
        for change in changes {
            try keys.withUnsafeBufferPointer { keys throws(RecordError) in
                let key = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: keys[change.key]))
                if change.isInsertion {
                    try table.insert(home: change.home, key: key, record: change.record, into: change.index)
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
        guard left.count == right.count else { return false }
        return keys.withUnsafeBytes { keys in keys[left].elementsEqual(keys[right]) }
    }

    /// Notes what brings one entry from some places to others; in those that are on both sides it stays.
    private func note(
        _ index: IndexDefinition, _ record: RecordNumber, _ key: Range<Int>, from old: RecordPlaces? = nil,
        to new: RecordPlaces? = nil
    ) {
        load?.note(changeOf: record, in: index.id)
        old?.forEach { home in
            if new?.contains(home) == true { return }
            changes.append(Change(index: index.id, isInsertion: false, home: home, record: record, key: key))
        }
        new?.forEach { home in
            if old?.contains(home) == true { return }
            changes.append(Change(index: index.id, isInsertion: true, home: home, record: record, key: key))
        }
    }

    /// The members that came and those that went.
    private func prepareMembers(
        _ index: IndexDefinition, of type: RecordTypeDefinition, record: RecordNumber,
        old: (record: IndexedRecord, places: RecordPlaces)?, new: (record: IndexedRecord, places: RecordPlaces)?,
        _ unread: Set<Int>, _ memberEntries: inout Int
    ) throws(RecordError) {
        // Who does not read the list is charged for all that it sends: else what is charged would tell what stood there.
        var isUnread = false
        if case .field(let field)? = index.columns.first?.source {
            isUnread = unread.contains(field)
            if !isUnread, let old, let new, old.places == new.places,
                !new.record.mayDiffer(from: old.record, inField: field)
            {
                return
            }
        }
        let before = try old?.record.keys(of: index) ?? []
        let after = try new?.record.keys(of: index) ?? []
        guard after.count <= Limits.indexedMembers else {
            throw .tooManyIndexedMembers(type.columnNames(of: index).first ?? "", type: type.name)
        }
        if isUnread {
            memberEntries += after.count * (new?.places.count ?? 0)
            guard memberEntries <= Limits.memberEntries else { throw .tooManyMemberEntries(type.name) }
        }
        var left = before[...]
        var right = after[...]
        while let key = [left.first, right.first].compactMap({ $0 }).min(by: { $0.lexicographicallyPrecedes($1) }) {
            let isOld = left.first == key
            let isNew = right.first == key
            if isOld { left.removeFirst() }
            if isNew { right.removeFirst() }
            if isOld, isNew, old?.places == new?.places { continue }
            let start = keys.count
            keys.append(contentsOf: key)
            let known = changes.count
            note(
                index, record, start..<keys.count, from: isOld ? old?.places : nil, to: isNew ? new?.places : nil)
            if isUnread { continue }
            memberEntries += changes[known...].count(where: \.isInsertion)
            guard memberEntries <= Limits.memberEntries else { throw .tooManyMemberEntries(type.name) }
        }
    }

    /// Whether another record has a key of a UNIQUE index.
    private func hasOther(
        _ index: IndexDefinition, of type: RecordTypeDefinition, _ traits: IndexKeyTraits, _ key: Range<Int>,
        zone: ZoneID, record: RecordNumber
    ) throws(RecordError) -> Bool {
        // As in SQL, what is absent equals nothing.
        guard traits.isComplete else { return false }
        if let column = traits.cutColumn {
            throw .textTooLongForUnique(type.columnNames(of: index)[column], type: type.name)
        }
        return try keys.withUnsafeBufferPointer { keys throws(RecordError) in
            try otherRecord(
                zone: zone, key: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: keys[key])), than: record,
                in: index.id, of: type)
        } != nil
    }

    /// Some other record of a zone that has a key, with or without an access list.
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

    /// Where a record stands, or will stand; audiences that it is the first of are made.
    func places(of row: RecordRow, zone: ZoneID) throws(RecordError) -> RecordPlaces {
        guard let access = row.access else { return RecordPlaces(zone: zone) }
        return RecordPlaces(
            everything: try audiences.ensure(zone: zone, .everything),
            readers: try StoredAccess.readers(access).map { reader throws(RecordError) in
                try audiences.ensure(zone: zone, .principal(reader))
            })
    }
}
