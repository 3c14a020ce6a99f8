internal import RecordModel
internal import RecordStorage

/// Counts matches and returns their ids, without an order.
extension QueryRunner {
    /// Calls `body` once with the id of each match.
    ///
    /// - Throws: As `QueryBudget.match`, and the errors of `body`.
    func forEachMatch(_ body: (RecordNumber) throws(RecordError) -> Void) throws(RecordError) {
        try forEachMatch(of: parts, in: .none, needsRecords: false) { match, _ throws(RecordError) in
            try body(match.id)
            return .more
        }
    }

    /// The exact number of matches.
    ///
    /// - Throws: As `QueryBudget.match`.
    func count() throws(RecordError) -> Int {
        var count = 0
        if !hasOverlaps, parts.allSatisfy({ $0.countsByEntries && $0.plan.scans.allSatisfy(\.hasCount) }) {
            for part in parts {
                for scan in part.plan.scans { count += try self.count(scan, in: part.home) }
            }
        } else {
            try forEachMatch { _ throws(RecordError) in count += 1 }
        }
        return count
    }

    /// The maximum number of entries that one statement counts on a shared thread.
    private static let shortCount = 8_192

    /// Counts the entries of a scan in one statement. The statement is interrupted at the budget's deadline.
    private func count(_ scan: IndexScan, in home: RowHome) throws(RecordError) -> Int {
        // Stopping at a limit costs less than counting until the deadline.
        let limit = budget.isShort ? Self.shortCount : .max
        let counted = try store.interrupting(at: budget.deadline) { () throws(RecordError) in
            try store.count(scan, home: home, type: type, limit: limit)
        }
        guard let found = counted else { throw Task.isCancelled ? .requestAbandoned : budget.stop(examined: 0) }
        try budget.take(found)
        if found == limit { throw budget.stop(examined: budget.examined) }
        return found
    }
}

extension IndexScan {
    /// Whether `StoreReader.count` gives exactly the number of rows that the scan returns.
    fileprivate var hasCount: Bool {
        switch source {
        case .records, .creator: true
        case .index: ids.isEverything
        case .name, .postings: false
        }
    }
}

extension StoreReader {
    /// Counts the entries of a scan in one statement. Ignores the scan's id range if it has keys.
    ///
    /// - Parameter limit: The number at which counting stops.
    func count(_ scan: IndexScan, home: RowHome, type: TypeID, limit: Int) throws(RecordError) -> Int {
        switch scan.source {
        case .name: 1
        case .postings(let tree):
            try tree.rows { leaf throws(RecordError) in
                try indexes.count(
                    leaf.index.id, home: home, IndexScanner.KeyRange(lower: leaf.lower, upper: leaf.upper),
                    limit: limit)
            }
        case .index(let index):
            try indexes.count(
                index.id, home: home, IndexScanner.KeyRange(lower: scan.lower, upper: scan.upper), limit: limit)
        case .records, .creator:
            try scanning.count(
                home: home, type: type, creator: scan.source.creator, within: (scan.ids.above, scan.ids.below),
                limit: limit)
        }
    }
}
