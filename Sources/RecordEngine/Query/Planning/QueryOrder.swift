internal import Glibc
internal import RecordModel
internal import TextSearch

/// The total order of a query's result: first the key columns, then the internal id.
///
/// A position in this order consists of the encoded columns (`IndexKey`) and the id. A cursor stores such a position.
struct QueryOrder: Hashable, Sendable {
    /// The sort terms that precede the id.
    var columns: [SortTerm]
    /// Whether ids ascend. If the sort contains `createdTimestamp`, ids have the same direction as `createdTimestamp`.
    var isIDAscending: Bool

    /// - Parameters:
    ///   - constants: The fields with the same value in all matches. Sorting by them has no effect.
    ///   - createdFollowsIDs: Whether the creation time never decreases as ids ascend.
    init(_ sort: [SortTerm], constants: Set<IndexedField> = [], createdFollowsIDs: Bool) {
        // A sort has few terms, so a linear search costs less than a set.
        let terms = sort.enumerated().filter { position, term in
            !constants.contains(term.indexedField)
                && !sort[..<position].contains { $0.indexedField == term.indexedField }
        }.map(\.element)
        isIDAscending = sort.areIDsAscending
        // If the creation time ascends with ids and is the last term, sorting by id gives the same order.
        let isByID = createdFollowsIDs && terms.last?.field == .system(.createdTimestamp)
        columns = isByID ? Array(terms.dropLast()) : terms
    }

    /// The opposite order.
    var reversed: QueryOrder {
        var order = self
        order.isIDAscending.toggle()
        for position in columns.indices {
            order.columns[position].isAscending.toggle()
            order.columns[position].nulls = columns[position].nulls == .first ? .last : .first
        }
        return order
    }

    /// Whether the first of several columns is the creation time. If the creation time ascends with ids, records sorted
    /// by id are in this order, except within one millisecond.
    var isByTimeFirst: Bool { columns.first?.field == .system(.createdTimestamp) }

    /// Makes use of the fields that all matches have. The place of records that lack such a field is of no account, so
    /// that an index can return the order.
    mutating func settle(present: Set<IndexedField>) {
        for position in columns.indices where present.contains(columns[position].indexedField) {
            let isAscending = columns[position].isAscending
            columns[position].nulls = isAscending ? .first : .last
        }
    }

    /// A digest of the columns and of the fields that they compare, and of their directions; 0 without columns. A position
    /// in an order of one shape has a meaning in no other order. The digest is stable, because cursors contain it.
    ///
    /// - Parameter ranked: The searches that count for the rank.
    func shape(_ ranked: [SearchCondition]) -> Int64 {
        guard !isByID else { return 0 }
        // FNV-1a over numbers instead of bytes.
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ number: Int) { digest = (digest ^ UInt64(bitPattern: Int64(number))) &* 0x100_0000_01B3 }
        func add(_ field: FieldDefinition) {
            add(field.id)
            for byte in field.type.schemaName.utf8 { add(Int(byte)) }
        }
        for column in columns {
            add(column.isAscending ? 1 : 2)
            add(column.isAbsentGreatest ? 1 : 2)
            for byte in column.form.folding.modifiers.utf8 { add(Int(byte)) }
            switch column.field {
            case .field(let field), .distance(let field, _): add(field)
            case .system(let field): for byte in field.name.description.utf8 { add(Int(byte)) }
            case .rank:
                for search in ranked {
                    add(search.words.words.count)
                    for field in search.fields { add(field) }
                }
            }
        }
        return Int64(bitPattern: digest)
    }

    /// Whether the query sorts by id alone.
    var isByID: Bool { columns.isEmpty }
}

/// The position of a record in the order of a query.
struct QueryPosition: Hashable, Sendable {
    /// The columns of the order, encoded by `IndexKey`.
    var key: [UInt8]
    var record: RecordNumber

    /// The position in the opposite order.
    var reversed: QueryPosition {
        var position = self
        IndexKey.invert(&position.key)
        return position
    }

    func precedes(_ other: QueryPosition, in order: QueryOrder) -> Bool {
        let difference = key.withUnsafeBytes { mine in
            other.key.withUnsafeBytes { theirs in
                let count = min(mine.count, theirs.count)
                guard count > 0, let left = mine.baseAddress, let right = theirs.baseAddress else { return Int32(0) }
                return memcmp(left, right, count)
            }
        }
        if difference != 0 { return difference < 0 }
        if key.count != other.key.count { return key.count < other.key.count }
        return order.isIDAscending ? record < other.record : record > other.record
    }
}
