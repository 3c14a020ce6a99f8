internal import RecordModel
internal import RecordStorage

/// Matches of a plan whose walks come by time of creation, in an order in which other columns follow it.
extension QueryRunner {
    /// Calls `body` with the matches of each walk behind a place, up to all those of the millisecond in which the page
    /// becomes full.
    ///
    /// - Parameters:
    ///   - place: Where to begin behind; `nil` for the beginning.
    ///   - limit: How many matches are wanted in all.
    func forEachByTime(
        of part: QueryPart, after place: QueryPlace?, limit: Int,
        _ body: (_ record: RecordNumber, QueryPlace) throws(RecordError) -> Void
    ) throws(RecordError) {
        let beginning = try place.map { place throws(RecordError) in try ids(from: place) } ?? IDRange()
        var seen: Set<RecordNumber> = []
        for var walk in part.plan.walks {
            walk.ids.above = max(walk.ids.above, beginning.above)
            walk.ids.below = min(walk.ids.below, beginning.below)
            var runner = WalkRunner(walk, home: part.home, type: type, order: order, after: nil, chunk: limit)
            var count = 0
            var lastTime: Int64?
            while let (entry, mayBeCut) = try runner.current(store, budget) {
                runner.advance()
                if part.plan.hasOverlaps, !seen.insert(entry.record).inserted { continue }
                try budget.take(1)
                guard let cursor = try record(entry.record) else { continue }
                defer { cursor.finish() }
                let created = cursor.systemFields.created
                if let lastTime, created != lastTime { break }
                guard try matches(cursor, part, mayBeCut: mayBeCut) else { continue }
                let candidate = QueryPlace(key: try sortKey(cursor), record: entry.record)
                if let place, !place.precedes(candidate, in: order) { continue }
                count += 1
                if count == limit { lastTime = created }
                try body(entry.record, candidate)
            }
        }
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
