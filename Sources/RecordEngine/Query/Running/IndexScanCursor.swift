internal import RecordModel
internal import RecordStorage

/// The cursor of one index scan in a plan. The current row is either a record, or an index entry with a record id.
///
/// A new cursor is before the first row, or at a given position in the query's order.
final class IndexScanCursor {
    /// How the cursor reads rows.
    enum Source {
        /// One open statement that returns whole records, so no record is looked up by id.
        ///
        /// Cursors that are open at the same time need different lanes, which have separate statements.
        case joined(lane: Int)
        /// One open statement that returns keys and record ids, in the order of the scan.
        case entries
        /// Chunks of keys and record ids, in the query's order. No statement is open between two chunks. The associated
        /// value is the number of entries in the first chunk.
        ///
        /// Used if the ids within a key must be reversed, or if the plan has more scans than statements may be open.
        case chunks(of: Int)
    }

    let part: QueryBranch
    /// Whether the cursor reads whole records instead of entries.
    let isJoined: Bool
    /// Whether each record must be tested against the remaining condition.
    let asks: Bool
    /// Whether a record must be tested against the whole predicate if the key of its entry may be truncated.
    private let rechecks: Bool
    /// Whether every row is a match that needs no test.
    var isPlain: Bool { isJoined && !asks && !rechecks }
    private let scan: IndexScan
    private let type: TypeID
    private let source: Source
    /// Whether ids within one key must have the opposite direction to the keys.
    private let reversesTies: Bool
    private let hasKeys: Bool
    /// The id at which the scan stops; `nil` if there is no such bound.
    private let end: RecordNumber?

    /// The last row read. The next statement starts after it, in the direction of the scan; `nil` starts at the
    /// beginning. The key is empty if the scan is sorted by id.
    private var lastRead: (key: [UInt8], record: RecordNumber)?
    /// Whether the next statement continues against the direction of the scan, within the key of `lastRead`.
    private var isInKey = false
    /// Whether the current statement or chunk is the last one.
    private var isLast = false
    /// The open statement.
    private var row: ScanCursor?
    /// The postings, for a scan of them.
    private(set) var postings: PostingReader?
    /// The current record, valid until the cursor moves; `nil` if the current row is an entry whose record has not been
    /// looked up.
    private(set) var record: RecordCursor?
    private var chunk = EntryBuffer()
    private var chunkSize = 0
    private var current = -1

    /// The maximum number of entries in one chunk.
    private static let largestChunk = 1_024

    /// Creates a cursor. The caller must call `finish` when done.
    ///
    /// - Parameter position: The position after which the cursor starts; `nil` for the beginning.
    init(
        _ scan: IndexScan, of part: QueryBranch, type: TypeID, order: QueryOrder, after position: QueryPosition?,
        reading source: Source
    ) {
        self.scan = scan
        self.part = part
        asks = part.asks
        self.type = type
        self.source = source
        if case .joined = source { isJoined = true } else { isJoined = false }
        reversesTies = scan.reversesTies(in: order)
        if case .index = scan.source { hasKeys = true } else { hasKeys = false }
        rechecks = (hasKeys || scan.mayNeedTest) && part.whole != nil
        let bound = scan.isBackward ? scan.ids.above : scan.ids.below
        end = bound == .lowest || bound == .highest ? nil : bound
        if case .chunks(let size) = source { chunkSize = min(max(size, 4), Self.largestChunk) }
        begin(after: position)
    }

    private func begin(after position: QueryPosition?) {
        if case .postings(let tree) = scan.source {
            postings = PostingReader(
                tree, home: part.home, ids: scan.ids, isBackward: scan.isBackward, after: position?.record)
            return
        }
        guard hasKeys else {
            lastRead = position.map { ([], $0.record) }
            return
        }
        if scan.isOneKey {
            // All entries have the same key, so the start depends only on ids.
            let ids = scan.ids(behind: position?.record)
            let id = scan.isBackward ? ids.below : ids.above
            if id != .lowest, id != .highest { lastRead = (scan.lower, id) }
            return
        }
        guard let position else { return }
        let key = scan.key(of: position)
        let isBelow = key.lexicographicallyPrecedes(scan.lower)
        let isAbove = scan.upper.map { !key.lexicographicallyPrecedes($0) } ?? false
        if scan.isBackward ? isBelow : isAbove {
            isLast = true
        } else if !isBelow, !isAbove {
            lastRead = (key, position.record)
            isInKey = reversesTies
        }
    }

    // MARK: Current row

    /// The id of the current record.
    var id: RecordNumber { row?.id ?? postings?.record ?? chunk.records[current] }

    /// The position of the current row. If the scan returns the query's order, this is a position in that order.
    var position: QueryPosition {
        guard hasKeys else { return QueryPosition(key: [], record: id) }
        return QueryPosition(
            key: row.map { scan.orderColumns(of: $0.key) } ?? scan.orderColumns(of: chunk.key(current)), record: id)
    }

    /// Whether the current record must be tested against the whole predicate, because the scan is inexact or the key of
    /// its entry may be truncated.
    var mustRecheck: Bool {
        if let postings { return rechecks && (scan.isInexact || postings.isInexact) }
        return rechecks && (scan.isInexact || IndexKey.mayBeTruncated(row?.keyLength ?? chunk.key(current).count))
    }

    /// The postings of the current record, if they have all words of a ranking and so tell the record's rank.
    func postings(for ranking: Ranking) -> PostingReader? {
        guard let postings, part.rankedWords == ranking.wordCount, !postings.isInexact else { return nil }
        return postings
    }

