internal import RecordModel
package import RecordWire
internal import Threads

/// The most expensive query shapes, each with the index that would help. This is the content of `/schema/advice`.
///
/// A query shape is a query without its values. The advisor notes a query only if it was rejected, read far more rows
/// than it returned, or took long.
package final class IndexAdvisor: Sendable {
    struct Shape: Hashable, Sendable {
        let type: String
        let condition: String
        let sort: String
    }

    struct Cost: Sendable {
        var count = 0
        var rejected = 0
        var examinedRows = 0
        var returnedRows = 0
        var nanoseconds: UInt64 = 0
        /// The columns of the best index for the query.
        var wanted: [String] = []
    }

    private let costs = Locked<[Shape: Cost]>([:])
    /// The maximum number of shapes in memory. When it is reached, the cheaper half is evicted.
    private static let maxShapes = 256
    /// The maximum number of shapes in `/schema/advice`.
    private static let shown = 50

    /// Creates an empty advisor.
    package init() {}

    /// Whether a completed query is expensive enough to note.
    static func isCostly(examined: Int, returned: Int, nanoseconds: UInt64) -> Bool {
        examined > 1_000 + 10 * returned || nanoseconds > 50_000_000
    }

    func note(
        _ shape: Shape, examined: Int, returned: Int, nanoseconds: UInt64, isRejected: Bool, wanted: [String]
    ) {
        costs.withLock { costs in
            if costs.count >= Self.maxShapes, costs[shape] == nil {
                let kept = costs.sorted { $0.value.nanoseconds > $1.value.nanoseconds }.prefix(Self.maxShapes / 2)
                costs = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
            }
            var cost = costs[shape, default: Cost()]
            cost.count += 1
            cost.rejected += isRejected ? 1 : 0
            cost.examinedRows += examined
            cost.returnedRows += returned
            cost.nanoseconds += nanoseconds
            cost.wanted = wanted
            costs[shape] = cost
        }
    }

    /// The document `{"advice":[…]}`. Shapes with the most rejections come first, then the most expensive shapes.
    package var json: JSONValue {
        let worst = costs.withLock { costs in
            costs.sorted {
                ($0.value.rejected, $0.value.nanoseconds) > ($1.value.rejected, $1.value.nanoseconds)
            }.prefix(Self.shown)
        }
        return .object(JSONObject([("advice", .array(worst.map { Self.json($0.key, $0.value) }))]))
    }

    private static func json(_ shape: Shape, _ cost: Cost) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("recordType", .string(shape.type)), ("where", .string(shape.condition)), ("sort", .string(shape.sort)),
            ("count", .integer(Int64(cost.count))), ("refused", .integer(Int64(cost.rejected))),
            ("examinedRows", .integer(Int64(cost.examinedRows))),
            ("returnedRows", .integer(Int64(cost.returnedRows))),
            ("milliseconds", .integer(Int64(cost.nanoseconds / 1_000_000))),
        ]
        if !cost.wanted.isEmpty {
            members.append(("index", .array(cost.wanted.map { .string($0) })))
        }
        return .object(JSONObject(members))
    }
}
