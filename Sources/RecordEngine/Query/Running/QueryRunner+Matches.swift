internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The order in which the scans of a plan are read.
enum ScanOrder {
    /// The query's order. Each scan returns records in this order.
    case query
    /// By id, which gives the order of creation time, the first column of the query's order. After a page is full,
    /// further records of the last record's millisecond may still belong to the page.
    case time
    /// No order: one scan after another.
    case none
}

/// Which further matches a reader needs.
enum MatchDemand {
    case more
    /// Only records created in the same millisecond as this record.
    case sameTime
    case none
}

/// Reads the matches of plans and passes on each match once. Pages, sorted pages, counts and bulk changes use these
/// loops.
extension QueryRunner {
    /// The maximum number of statements open at once.
    private static let maxStatements = 8
    /// The minimum number of entries in a chunk when several scans are merged.
    private static let mergedChunk = 4

    /// Calls `body` with each match, until `body` returns `none`. `body` receives the cursor on the match, and the
    /// record if the record was read.
    ///
    /// - Parameters:
    ///   - parts: The branches to read. All have the same order.
    ///   - position: The position after which to start; `nil` for the beginning. If scans are read by time, the result
    ///     includes all records of the position's millisecond. If they are read without an order, the result includes
    ///     all matches.
    ///   - limit: The number of matches that the caller probably needs.
    ///   - needsRecords: Whether `body` needs the records. If false, only records that a condition tests are read.
    /// - Throws: As `QueryBudget.match`, and the errors of `body`.
    // This function and the loops below are inlined, so that the code that makes a page is compiled into the loop. This
    // avoids reference counting.
    @inline(__always)
    func forEachMatch(
        of parts: [QueryBranch], in reading: ScanOrder, after position: QueryPosition? = nil, limit: Int = .max,
        needsRecords: Bool, _ body: (IndexScanCursor, RecordCursor?) throws(RecordError) -> MatchDemand
    ) throws(RecordError) {
        let cursors = try cursors(of: parts, in: reading, after: position, limit: limit)
        // The case of most pages: one scan in the query's order, whose records need no test.
        if reading == .query, cursors.count == 1, let cursor = cursors.first, cursor.isPlain {
            defer { cursor.finish() }
            _ = try cursor.forEach(store, budget) { cursor, record throws(RecordError) in
                if case .none = try body(cursor, record) { false } else { true }
            }
            return
        }
        // The ids of records already found. Needed if scans without an order can find the same record.
        var seen: Set<RecordNumber> = []
        // The creation time of the last records that `body` wants.
        var lastTime: Int64?
        func hand(_ cursor: IndexScanCursor, _ record: RecordCursor?) throws(RecordError) -> Bool {
            switch try body(cursor, record) {
            case .more: return true
            case .none: return false
            case .sameTime:
                lastTime = record?.systemFields.created
                return true
            }
        }
        let merged = MergedCursors(cursors, order: order, comesInOrder: reading != .none)
        try merged.forEach(store, budget) { cursor, standing throws(RecordError) in
            if reading == .none, canRepeat(cursor.part), !seen.insert(cursor.id).inserted { return true }
            let mustRecheck = cursor.mustRecheck
            let asks = cursor.asks || mustRecheck
            guard asks || lastTime != nil || (needsRecords && standing == nil) else {
                return try hand(cursor, standing)
            }
            guard let record = try cursor.lookUp(store, budget) else { return true }
            if let lastTime, record.systemFields.created != lastTime { return false }
            if asks, try !matches(record, cursor.part, mustRecheck: mustRecheck) { return true }
            return try hand(cursor, record)
        }
    }

    /// Whether several scans of a plan can find the same match.
    private func canRepeat(_ part: QueryBranch) -> Bool {
        part.plan.hasOverlaps || (hasOverlaps && part.home.isAudience)
    }

    private func cursors(
        of parts: [QueryBranch], in reading: ScanOrder, after position: QueryPosition?, limit: Int
    ) throws(RecordError) -> [IndexScanCursor] {
        let count = parts.reduce(0) { $0 + $1.plan.scans.count }
        // Each of several scans supplies only some of a page's records.
        let chunk = count <= 1 ? limit : limit / count + Self.mergedChunk
        var beginning = IDRange()
        if reading == .time, let position { beginning = try ids(from: position) }
        var cursors: [IndexScanCursor] = []
        for part in parts {
            for var scan in part.plan.scans {
                scan.ids.above = max(scan.ids.above, beginning.above)
                scan.ids.below = min(scan.ids.below, beginning.below)
                let source: IndexScanCursor.Source =
                    if reading == .none {
                        .entries
                    } else if count <= Self.maxStatements, scan.canBeJoined(in: order) {
                        .joined(lane: cursors.count)
                    } else {
                        .chunks(of: chunk)
                    }
                cursors.append(
                    IndexScanCursor(
                        scan, of: part, type: type, order: order, after: reading == .query ? position : nil,
                        reading: source))
            }
        }
        return cursors
    }

    /// The ids of the records created in or after the millisecond of a position.
    private func ids(from position: QueryPosition) throws(RecordError) -> IDRange {
        guard let created = IndexKey.firstInteger(of: position.key, isAscending: order.isIDAscending) else {
            return IDRange()
        }
        let bound = ValueRange.Bound(.integer(created), isInclusive: true)
        return try store.scanning.ids(
            createdWithin: order.isIDAscending
                ? ValueRange(lower: bound, upper: nil) : ValueRange(lower: nil, upper: bound))
    }
}
