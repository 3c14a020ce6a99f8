internal import RecordModel
internal import RecordStorage
package import RecordWire
internal import Threads

/// The approximate number of all matches of a query.
package struct RecordTotal: Hashable, Sendable {
    /// How the number relates to the number of matches.
    package enum Relation: String, Sendable {
        /// Both are equal.
        case exact
        /// There are at least as many matches.
        case atLeast
        /// Both are similar, according to statistics.
        case estimate
    }

    /// The number.
    package var value: Int
    package var relation: Relation

    /// The JSON `{"value":n,"relation":"exact"}`.
    package var json: JSONValue {
        ["value": .integer(Int64(value)), "relation": .string(relation.rawValue)]
    }
}

/// Counts or estimates all matches of queries.
struct TotalEstimator {
    let queries: QueryReader

    /// The number of rows that the count for a total reads: 10,000 whose records are tested, which count twice. Above
    /// it, the total comes from statistics.
    static let totalRows = 20_000

    /// Returns the total of a query: exact if few rows must be read, else from the statistics of the plan's indexes.
    ///
    /// Statistics count records that the caller may not read. They are used only for callers that may read all records
    /// without an access list, and only those of indexes, which count the records of each zone separately. For other
    /// callers, the count reads only records of which they are the creator or which an access list opens to them, so that
    /// unreadable records do not decide whether it ends.
    ///
    /// - Throws: As `QueryBudget.take`.
    func total(_ query: PreparedQuery, zone: ZoneID, _ budget: QueryBudget) throws(RecordError) -> RecordTotal {
        let counting = QueryBudget(
            time: .nanoseconds(Int64(clamping: budget.deadline &- min(budget.deadline, MonotonicClock.now))),
            rowLimit: Self.totalRows)
        var count = 0
        let runner: QueryRunner
        do throws(RecordError) {
            runner = try queries.runner(
                of: query, zone: zone, sort: [], limit: nil, counting, readsByCreator: !query.readsAll)
        } catch {
            // The time of the query is up.
            throw counting.stoppedAfter == nil ? error : budget.stop(examined: budget.examined)
        }
        do throws(RecordError) {
            try runner.forEachMatch { _ throws(RecordError) in count += 1 }
            return RecordTotal(value: count, relation: .exact)
        } catch {
            guard counting.stoppedAfter != nil else { throw error }
            guard counting.examined > Self.totalRows else { throw budget.stop(examined: budget.examined) }
        }
        guard query.readsAll, query.audiences.isEmpty, let rows = estimatedRows(of: runner) else {
            return RecordTotal(value: count, relation: .atLeast)
        }
        // Each row whose record is tested counts twice.
        let read = runner.parts.contains { $0.asks } ? counting.examined / 2 : counting.examined
        let share = Double(count) / Double(max(1, read))
        return RecordTotal(value: max(count, Int(Double(rows) * min(1, share))), relation: .estimate)
    }

    /// The number of rows that the scans of a query read according to the statistics of indexes; `nil` if there are
    /// none.
    private func estimatedRows(of runner: QueryRunner) -> Int? {
        queries.database.queries.statistics.withLock { known in
            var sum = 0
            for part in runner.parts {
                for scan in part.plan.scans {
                    switch scan.source {
                    case .index(let index):
                        guard let statistics = known[index.id] else { return nil }
                        sum += statistics.estimate(home: part.home, lower: scan.lower, upper: scan.upper)
                    case .records where scan.ids.isEverything:
                        // An ordered index has an entry for each record.
                        let type = queries.schema[id: runner.type]
                        let entries = type?.indexes.compactMap { index in
                            index.kind == .ordered
                                ? known[index.id]?.estimate(home: part.home, lower: [], upper: nil) : nil
                        }
                        guard let most = entries?.max() else { return nil }
                        sum += most
                    case .records, .creator, .name, .postings: return nil
                    }
                }
            }
            return sum
        }
    }
}
