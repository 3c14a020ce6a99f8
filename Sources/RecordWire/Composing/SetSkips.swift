package import RecordModel

/// Which records of a change by condition were left as they are, and why.
package struct SetSkips: Sendable {
    /// Records that were left for one and the same reason.
    private struct Group: Sendable {
        let code: RecordError.Code
        let cause: RecordError.Cause?
        /// The sentence of the first of them.
        let reason: String
        var count = 0
        var names: [String] = []
    }

    /// The most names that are listed for one reason.
    private static let shownNames = 10

    private var groups: [Group] = []
    /// How many records were left.
    package private(set) var count = 0

    package init() {}

    /// Counts a record.
    ///
    /// - Parameter name: Its name, if the caller may read it.
    package mutating func add(_ error: RecordError, name: RecordName?) {
        add(
            Group(
                code: error.code, cause: error.cause, reason: error.reason, count: 1,
                names: name.map { [$0.text] } ?? []))
    }

    /// Joins what a later slice has left.
    package mutating func add(_ others: SetSkips) {
        for group in others.groups { add(group) }
    }

    private mutating func add(_ group: Group) {
        count += group.count
        guard let index = groups.firstIndex(where: { $0.code == group.code && $0.cause == group.cause }) else {
            groups.append(group)
            return
        }
        groups[index].count += group.count
        groups[index].names += group.names.prefix(Self.shownNames - groups[index].names.count)
    }

    /// `[{"serverErrorCode","cause"?,"reason","count","recordNames"}]`
    package var json: JSONValue {
        .array(
            groups.map { group in
                var members: [(String, JSONValue)] = [("serverErrorCode", .string(group.code.rawValue))]
                if let cause = group.cause { members.append(("cause", .string(cause.rawValue))) }
                members += [
                    ("reason", .string(group.reason)), ("count", .integer(Int64(group.count))),
                    ("recordNames", .array(group.names.map { .string($0) })),
                ]
                return .object(JSONObject(members))
            })
    }
}

extension RecordError {
    /// A record that was deleted, or hidden from the caller, after the set was fixed.
    package static let goneSinceMatched = RecordError(.notFound, "The record was deleted while the change went on")
    /// A record that has changed after the set was fixed.
    package static let changedSinceMatched = RecordError(
        .conflict, "The record was changed meanwhile and no longer meets the condition")
}
