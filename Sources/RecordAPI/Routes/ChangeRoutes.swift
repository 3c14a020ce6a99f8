internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes of the change feed.
enum ChangeRoutes {
    private static let parameters = ["since", "limit", "fields", "type", "where", "arg"]

    static let routes: [Route] = [
        Route(
            "GET /changes", "fetchChanges", .changes, "Reads what changed in a zone since a token, or streams it",
            rate: .read, options: .streams, query: parameters + ["ticket"], headers: ["lastEventID"],
            responses: [
                .jsonOrEvents(
                    200, "Changes", "Changes, oldest first, and the token for the next call; or events as they happen"),
                .error(410, "The token is too old: start again without one"),
            ]
        ) { call in try await fetch(call) },
        Route(
            "POST /changes/tickets", "createFeedTicket", .changes,
            "Creates a ticket with which a browser opens the stream of these parameters, once and within a minute",
            rate: .read, query: parameters,
            responses: [.json(201, "FeedTicket", "The ticket, and the path of the stream")]
        ) { call in try ticket(call) },
    ]

    /// `GET /changes`: returns the changes in a zone since a sync token, or streams them.
    static func fetch(_ call: RecordCall) async throws -> HTTPResponse {
        if call.request.fields.acceptsEventStream { return try stream(call) }
        try requireJSONAccepted(call.request.fields)
        for name in ["where", "arg"] where call.query[name] != nil {
            throw RequestQuery.invalid(
                name, "A condition goes with a stream of events: send Accept: text/event-stream")
        }
        var request = ChangesRequest(
            in: try call.address(), for: call.caller, since: FeedStart(call.query["since"]),
            limit: try call.query.limit(call.database.limits), selection: try selection(call.query),
            opening: Envelope.changes)
        request.network = call.network
        var response = HTTPResponse.json(try await call.reader.feed.changes(request).json())
        response.fields.append(.vary, literal: "Accept")
        return response
    }

    /// `GET /changes` with `Accept: text/event-stream`: streams the changes as server-sent events.
    private static func stream(_ call: RecordCall) throws -> HTTPResponse {
        // The client's own position is newer than that in the URL, which a browser repeats when it connects again.
        let since = call.request.fields[.lastEventID] ?? call.query["since"]
        guard call.query["limit"] == nil else {
            throw RequestQuery.invalid("limit", "A stream has no pages. Leave out 'limit'")
        }
        let id = try call.query.databaseID(default: call.api.configuration.defaultDatabase)
        let feed = try FeedStream(
            try selection(call.query), in: try call.address(), for: call.caller, since: FeedStart(since),
            framing: EventStream.framing, by: call.reader, watcher: call.context.watcher(call.database, id))
        return .eventStream(EventStream(feed, of: call, id: id))
    }

    /// `POST /changes/tickets`: creates a ticket for a stream.
    private static func ticket(_ call: RecordCall) throws -> HTTPResponse {
        _ = try call.address()
        guard call.query["limit"] == nil else {
            throw RequestQuery.invalid("limit", "A stream has no pages. Leave out 'limit'")
        }
        _ = try call.reader.feed.check(try selection(call.query), in: try call.address(), for: call.caller)
        return call.api.tickets.issue(for: "/changes", to: call)
    }

    /// Returns the changes that a request selects.
    ///
    /// - Throws: BAD_REQUEST for invalid types, fields or arguments, or a condition without exactly one type.
    private static func selection(_ query: RequestQuery) throws(RecordError) -> FeedSelection {
        var selection = FeedSelection(fields: try query.fields())
        let names = query.all("type")
        guard names.count <= FeedSelection.maxTypes else {
            throw .badRequest(
                "'type' is given too often", cause: .tooLarge,
                details: [("parameter", .text("type")), ("limit", .number(Int64(FeedSelection.maxTypes)))])
        }
        var types: Set<RecordTypeName> = []
        for name in names {
            guard let type = RecordTypeName(name) else {
                throw RequestQuery.invalid("type", "A record type's name \(Identifier.rule)")
            }
            types.insert(type)
        }
        if !names.isEmpty { selection.types = types }
        guard query["where"] != nil || query["arg"] != nil else { return selection }
        guard let type = types.first, types.count == 1 else {
            throw RequestQuery.invalid("where", "A condition is about the records of one type. Give one 'type'")
        }
        selection.condition = try query.condition(on: type)
        return selection
    }

    static let schemas: StaticString = #"""
        "Changes":{"type":"object","required":["changes","token","moreComing"],"properties":{
        "changes":{"type":"array","items":{"anyOf":[{"$ref":"#/components/schemas/Record"},
        {"$ref":"#/components/schemas/Deletion"}]}},
        "token":{"type":"string"},"moreComing":{"type":"boolean"}}},
        "FeedTicket":{"type":"object","required":["ticket","url","expiresAt"],"properties":{
        "ticket":{"type":"string"},"url":{"type":"string","description":"The path and query of the stream"},
        "expiresAt":{"type":"integer","description":"Milliseconds since 1970"}}}
        """#
}
