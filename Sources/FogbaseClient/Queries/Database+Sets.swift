internal import Foundation
public import RecordModel
internal import RecordWire

/// What became of the records that met a condition.
public struct SetOutcome: Hashable, Sendable {
    /// How many met it at the start.
    public var matched: Int
    /// How many were deleted or changed.
    public var changed: Int
    /// How many were left as they are: they met the condition no more, or the caller may not write them.
    public var skipped: Int
    /// Why records were left, one entry for each reason.
    public var skipReasons: [SkipReason]

    /// Why some of the records that met a condition were left as they are.
    public struct SkipReason: Hashable, Sendable {
        /// What a change of one of them alone would have been refused with.
        public var code: RecordError.Code
        /// A finer word, where there is one.
        public var cause: RecordError.Cause?
        /// The sentence for the first of them.
        public var reason: String
        /// How many were left for this reason.
        public var count: Int
        /// Up to ten of their names, of those that the caller may read.
        public var recordNames: [String]

        /// A reason; for tests of views that show it.
        public init(
            code: RecordError.Code, cause: RecordError.Cause? = nil, reason: String, count: Int, recordNames: [String]
        ) {
            self.code = code
            self.cause = cause
            self.reason = reason
            self.count = count
            self.recordNames = recordNames
        }
    }

    /// What became of a set; for tests of views that show it.
    public init(matched: Int, changed: Int, skipped: Int, skipReasons: [SkipReason] = []) {
        self.matched = matched
        self.changed = changed
        self.skipped = skipped
        self.skipReasons = skipReasons
    }
}

extension SetOutcome.SkipReason {
    /// Reads an entry of `skipReasons`; `nil` for one with a code that this version does not know.
    fileprivate init?(_ tree: JSONValue) {
        guard let code = tree["serverErrorCode"]?.string.flatMap(RecordError.Code.init) else { return nil }
        self.init(
            code: code, cause: tree["cause"]?.string.flatMap(RecordError.Cause.init),
            reason: tree["reason"]?.string ?? "", count: Int(tree["count"]?.integer ?? 0),
            recordNames: (tree["recordNames"]?.array ?? []).compactMap(\.string))
    }
}

extension Database {
    /// Deletes the records that meet a condition, in one call. The server lets other writes through meanwhile; for more
    /// than it takes at once (100,000), and to see how it goes on, use `deleteInBackground`.
    ///
    /// - Parameters:
    ///   - query: Its condition; order and limit do not count. One without a condition is refused.
    ///   - limit: If more match, nothing is deleted, and `FogbaseError.limitExceeded` is thrown.
    public func delete<Model>(matching query: Query<Model>, ifAtMost limit: Int? = nil) async throws -> SetOutcome {
        try await change(query, call: "DELETE", counted: "deleted", limit: limit, body: nil)
    }

    /// Deletes all records of a type.
    public func deleteAll<Model: RecordShape>(_ type: Model.Type, ifAtMost limit: Int? = nil) async throws -> SetOutcome
    {
        var call = Call("DELETE", "query", Model.recordType)
        call.query = [("all", "true")] + (limit.map { [("maxAffected", "\($0)")] } ?? [])
        return try await outcome(of: call, counted: "deleted")
    }

    /// Changes the records that meet a condition, in one call.
    public func change<Model>(
        matching query: Query<Model>, _ changes: FieldChange<Model>..., ifAtMost limit: Int? = nil
    ) async throws -> SetOutcome {
        try await change(
            query, call: "PATCH", counted: "updated", limit: limit,
            body: ["fields": .object(JSONObject(changes.map { ($0.field, $0.operation) }))])
    }

    private func change<Model>(
        _ query: Query<Model>, call method: String, counted key: String, limit: Int?, body: JSONValue?
    ) async throws -> SetOutcome {
        guard let filter = query.filter else {
            throw FogbaseError.invalidArgument("A query without a condition changes no set; use Filter.all to mean it")
        }
        if let problem = filter.problem { throw FogbaseError.invalidArgument(problem) }
        var call = Call(method, "query", Model.recordType)
        call.query = [("where", filter.text)]
        for argument in filter.arguments {
            call.query.append(("arg", String(decoding: argument.bytes, as: UTF8.self)))
        }
        if let limit { call.query.append(("maxAffected", "\(limit)")) }
        if let body { call.setJSON(body) }
        return try await outcome(of: call, counted: key)
    }

    private func outcome(of call: Call, counted key: String) async throws -> SetOutcome {
        var call = call
        call.idempotencyKey = RecordNames.make()
        call.timeout = .seconds(600)
        let tree = try await connection.send(call).readTree()
        guard let matched = tree["matched"]?.integer, let changed = tree[key]?.integer else {
            throw FogbaseError.notFogbase(status: 200, "The answer does not count what was changed")
        }
        return SetOutcome(
            matched: Int(matched), changed: Int(changed), skipped: Int(tree["skipped"]?.integer ?? 0),
            skipReasons: (tree["skipReasons"]?.array ?? []).compactMap(SetOutcome.SkipReason.init))
    }
}
