internal import RecordModel
internal import RecordStorage

/// Matches in no order, where only their number or their ids are wanted.
extension QueryRunner {
    /// Calls `body` with the id of each match, once.
    func forEachMatch(_ body: (RecordNumber) throws(RecordError) -> Void) throws(RecordError) {
        try forEachMatch(of: parts, in: .none, needsRecords: false) { match, _ throws(RecordError) in
            try body(match.id)
            return .more
        }
    }

    /// The exact number of matches.
    func count() throws(RecordError) -> Int {
        var count = 0
        if !hasOverlaps, parts.allSatisfy({ $0.countsByEntries && $0.plan.walks.allSatisfy(\.hasCount) }) {
            for part in parts {
                for walk in part.plan.walks { count += try self.count(walk, in: part.home) }
            }
        } else {
            try forEachMatch { _ throws(RecordError) in count += 1 }
        }
        return count
    }

    /// Entries that are counted in one statement where others wait for the thread.
    private static let shortCount = 8_192

    /// Counts in one statement, which is interrupted when the budget is over.
    private func count(_ walk: IndexWalk, in home: RowHome) throws(RecordError) -> Int {
        // To count some and give up costs less than to count until time is over.
        let limit = budget.isShort ? Self.shortCount : .max
        let counted = try store.interrupting(at: budget.deadline) { () throws(RecordError) in
            try store.count(walk, home: home, type: type, limit: limit)
        }
        guard let found = counted else { throw Task.isCancelled ? .requestAbandoned : budget.stop(examined: 0) }
        try budget.take(found)
        if found == limit { throw budget.stop(examined: budget.examined) }
        return found
    }
}

extension IndexWalk {
    /// Whether `StoreReader.count` counts what it meets.
    fileprivate var hasCount: Bool {
        switch source {
        case .records, .creator: true
        case .index: ids.isEverything
        case .name: false
        }
    }
}

extension StoreReader {
    /// Counts the entries of a walk in one statement: those of all ids, if it has keys.
    ///
    /// - Parameter limit: Counting stops there.
    func count(_ walk: IndexWalk, home: RowHome, type: TypeID, limit: Int) throws(RecordError) -> Int {
        switch walk.source {
        case .name: 1
        case .index(let index):
            try indexes.count(
                index.id, home: home, IndexReading.KeyRange(lower: walk.lower, upper: walk.upper), limit: limit)
        case .records, .creator:
            try scanning.count(
                home: home, type: type, creator: walk.source.creator, within: (walk.ids.above, walk.ids.below),
                limit: limit)
        }
    }
}
