internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// In which order the walks of plans are read.
enum ReadingOrder {
    /// The query's, in which each of the walks comes.
    case query
    /// By id, and so by time of creation, the first column of the query's order. When a page is full, other records of the
    /// last one's millisecond may still belong to it.
    case time
    /// None: one walk after another.
    case none
}

/// What the reader of matches wants next.
enum MatchWish {
    case more
    /// Only those that were made in the millisecond of this one.
    case sameTime
    case none
}

/// The matches of plans, each once: pages, sorted pages, counts and sets are all read from them.
extension QueryRunner {
    /// So many statements stay open at once.
    private static let maxStatements = 8
    /// Entries that a walk among others reads at least.
    private static let mergedChunk = 4

    /// Calls `body` with each match, until it wants none: with the cursor that stands on it, and the record if that was read.
    ///
    /// - Parameters:
    ///   - parts: Those of the query's that are to be read in this order.
    ///   - place: Where to begin behind; `nil` for the beginning. By time, all those of its millisecond come too, and without
    ///     order all that there are.
    ///   - limit: How many are likely to be wanted.
    ///   - needsRecords: Whether the caller wants to see the records: else they are read where a condition asks them.
    // Inlined, as the loops below it: what makes a page is compiled into the loop then, and counts no references there.
    @inline(__always)
    func forEachMatch(
        of parts: [QueryPart], in reading: ReadingOrder, after place: QueryPlace? = nil, limit: Int = .max,
        needsRecords: Bool, _ body: (WalkCursor, RecordCursor?) throws(RecordError) -> MatchWish
    ) throws(RecordError) {
        let cursors = try cursors(of: parts, in: reading, after: place, limit: limit)
        // Most pages: one walk in the query's order, whose records are not asked any more.
        if reading == .query, cursors.count == 1, let cursor = cursors.first, cursor.isPlain {
            defer { cursor.finish() }
            _ = try cursor.forEach(store, budget) { cursor, record throws(RecordError) in
                if case .none = try body(cursor, record) { false } else { true }
            }
            return
        }
        // Where more than one walk may meet a record and they come in no order.
        var seen: Set<RecordNumber> = []
        // When the last ones that are wanted were made.
        var lastTime: Int64?
        func hand(_ cursor: WalkCursor, _ record: RecordCursor?) throws(RecordError) -> Bool {
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
            let mayBeCut = cursor.mayBeCut
            let asks = cursor.asks || mayBeCut
            guard asks || lastTime != nil || (needsRecords && standing == nil) else {
                return try hand(cursor, standing)
            }
            guard let record = try cursor.lookUp(store, budget) else { return true }
            if let lastTime, record.systemFields.created != lastTime { return false }
            if asks, try !matches(record, cursor.part, mayBeCut: mayBeCut) { return true }
            return try hand(cursor, record)
        }
    }

    /// Whether more than one walk may meet the matches of a plan.
    private func canRepeat(_ part: QueryPart) -> Bool {
        part.plan.hasOverlaps || (hasOverlaps && part.home.isAudience)
    }

    private func cursors(
        of parts: [QueryPart], in reading: ReadingOrder, after place: QueryPlace?, limit: Int
    ) throws(RecordError) -> [WalkCursor] {
        let count = parts.reduce(0) { $0 + $1.plan.walks.count }
        // Of many walks each gives a part of the page.
        let chunk = count <= 1 ? limit : limit / count + Self.mergedChunk
        var beginning = IDRange()
        if reading == .time, let place { beginning = try ids(from: place) }
        var cursors: [WalkCursor] = []
        for part in parts {
            for var walk in part.plan.walks {
                walk.ids.above = max(walk.ids.above, beginning.above)
                walk.ids.below = min(walk.ids.below, beginning.below)
                let source: WalkCursor.Source =
                    if reading == .none {
                        .entries
                    } else if count <= Self.maxStatements, walk.canBeJoined(in: order) {
                        .joined(lane: cursors.count)
                    } else {
                        .chunks(of: chunk)
                    }
                cursors.append(
                    WalkCursor(
                        walk, of: part, type: type, order: order, after: reading == .query ? place : nil,
                        reading: source))
            }
        }
        return cursors
    }

    /// The ids of the records that were made in the millisecond of a place or behind it.
    private func ids(from place: QueryPlace) throws(RecordError) -> IDRange {
        guard let created = IndexKey.firstInteger(of: place.key, isAscending: order.isIDAscending) else {
            return IDRange()
        }
        let bound = ValueRange.Bound(.integer(created), isInclusive: true)
        return try store.scanning.ids(
            createdWithin: order.isIDAscending
                ? ValueRange(lower: bound, upper: nil) : ValueRange(lower: nil, upper: bound))
    }
}
