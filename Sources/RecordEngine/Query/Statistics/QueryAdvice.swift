internal import RecordModel
package import RecordWire
internal import Threads

/// The shapes of queries that cost the most, with the index that would help: what `/schema/advice` shows.
///
/// A shape is a query without its values. Only what looked at far more rows than it showed is noted, or was refused.
package final class QueryAdvice: Sendable {
    struct Shape: Hashable, Sendable {
        let type: String
        let condition: String
        let sort: String
    }

    struct Cost: Sendable {
        var count = 0
        var refused = 0
        var examinedRows = 0
        var returnedRows = 0
        var nanoseconds: UInt64 = 0
        /// What would serve it, as the fields of an index.
        var wanted: [String] = []
    }

    private let costs = Locked<[Shape: Cost]>([:])
    /// Beyond this many shapes the cheapest half is forgotten.
    private static let maxShapes = 256
    /// How many are shown.
    private static let shown = 50

    package init() {}

    /// Whether a query is worth noting.
    static func isCostly(examined: Int, returned: Int, nanoseconds: UInt64) -> Bool {
        examined > 1_000 + 10 * returned || nanoseconds > 50_000_000
    }

    func note(
        _ shape: Shape, examined: Int, returned: Int, nanoseconds: UInt64, isRefused: Bool, wanted: [String]
    ) {
        costs.withLock { costs in
            if costs.count >= Self.maxShapes, costs[shape] == nil {
                let kept = costs.sorted { $0.value.nanoseconds > $1.value.nanoseconds }.prefix(Self.maxShapes / 2)
                costs = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
            }
            var cost = costs[shape, default: Cost()]
            cost.count += 1
            cost.refused += isRefused ? 1 : 0
            cost.examinedRows += examined
            cost.returnedRows += returned
            cost.nanoseconds += nanoseconds
            cost.wanted = wanted
            costs[shape] = cost
        }
    }

    /// `{"advice":[…]}`, the costliest first.
    package var json: JSONValue {
        let worst = costs.withLock { costs in
            costs.sorted {
                ($0.value.refused, $0.value.nanoseconds) > ($1.value.refused, $1.value.nanoseconds)
            }.prefix(Self.shown)
        }
        return .object(JSONObject([("advice", .array(worst.map { Self.json($0.key, $0.value) }))]))
    }

    private static func json(_ shape: Shape, _ cost: Cost) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("recordType", .string(shape.type)), ("where", .string(shape.condition)), ("sort", .string(shape.sort)),
            ("count", .integer(Int64(cost.count))), ("refused", .integer(Int64(cost.refused))),
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
