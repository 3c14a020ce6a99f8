internal import Foundation
public import RecordModel
internal import RecordWire

/// The outcome of a bulk update or bulk delete.
public struct SetOutcome: Hashable, Sendable {
    /// The number of records that matched at the start.
    public var matched: Int
    /// The number of records that were deleted or updated.
    public var changed: Int
    /// The number of skipped records: records that no longer matched, or that the caller cannot write.
    public var skipped: Int
    /// The reasons for skipped records, with one entry per reason.
    public var skipReasons: [SkipReason]

    /// A reason for which the server skipped matching records.
    public struct SkipReason: Hashable, Sendable {
        /// The error code that a change of one of these records alone would cause.
        public var code: RecordError.Code
        /// The cause of the error; `nil` if there is none.
        public var cause: RecordError.Cause?
        /// The error message for the first of these records.
        public var reason: String
        /// The number of records skipped for this reason.
        public var count: Int
        /// The names of up to ten of these records. Records that the caller cannot read are omitted.
        public var recordNames: [String]

        /// Creates a reason for tests and previews.
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

    /// Creates an outcome for tests and previews.
    public init(matched: Int, changed: Int, skipped: Int, skipReasons: [SkipReason] = []) {
        self.matched = matched
        self.changed = changed
        self.skipped = skipped
        self.skipReasons = skipReasons
    }
}

extension SetOutcome.SkipReason {
    /// Reads an entry of `skipReasons`; `nil` if this client does not know the error code.
    init?(_ tree: JSONValue) {
        guard let code = tree["serverErrorCode"]?.string.flatMap(RecordError.Code.init) else { return nil }
        self.init(
            code: code, cause: tree["cause"]?.string.flatMap(RecordError.Cause.init),
            reason: tree["reason"]?.string ?? "", count: Int(tree["count"]?.integer ?? 0),
            recordNames: (tree["recordNames"]?.array ?? []).compactMap(\.string))
    }
}

extension Database {
    /// Deletes all records that match a query, in one request.
    ///
    /// The server executes other writes during the bulk delete. To show the progress, use ``deleteInBackground(_:)``. If
    /// more records match than one request may change, the server does the work in a job, and this call waits for it.
    ///
    /// ```swift
    /// let outcome = try await database.delete(matching: Query<Entry>(\.time < halfYearAgo))
    /// ```
    ///
    /// - Parameters:
    ///   - query: The query, with at least one condition. The order and limit of the query are ignored.
    ///   - limit: The maximum number of matching records; `nil` for no limit.
    /// - Throws: `FogbaseError.limitExceeded` if more than `limit` records match, in which case nothing is deleted;
    ///   `invalidArgument` if the query has no condition.
    public func delete<Model>(matching query: Query<Model>, ifAtMost limit: Int? = nil) async throws -> SetOutcome {
        try await change(query, call: "DELETE", counted: "deleted", limit: limit, body: nil)
    }

    /// Deletes all records of a type, in one request.
    ///
    /// - Throws: `FogbaseError.limitExceeded` if the type has more than `limit` records, in which case nothing is
    ///   deleted.
    public func deleteAll<Model: RecordShape>(_ type: Model.Type, ifAtMost limit: Int? = nil) async throws -> SetOutcome
    {
        var call = Call("DELETE", "query", Model.recordType)
        call.query = [("all", "true")] + (limit.map { [("maxAffected", "\($0)")] } ?? [])
        return try await outcome(of: call, counted: "deleted")
    }

    /// Updates all records that match a query, in one request.
    ///
    /// ```swift
    /// let outcome = try await database.change(matching: Query<Post>(\.good == 0), .set(.state, "hidden"))
    /// ```
    ///
    /// - Parameters:
    ///   - query: The query, with at least one condition. The order and limit of the query are ignored.
    ///   - changes: The field operations.
    ///   - limit: The maximum number of matching records; `nil` for no limit.
    /// - Throws: `FogbaseError.limitExceeded` if more than `limit` records match, in which case nothing is updated;
    ///   `invalidArgument` if the query has no condition.
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
        var call = try bulkCall(query, method)
        if let limit { call.query.append(("maxAffected", "\(limit)")) }
        if let body { call.setJSON(body) }
        return try await outcome(of: call, counted: key)
    }

    /// Returns the call of a bulk update or bulk delete.
    func bulkCall<Model>(_ query: Query<Model>, _ method: String) throws -> Call {
        guard let filter = query.filter else {
            throw FogbaseError.invalidArgument(
                "This would \(method == "DELETE" ? "delete" : "change") every \(Model.self). "
                    + "Pass Query<\(Model.self)>(.all) if you mean that")
        }
        if let problem = filter.problem { throw FogbaseError.invalidArgument(problem) }
        var call = Call(method, "query", Model.recordType)
        call.query = [("where", filter.text)]
        for argument in filter.arguments {
            call.query.append(("arg", String(decoding: argument.bytes, as: UTF8.self)))
        }
        return call
    }

    private func outcome(of call: Call, counted key: String) async throws -> SetOutcome {
        var call = call
        call.idempotencyKey = RecordNames.make()
        call.timeout = .seconds(600)
        let response = try await connection.send(call)
        // More records match than one request may change, so a job does the work.
        if response.status == 202 { return try await connection.outcome(of: try ServerJob(response.readTree())) }
        return try Self.outcome(of: response, counted: key)
    }

    /// Reads the response to a bulk update or bulk delete.
    static func outcome(of response: TransportResponse, counted key: String) throws -> SetOutcome {
        let tree = try response.readTree()
        guard let matched = tree["matched"]?.integer, let changed = tree[key]?.integer else {
            throw FogbaseError.notFogbase(status: 200, "The response has no count of changed records")
        }
        return SetOutcome(
            matched: Int(matched), changed: Int(changed), skipped: Int(tree["skipped"]?.integer ?? 0),
            skipReasons: (tree["skipReasons"]?.array ?? []).compactMap(SetOutcome.SkipReason.init))
    }
}
