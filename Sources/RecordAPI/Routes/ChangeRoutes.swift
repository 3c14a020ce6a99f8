internal import HTTP
internal import RecordEngine

/// The change feed.
enum ChangeRoutes {
    static let routes: [Route] = [
        Route(
            "GET /changes", "fetchChanges", .changes, "Reads what changed in a zone since a token", rate: .read,
            query: ["since", "limit", "fields"],
            responses: [
                .json(200, "Changes", "Changes, oldest first, and the token for the next call"),
                .error(410, "The token is too old: start again without one"),
            ]
        ) { call in try await fetch(call) }
    ]

    /// What changed in a zone since a token.
    static func fetch(_ call: RecordCall) async throws -> HTTPResponse {
        let request = ChangesRequest(
            in: try call.address(), for: call.caller, since: call.query["since"],
            limit: try call.query.limit(call.database.limits), fields: try call.query.fields(),
            opening: Envelope.changes)
        return .json(try await call.reader.feed.changes(request).json())
    }

    static let schemas: StaticString = #"""
        "Changes":{"type":"object","required":["changes","token","moreComing"],"properties":{
        "changes":{"type":"array","items":{"anyOf":[{"$ref":"#/components/schemas/Record"},
        {"$ref":"#/components/schemas/Deletion"}]}},
        "token":{"type":"string"},"moreComing":{"type":"boolean"}}}
        """#
}
