internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Matches in no order, where only their number or their ids are wanted.
extension QueryRunner {
    /// The exact number of matches.
    func count() throws(RecordError) -> Int {
        var count = 0
        if !hasOverlaps, parts.allSatisfy({ $0.residual.isTrivial && !$0.plan.hasOverlaps && !$0.rechecks }) {
            for part in parts {
                for walk in part.plan.walks { count += try self.count(walk, in: part.home) }
            }
            return count
        }
        try forEachMatch { _ throws(RecordError) in count += 1 }
        return count
    }

    /// Calls `body` with the id of each match, once.
    func forEachMatch(_ body: (RecordNumber) throws(RecordError) -> Void) throws(RecordError) {
        var seen: Set<RecordNumber> = []
        for part in parts {
            try forEachEntry(of: part) { record, mayBeCut throws(RecordError) in
                if hasOverlaps, part.home.isAudience, !seen.insert(record).inserted { return }
                if !part.residual.isTrivial || (part.rechecks && mayBeCut) {
                    guard let cursor = try self.record(record) else { return }
                    defer { cursor.finish() }
                    guard try matches(cursor, part, mayBeCut: mayBeCut) else { return }
                }
                try body(record)
            }
        }
    }

    /// Entries that are counted in one statement where others wait for the thread.
    private static let shortCount = 8_192

    private func count(_ walk: IndexWalk, in home: RowHome) throws(RecordError) -> Int {
        if budget.isShort {
            // To count some and give up costs less than to count until time is over.
            let found = try count(walk, in: home, limit: Self.shortCount)
            if found == Self.shortCount { throw budget.stop(examined: budget.examined) }
            return found
        }
        return try count(walk, in: home, limit: .max)
    }

    private func count(_ walk: IndexWalk, in home: RowHome, limit: Int) throws(RecordError) -> Int {
        let found: Int
        switch walk.source {
        case .index(let index) where walk.ids.isEverything:
            found = try inTime { () throws(RecordError) in
                try store.indexes.count(
                    index.id, home: home, IndexReading.KeyRange(lower: walk.lower, upper: walk.upper), limit: limit)
            }
        case .records, .creator:
            var creator: Int64?
            if case .creator(let id) = walk.source { creator = id }
            found = try inTime { () throws(RecordError) in
                try store.scanning.count(
                    home: home, type: type, creator: creator, within: (walk.ids.above, walk.ids.below), limit: limit)
            }
        case .index, .name:
            var count = 0
            var runner = WalkRunner(walk, home: home, type: type, order: order, after: nil, chunk: 1_024)
            while try runner.current(store, budget) != nil {
                count += 1
                runner.advance()
            }
            return count
        }
        try budget.take(found)
        return found
    }

    /// Counts in one statement, which is interrupted when the budget is over.
    private func inTime(_ count: () throws(RecordError) -> Int) throws(RecordError) -> Int {
        let found = try store.interrupting(at: budget.deadline, count)
        guard let found else { throw Task.isCancelled ? .requestAbandoned : budget.stop(examined: 0) }
        return found
    }

    /// Calls `body` with each record that a walk meets, once, whether it matches or not.
    func forEachEntry(
        of part: QueryPart,
        _ body: (_ record: RecordNumber, _ mayBeCut: Bool) throws(RecordError) -> Void
    ) throws(RecordError) {
        var seen: Set<RecordNumber> = []
        let dedupes = part.plan.hasOverlaps
        // Keys may be long, and others wait for a loop until a chunk is read.
        for var walk in runners(part, after: nil, chunk: budget.isShort ? 128 : 1_024) {
            while let (place, mayBeCut) = try walk.current(store, budget) {
                walk.advance()
                if dedupes, !seen.insert(place.record).inserted { continue }
                try budget.take(1)
                try body(place.record, mayBeCut)
            }
        }
    }
}
