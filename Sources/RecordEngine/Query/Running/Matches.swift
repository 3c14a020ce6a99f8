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

/// The matches of plans, each once: pages, sorted pages, counts and sets are all read from it.
struct Matches {
    private let runner: QueryRunner
    private let reading: ReadingOrder
    private let needsRecords: Bool
    private var cursors: MergedCursors
    private var seen: Set<RecordNumber> = []
    /// When the last ones that are wanted were made.
    private var lastTime: Int64?

    fileprivate init(_ runner: QueryRunner, _ reading: ReadingOrder, _ cursors: [WalkCursor], needsRecords: Bool) {
        self.runner = runner
        self.reading = reading
        self.needsRecords = needsRecords
        self.cursors = MergedCursors(cursors, order: runner.order, comesInOrder: reading != .none)
    }

    /// Goes to the first match, or to the next one.
    ///
    /// - Returns: The cursor that stands on it, until the next call; `nil` at the end.
    mutating func next() throws(RecordError) -> WalkCursor? {
        while let cursor = try cursors.next(runner.store, runner.budget) {
            if reading == .none, isRepeated(cursor) { continue }
            let mayBeCut = cursor.mayBeCut
            let asks = cursor.asks || mayBeCut
            guard asks || (needsRecords && !cursor.isJoined) || lastTime != nil else { return cursor }
            guard let record = try cursor.lookUp(runner.store, runner.budget) else { continue }
            if let lastTime, record.systemFields.created != lastTime { return nil }
            if asks, try !runner.matches(record, cursor.part, mayBeCut: mayBeCut) { continue }
            return cursor
        }
        return nil
    }

    /// Whether a record came already, where more than one walk may meet it and they come in no order.
    private mutating func isRepeated(_ cursor: WalkCursor) -> Bool {
        let part = cursor.part
        guard part.plan.hasOverlaps || (runner.hasOverlaps && part.home.isAudience) else { return false }
        return !seen.insert(cursor.id).inserted
    }

    /// Ends with those that were made in the millisecond of a match, where they come by time.
    mutating func end(withTimeOf match: WalkCursor) {
        lastTime = match.record?.systemFields.created
    }

    /// Ends all statements; to be called on every path.
    func finish() {
        cursors.finish()
    }
}

extension QueryRunner {
    /// So many statements stay open at once.
    private static let maxStatements = 8
    /// Entries that a walk among others reads at least.
    private static let mergedChunk = 4

    /// Begins to read matches. The caller finishes.
    ///
    /// - Parameters:
    ///   - parts: Those of the query's that are to be read in this order.
    ///   - place: Where to begin behind; `nil` for the beginning. By time, all those of its millisecond come too, and without
    ///     order all that there are.
    ///   - limit: How many are likely to be wanted.
    ///   - needsRecords: Whether the caller wants to see the records: else they are read where a condition asks them.
    func matches(
        of parts: [QueryPart], in reading: ReadingOrder, after place: QueryPlace? = nil, limit: Int = .max,
        needsRecords: Bool
    ) throws(RecordError) -> Matches {
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
        return Matches(self, reading, cursors, needsRecords: needsRecords)
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
