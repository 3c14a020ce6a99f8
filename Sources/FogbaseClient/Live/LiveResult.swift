/// The result of a live query at one time, and what has changed in it since the result before.
public struct LiveResult<Model: Sendable>: Sendable {
    /// A change of the list of records.
    ///
    /// `removed(at:)` and `moved(from:)` are indices of the list before, all others of the new list. These are the rules
    /// of table and collection views for updates of several rows at once.
    public enum Change: Hashable, Sendable {
        /// A record no longer belongs to the result.
        case removed(at: Int)
        /// A record is new in the result.
        case inserted(at: Int)
        /// A record has another place among the others.
        case moved(from: Int, to: Int)
        /// A record has changed. If it has moved too, both changes are reported.
        case updated(at: Int)
    }

    /// The records that match the query, in its order.
    public var records: [Stored<Model>]
    /// The changes since the result before. Those of the first result insert all records.
    public var changes: [Change]
    /// The errors of matching records that do not fit the model. Each error has the record's name.
    public var failures: [FogbaseError]

    /// Creates a result, for tests and previews.
    ///
    /// - Parameters:
    ///   - records: The records in the query's order.
    ///   - former: The records of the result before.
    ///   - failures: The errors of records that do not fit the model.
    public init(
        _ records: [Stored<Model>], after former: [Stored<Model>] = [], failures: [FogbaseError] = []
    ) {
        self.records = records
        self.failures = failures
        changes = Self.changes(from: former, to: records)
    }

    private static func changes(from former: [Stored<Model>], to records: [Stored<Model>]) -> [Change] {
        let difference = records.map(\.id).difference(from: former.map(\.id)).inferringMoves()
        var changes: [Change] = difference.compactMap { step in
            switch step {
            case .remove(let index, _, nil): .removed(at: index)
            case .insert(let index, _, nil): .inserted(at: index)
            case .insert(let index, _, let origin?): .moved(from: origin, to: index)
            case .remove: nil
            }
        }
        let metadata = Dictionary(former.map { ($0.id, $0.metadata) }, uniquingKeysWith: { $1 })
        for (index, record) in records.enumerated() {
            if let before = metadata[record.id], before != record.metadata { changes.append(.updated(at: index)) }
        }
        return changes
    }
}
