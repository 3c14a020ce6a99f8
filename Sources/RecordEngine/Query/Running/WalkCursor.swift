internal import RecordModel
internal import RecordStorage

/// Where one walk of a plan stands: on a record, or on an entry that tells a record's id.
///
/// It begins before the first one, or behind a place in the query's order.
final class WalkCursor {
    /// What it reads.
    enum Source {
        /// One open statement that stands on the records themselves, so that none is looked up by its id.
        ///
        /// Cursors that are open at once have different lanes.
        case joined(lane: Int)
        /// One open statement over keys and ids alone, in the walk's own order.
        case entries
        /// Keys and ids in chunks of so many or more, in the query's order, with no statement open between two of them.
        ///
        /// For ties that must be turned around, and for walks that are too many for statements of their own.
        case chunks(of: Int)
    }

    let part: QueryPart
    /// Whether it stands on records, and not on entries alone.
    let isJoined: Bool
    /// Whether each record is asked for a condition.
    let asks: Bool
    /// Whether a record is asked again if the key of its entry may be cut.
    private let rechecks: Bool
    /// Whether what it stands on are matches, whatever the records are.
    var isPlain: Bool { isJoined && !asks && !rechecks }
    private let walk: IndexWalk
    private let type: TypeID
    private let source: Source
    /// Whether the ids of one key must ascend although the keys are walked backward.
    private let turnsTies: Bool
    private let hasKeys: Bool
    /// The id behind the last one that is wanted; `nil` if the walk ends by itself.
    private let end: RecordNumber?

    /// What the next statement begins behind, in the direction of the walk; `nil` for the walk's beginning. In the order of
    /// ids the key is empty.
    private var position: (key: [UInt8], record: RecordNumber)?
    /// Whether it goes on behind `position` inside of that key, forward.
    private var isInKey = false
    /// Whether no further statement is to be opened.
    private var isLast = false
    /// Where the open statement stands.
    private var row: ScanCursor?
    /// The record, borrowed until it goes on; `nil` if it stands on an entry alone and has not looked it up.
    private(set) var record: RecordCursor?
    private var chunk = EntryBuffer()
    private var chunkSize = 0
    private var current = -1

    /// The most entries of one chunk.
    private static let largestChunk = 1_024

    /// The caller finishes.
    ///
    /// - Parameter place: Where to begin behind; `nil` for the beginning.
    init(
        _ walk: IndexWalk, of part: QueryPart, type: TypeID, order: QueryOrder, after place: QueryPlace?,
        reading source: Source
    ) {
        self.walk = walk
        self.part = part
        asks = part.asks
        self.type = type
        self.source = source
        if case .joined = source { isJoined = true } else { isJoined = false }
        turnsTies = walk.turnsTies(in: order)
        if case .index = walk.source { hasKeys = true } else { hasKeys = false }
        rechecks = hasKeys && part.whole != nil
        let bound = walk.isBackward ? walk.ids.above : walk.ids.below
        end = bound == .lowest || bound == .highest ? nil : bound
        if case .chunks(let size) = source { chunkSize = min(max(size, 4), Self.largestChunk) }
        begin(after: place)
    }

    private func begin(after place: QueryPlace?) {
        guard hasKeys else {
            position = place.map { ([], $0.record) }
            return
        }
        if walk.isOneKey {
            // All entries have one key; where to begin is a matter of ids alone.
            let ids = walk.ids(behind: place?.record)
            let id = walk.isBackward ? ids.below : ids.above
            if id != .lowest, id != .highest { position = (walk.lower, id) }
            return
        }
        guard let place else { return }
        let key = walk.key(of: place)
        let isBelow = key.lexicographicallyPrecedes(walk.lower)
        let isAbove = walk.upper.map { !key.lexicographicallyPrecedes($0) } ?? false
        if walk.isBackward ? isBelow : isAbove {
            isLast = true
        } else if !isBelow, !isAbove {
            position = (key, place.record)
            isInKey = turnsTies
        }
    }

    // MARK: Where it stands

    var id: RecordNumber { row?.id ?? chunk.records[current] }

    /// The place of what it stands on, in the query's order if the walk comes in that.
    var place: QueryPlace {
        guard hasKeys else { return QueryPlace(key: [], record: id) }
        return QueryPlace(
            key: row.map { walk.orderColumns(of: $0.key) } ?? walk.orderColumns(of: chunk.key(current)), record: id)
    }

    /// Whether the record is asked again, since the key of its entry may be cut.
    var mayBeCut: Bool {
        rechecks && IndexKey.mayBeCut(row?.keyLength ?? chunk.key(current).count)
    }

    // MARK: Going on

    /// Goes to the first record or entry, or to the next one. Each row that is read counts for the budget.
    ///
    /// - Returns: `false` at the end.
    func next(_ store: StoreReader, _ budget: QueryBudget) throws(RecordError) -> Bool {
        if !isJoined { leaveRecord() }
        if case .chunks = source { return try nextInChunk(store, budget) }
        let isThere = if let row { try row.next() } else { try begin(store) }
        if isThere, isWanted(id) {
            try budget.take(1)
            return true
        }
        finish()
        // A walk that meets nothing costs a search all the same.
        try budget.take(0)
        return false
    }