    // MARK: Moving

    /// Moves to the next row, at first to the first one. Charges each row read to the budget.
    ///
    /// - Returns: `false` if there are no more rows.
    /// - Throws: As `QueryBudget.take`.
    func next(_ store: StoreReader, _ budget: QueryBudget) throws(RecordError) -> Bool {
        if !isJoined { leaveRecord() }
        if let postings { return try postings.next(store, budget) }
        if case .chunks = source { return try nextInChunk(store, budget) }
        let isThere = if let row { try row.next() } else { try begin(store) }
        if isThere, isWanted(id) {
            try budget.take(1)
            return true
        }
        finish()
        // A scan that returns no rows still costs an index lookup.
        try budget.take(0)
        return false
    }

    /// Calls `body` for each row from the beginning, until `body` returns false. A local constant holds the statement
    /// of a joined scan outside the loop, because reference counting would cost as much as a step.
    ///
    /// - Returns: `false` if `body` returned false.
    /// - Throws: As `QueryBudget.take`, and the errors of `body`.
    @inline(__always)
    func forEach(
        _ store: StoreReader, _ budget: QueryBudget,
        _ body: (IndexScanCursor, RecordCursor?) throws(RecordError) -> Bool
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

    /// Returns the current record. If the current row is an entry, looks up the record by id.
    ///
    /// - Returns: `nil` if the record does not exist.
    /// - Throws: As `QueryBudget.take`.
    func lookUp(_ store: StoreReader, _ budget: QueryBudget) throws(RecordError) -> RecordCursor? {
        if isJoined { return record }
        try budget.take(1)
        record = try store.scanning.record(id)
        return record
    }

    private func leaveRecord() {
        record?.finish()
        record = nil
    }

    /// Ends the open statements. Must be called on every path.
    func finish() {
        leaveRecord()
        row?.finish()
        row = nil
    }

    /// Whether an id precedes `end`.
    private func isWanted(_ id: @autoclosure () -> RecordNumber) -> Bool {
        guard let end else { return true }
        return scan.isBackward ? id() > end : id() < end
    }

    /// Opens a statement at the first row after `lastRead`.
    private func open(_ store: StoreReader) throws(RecordError) -> ScanCursor? {
        let rows: ScanCursor.Rows = isJoined ? .records : .entries
        let lane = if case .joined(let lane) = source { lane } else { 0 }
        let ids = scan.ids(behind: lastRead?.record)
        switch scan.source {
        case .index(let index):
            var range = IndexScanner.KeyRange(lower: scan.lower, upper: scan.upper)
            // Appending 0 gives the smallest key greater than this key.
            if isInKey, let lastRead {
                if scan.isBackward { range.upper = lastRead.key + [0] } else { range.lower = lastRead.key }
            }
            return try store.indexes.scan(
                index.id, home: part.home, range, after: lastRead, isBackward: scan.isBackward != isInKey,
                reading: rows, lane: lane)
        case .postings: return nil
        case .name(let name):
            return try store.scanning.scan(home: part.home, type: type, name: name, within: (ids.above, ids.below))
        case .records, .creator:
            return try store.scanning.scan(
                home: part.home, type: type, creator: scan.source.creator, within: (ids.above, ids.below),
                isBackward: scan.isBackward, reading: rows, lane: lane)
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
        if isFull { lastRead = chunk.last }
        if isInKey {
            guard !isFull else { return }
            // Continue with the keys after this one, in the direction of the scan.
            isInKey = false
            lastRead?.record = edge
            return
        }
        isLast = !isFull
        guard reversesTies else { return }
        if isFull {
            // The last key may have records beyond this chunk. Its records are read again, against the direction of
            // the scan.
            chunk.removeLastRun()
            isInKey = true
            lastRead?.record = edge
        }
        chunk.reverseRuns()
    }

    /// The id from which the ids of one key are read against the direction of the scan, and behind which the scan goes
    /// on with the next key.
    private var edge: RecordNumber { scan.isBackward ? .lowest : .highest }
}

extension IndexScan {
    /// Whether a scan of the index returns the ids of one key in the direction opposite to that of the order.
    func reversesTies(in order: QueryOrder) -> Bool {
        isBackward == order.isIDAscending && !order.isByID
    }

    /// Whether a single statement can return the records in the query's order.
    func canBeJoined(in order: QueryOrder) -> Bool {
        switch source {
        case .name, .postings: return false
        case .records, .creator, .index: break
        }
        return !reversesTies(in: order)
    }

    /// Converts a position in the query's order to a key of this scan's index.
    fileprivate func key(of position: QueryPosition) -> [UInt8] {
        var key = Array(lower.prefix(prefixCount)) + position.key
        if isBackward { IndexKey.invert(&key, from: prefixCount) }
        return key
    }

    /// The part of an entry's key that holds the columns of the query's order.
    fileprivate func orderColumns(of key: some Collection<UInt8>) -> [UInt8] {
        var columns = Array(key.dropFirst(prefixCount))
        if isBackward { IndexKey.invert(&columns) }
        return columns
    }

    /// The range of ids after a record, in the direction of the scan.
    fileprivate func ids(behind record: RecordNumber?) -> IDRange {
        guard let record else { return ids }
        var rest = ids
        if isBackward { rest.below = min(ids.below, record) } else { rest.above = max(ids.above, record) }
        return rest
    }
}
