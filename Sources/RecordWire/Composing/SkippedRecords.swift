package import RecordModel

/// The records that a bulk change left unchanged, with the reasons.
package struct SkippedRecords: Sendable {
    /// Records that were skipped for the same reason.
    private struct Group: Sendable {
        let code: RecordError.Code
        let cause: RecordError.Cause?
        /// The message for the first record of the group.
        let reason: String
        var count = 0
        var names: [String] = []
    }

    /// The most record names that are listed per reason.
    private static let shownNames = 10

    private var groups: [Group] = []
    /// The number of skipped records.
    package private(set) var count = 0

    /// Creates an empty list of skipped records.
    package init() {}

    /// Reads `json`. Ignores members that are not of its form.
    package init(json: JSONValue) {
        for member in json.array ?? [] {
            guard let code = member["serverErrorCode"]?.string.flatMap(RecordError.Code.init(rawValue:)) else {
                continue
            }
            add(
                Group(
                    code: code, cause: member["cause"]?.string.flatMap(RecordError.Cause.init(rawValue:)),
                    reason: member["reason"]?.string ?? "", count: Int(member["count"]?.integer ?? 0),
                    names: (member["recordNames"]?.array ?? []).compactMap(\.string)))
        }
    }

    /// Adds a record.
    ///
    /// - Parameter name: The record's name; `nil` if the caller may not read the record.
    package mutating func add(_ error: RecordError, name: RecordName?) {
        add(
            Group(
                code: error.code, cause: error.cause, reason: error.reason, count: 1,
                names: name.map { [$0.text] } ?? []))
    }

    /// Adds the skipped records of a later slice.
    package mutating func add(_ others: SkippedRecords) {
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

    /// The skipped records as JSON: `[{"serverErrorCode","cause"?,"reason","count","recordNames"}]`.
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
    /// The error for a record that was deleted or hidden from the caller after the bulk change determined its matches.
    package static let deletedSinceMatched = RecordError(.notFound, "The record was deleted while the change went on")
    /// The error for a record that was changed after the bulk change determined its matches.
    package static let changedSinceMatched = RecordError(
        .conflict, "The record was changed meanwhile and no longer meets the condition")
}