    /// Calls `body` for each record or entry from the beginning on, until it returns false. The statement of a joined walk is
    /// held outside of the loop: counted references would cost as much as a step.
    ///
    /// - Returns: `false` if `body` did.
    @inline(__always)
    func forEach(
        _ store: StoreReader, _ budget: QueryBudget, _ body: (WalkCursor, RecordCursor?) throws(RecordError) -> Bool
    ) throws(RecordError) -> Bool {
        guard try next(store, budget) else { return true }
        if let row, let record {
            let hasEnd = end != nil
            repeat {
                guard try body(self, record) else { return false }
                guard try row.next(), !hasEnd || isWanted(row.id) else { break }
                try budget.take(1)
            } while true
            return true
        }
        repeat {
            guard try body(self, nil) else { return false }
        } while try next(store, budget)
        return true
    }

    private func begin(_ store: StoreReader) throws(RecordError) -> Bool {
        if isLast { return false }
        isLast = true
        row = try open(store)
        if isJoined { record = row?.record }
        return row != nil
    }

    /// The record; that of an entry is looked up by its id.
    ///
    /// - Returns: `nil` if there is none.
    func lookUp(_ store: StoreReader, _ budget: QueryBudget) throws(RecordError) -> RecordCursor? {
        if isJoined { return record }
        try budget.take(1)
        record = try store.scanning.record(id)
        return record
    }

    /// Ends the borrowing of a record.
    private func leaveRecord() {
        record?.finish()
        record = nil
    }

    /// Ends its statements; to be called on every path.
    func finish() {
        leaveRecord()
        row?.finish()
        row = nil
    }

    /// Whether an id lies before the end.
    private func isWanted(_ id: @autoclosure () -> RecordNumber) -> Bool {
        guard let end else { return true }
        return walk.isBackward ? id() > end : id() < end
    }

    /// Stands on the first row behind `position`.
    private func open(_ store: StoreReader) throws(RecordError) -> ScanCursor? {
        let rows: ScanCursor.Rows = isJoined ? .records : .entries
        let lane = if case .joined(let lane) = source { lane } else { 0 }
        let ids = walk.ids(behind: position?.record)
        switch walk.source {
        case .index(let index):
            var range = IndexReading.KeyRange(lower: walk.lower, upper: walk.upper)
            // The least of the keys behind this one.
            if isInKey, let position { range.upper = position.key + [0] }
            return try store.indexes.scan(
                index.id, home: part.home, range, after: position, isBackward: walk.isBackward && !isInKey,
                reading: rows, lane: lane)
        case .name(let name):
            return try store.scanning.scan(home: part.home, type: type, name: name, within: (ids.above, ids.below))
        case .records, .creator:
            return try store.scanning.scan(
                home: part.home, type: type, creator: walk.source.creator, within: (ids.above, ids.below),
                isBackward: walk.isBackward, reading: rows, lane: lane)
        }
    }

    // MARK: Chunks

    private func nextInChunk(_ store: StoreReader, _ budget: QueryBudget) throws(RecordError) -> Bool {
        current += 1
        while current >= chunk.count {
            if isLast { return false }
            try fill(store)
            try budget.take(chunk.count)
        }
        return true
    }

    private func fill(_ store: StoreReader) throws(RecordError) {
        chunk.removeAll()
        current = 0
        if let row = try open(store) {
            defer { row.finish() }
            while isWanted(row.id) {
                chunk.append(hasKeys ? row.key : UnsafeRawBufferPointer(start: nil, count: 0), record: row.id)
                if chunk.count == chunkSize { break }
                guard try row.next() else { break }
            }
        }
        let isFull = chunk.count == chunkSize
        chunkSize = min(chunkSize * 4, Self.largestChunk)
        if isFull { position = chunk.last }
        if isInKey {
            guard !isFull else { return }
            // The keys before it follow.
            isInKey = false
            position?.record = .lowest
            return
        }
        isLast = !isFull
        guard turnsTies else { return }
        if isFull {
            // The last key may have more records than were read: they are read again, forward.
            chunk.removeLastRun()
            isInKey = true
            position?.record = .lowest
        }
        chunk.reverseRuns()
    }
}

extension IndexWalk {
    /// Whether an index is walked backward, and so hands out the records of one key by descending id, where the order wants
    /// ascending ones.
    func turnsTies(in order: QueryOrder) -> Bool {
        isBackward && order.isIDAscending && !order.isByID
    }

    /// Whether one statement hands out its records in the query's order.
    func canBeJoined(in order: QueryOrder) -> Bool {
        if case .name = source { return false }
        return !turnsTies(in: order)
    }

    /// The key that an entry at a place in the query's order has.
    fileprivate func key(of place: QueryPlace) -> [UInt8] {
        var key = Array(lower.prefix(prefixCount)) + place.key
        if isBackward { IndexKey.invert(&key, from: prefixCount) }
        return key
    }

    /// The columns of the query's order in the key of an entry.
    fileprivate func orderColumns(of key: some Collection<UInt8>) -> [UInt8] {
        var columns = Array(key.dropFirst(prefixCount))
        if isBackward { IndexKey.invert(&columns) }
        return columns
    }

    /// The ids that are wanted behind one of them, in the direction of the walk.
    fileprivate func ids(behind record: RecordNumber?) -> IDRange {
        guard let record else { return ids }
        var rest = ids
        if isBackward { rest.below = min(ids.below, record) } else { rest.above = max(ids.above, record) }
        return rest
    }
}
