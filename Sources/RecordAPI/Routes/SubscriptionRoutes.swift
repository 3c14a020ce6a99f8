internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes of subscriptions and their notifications.
enum SubscriptionRoutes {
    private static let parameters = ["since", "limit", "wait"]

    static let routes: [Route] = [
        Route(
            "GET /subscriptions", "listSubscriptions", .subscriptions,
            "Lists the caller's subscriptions in a database; those of all accounts with everyone (right manageUsers)",
            rate: .read, query: ["everyone", "limit", "cursor"],
            responses: [.json(200, "Subscriptions", "All subscriptions, in the order of their IDs")]
        ) { call in try list(call) },
        Route(
            "GET /subscriptions/{id}", "readSubscription", .subscriptions, "Shows a subscription of the caller",
            rate: .read,
            responses: [.json(200, "Subscription", "The subscription"), .error(404, "There is no such subscription")]
        ) { call in try read(call) },
        Route(
            "PUT /subscriptions/{id}", "putSubscription", .subscriptions,
            "Creates a subscription of the caller, or replaces it", rate: .write, body: .json("NewSubscription"),
            responses: [
                .json(200, "Subscription", "The subscription was replaced"),
                .json(201, "Subscription", "The new subscription"),
            ]
        ) { call in try await put(&call) },
        Route(
            "DELETE /subscriptions/{id}", "deleteSubscription", .subscriptions, "Deletes a subscription of the caller",
            rate: .write,
            responses: [.empty(204, "Gone"), .error(404, "There is no such subscription")]
        ) { call in
            try await call.database.subscriptions.remove(
                call.parameters[0], in: try database(call), by: call.caller, rightsVersion: call.rightsVersion)
            return HTTPResponse(.noContent)
        },
        Route(
            "GET /notifications", "fetchNotifications", .subscriptions,
            "Reads what the caller's subscriptions have to tell since a token, waits for it, or streams it",
            rate: .read, options: .streams, query: parameters + ["ticket"], headers: ["lastEventID"],
            responses: [
                .jsonOrEvents(
                    200, "Notifications",
                    "Notifications in the order of their changes, and the token for the next call; or events"),
                .error(410, "The token is too old: read the records again, and start with since=now"),
            ]
        ) { call in try await fetch(call) },
        Route(
            "POST /notifications/tickets", "createNotificationTicket", .subscriptions,
            "Creates a ticket with which a browser opens the caller's stream, once and within a minute", rate: .read,
            query: ["since"], responses: [.json(201, "FeedTicket", "The ticket, and the path of the stream")]
        ) { call in try ticket(call) },
    ]

    // MARK: Subscriptions

    /// `GET /subscriptions`: lists the subscriptions in the database of the scope parameters.
    private static func list(_ call: RecordCall) throws -> HTTPResponse {
        if try call.query.word("everyone") { return try listAll(call) }
        for name in ["limit", "cursor"] where call.query[name] != nil {
            throw RequestQuery.invalid(name, "All of the caller's subscriptions are on one page. Leave out '\(name)'")
        }
        let found = try call.reader.subscriptions.list(in: try database(call), for: call.caller)
        return .json(["subscriptions": .array(found.map(\.json))])
    }

    /// `GET /subscriptions?everyone=true`: lists the subscriptions of all accounts, oldest first, each with `by`.
    private static func listAll(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.manageUsers)
        for name in ["database", "zone", "owner"] where call.query[name] != nil {
            throw RequestQuery.invalid(name, "The list of everyone is of all databases. Leave out '\(name)'")
        }
        let page = try call.reader.subscriptions.page(
            after: call.query["cursor"], limit: try call.query.limit(call.database.limits), for: call.caller)
        let items = page.items.map { item in
            var object = item.subscription.json.object ?? JSONObject()
            object["by"] = item.account.json
            return JSONValue.object(object)
        }
        var response = JSONObject([("subscriptions", .array(items))])
        if let cursor = page.cursor { response["cursor"] = .string(cursor) }
        return .json(.object(response))
    }

    private static func read(_ call: RecordCall) throws -> HTTPResponse {
        let database = try database(call)
        return .json(try call.reader.subscriptions.find(call.parameters[0], in: database, for: call.caller).json)
    }

    /// `PUT /subscriptions/{id}` with
    /// `{"type","recordType"?,"where"?,"args"?,"filterBy"?,"zone"?,"owner"?,"firesOn"?,"firesOnce"?,"notification"?}`.
    private static func put(_ call: inout RecordCall) async throws -> HTTPResponse {
        // Before the body is read.
        _ = try call.caller.subscriber
        let definition = try await call.object(keys: SubscriptionDefinition.keys, upTo: 65_536) {
            object throws(RecordError) in try SubscriptionDefinition(object)
        }
        let database = try database(call)
        try call.reader.subscriptions.check(definition, in: database, for: call.caller)
        let (subscription, isNew) = try await call.database.subscriptions.put(
            call.parameters[0], definition, in: database, by: call.caller, rightsVersion: call.rightsVersion)
        return .json(subscription.json, status: isNew ? .created : .ok)
    }

    /// Returns the database whose subscriptions a request addresses.
    ///
    /// - Throws: BAD_REQUEST for a zone of the shared database; the errors of `RecordCall.address`.
    private static func database(_ call: RecordCall) throws(RecordError) -> FollowedDatabase {
        guard call.query.isShared else { return .scope(try call.address().scope) }
        for name in ["zone", "owner"] where call.query[name] != nil {
            throw RequestQuery.invalid(name, "A subscription names its zone and owner in the body. Leave out '\(name)'")
        }
        return .shared
    }

    // MARK: Notifications

    /// The longest time that a request may wait, in seconds.
    static let longestWait = 60

    /// `GET /notifications`: returns notifications after a token, waits for them or streams them.
    private static func fetch(_ call: RecordCall) async throws -> HTTPResponse {
        if call.request.fields.acceptsEventStream { return try stream(call) }
        try requireJSONAccepted(call.request.fields)
        let limit = try call.query.limit(call.database.limits)
        let wait = try call.query.count("wait") ?? 0
        guard wait <= longestWait else {
            throw RequestQuery.invalid("wait", "'wait' is a number of seconds, at most \(longestWait)")
        }
        let feed = try open(call, since: call.query["since"])
        let batch = try await feed.next(for: call.caller.account, limit: limit, by: call.reader)
        guard wait > 0, batch.notifications.isEmpty else { return .notifications(document(batch)) }
        let poll = NotificationPoll(
            feed, in: call.database, of: call.context, id: try id(of: call), limit: limit, seconds: wait,
            startingWith: batch,
            authenticate: authenticator(call), document: { batch in document(batch) })
        return .poll(poll)
    }

    /// `GET /notifications` with `Accept: text/event-stream`: streams notifications as server-sent events.
    private static func stream(_ call: RecordCall) throws -> HTTPResponse {
        for name in ["limit", "wait"] where call.query[name] != nil {
            throw RequestQuery.invalid(name, "A stream sends each notification at once. Leave out '\(name)'")
        }
        // The client's own position is newer than that in the URL, which a browser repeats when it connects again.
        let since = call.request.fields[.lastEventID] ?? call.query["since"]
        let feed = try open(call, since: since, isStream: true)
        return .eventStream(BatchStream(feed, of: call, id: try id(of: call)))
    }

    private static func open(_ call: RecordCall, since: String?, isStream: Bool = false) throws -> NotificationFeed {
        try NotificationFeed(
            for: call.caller.account, since: FeedStart(since), by: call.reader,
            watcher: call.context.watcher(call.database, try id(of: call)), isStream: isStream)
    }

    /// Returns the database that a request names; `nil` for the default database.
    private static func id(of call: RecordCall) throws(RecordError) -> DatabaseID? {
        try call.query.databaseID(default: call.api.configuration.defaultDatabase)
    }

    private static func authenticator(_ call: RecordCall) -> NotificationPoll.Authenticator {
        let fields = call.request.fields
        return { reader throws(RecordError) in try Bearer.authenticate(fields, with: reader) }
    }

    /// `POST /notifications/tickets`: creates a ticket for a stream.
    private static func ticket(_ call: RecordCall) throws -> HTTPResponse {
        _ = try open(call, since: call.query["since"], isStream: true)
        return call.api.tickets.issue(for: "/notifications", to: call)
    }

    /// Returns a page of notifications: `{"notifications","token","moreComing"}`.
    private static func document(_ batch: NotificationFeed.Batch) -> JSONValue {
        [
            "notifications": .array(batch.notifications.map { .object($0.json) }), "token": .string(batch.end),
            "moreComing": .bool(batch.moreComing),
        ]
    }

    static let schemas: StaticString = #"""
        "NewSubscription":{"type":"object","required":["type"],"additionalProperties":false,"properties":{
        "type":{"type":"string","enum":["query","zone","database"]},
        "recordType":{"type":"string","description":"Of a query subscription"},
        "where":{"type":"string","maxLength":16384,"description":"A condition; absent: all records of the type"},
        "args":{"type":"array","maxItems":100,"description":"The values of the condition's placeholders"},
        "filterBy":{"type":"array","items":{"type":"object"},"description":"CloudKit's filters, which must match too"},
        "zone":{"type":"string","description":"The watched zone. Absent: all zones"},
        "owner":{"type":"string","description":"With database=shared, the user who owns the zone"},
        "firesOn":{"type":"array","minItems":1,"items":{"type":"string","enum":["create","update","delete"]},
        "default":["create","update","delete"]},
        "firesOnce":{"type":"boolean","default":false,"description":"Ends with the first notification"},
        "notification":{"$ref":"#/components/schemas/NotificationInfo"}}},
        "NotificationInfo":{"type":"object","additionalProperties":false,"properties":{
        "alertBody":{"type":"string"},"alertLocalizationKey":{"type":"string"},
        "alertLocalizationArgs":{"type":"array","maxItems":100,"items":{"type":"string"}},
        "alertActionLocalizationKey":{"type":"string"},"alertLaunchImage":{"type":"string"},
        "soundName":{"type":"string"},"category":{"type":"string"},"shouldBadge":{"type":"boolean"},
        "shouldSendContentAvailable":{"type":"boolean"},
        "additionalFields":{"type":"array","maxItems":100,"items":{"type":"string"}}}},
        "Subscription":{"type":"object","required":["subscriptionID","database","type","createdAt"],"properties":{
        "subscriptionID":{"type":"string"},"database":{"type":"string","enum":["public","private","shared"]},
        "type":{"type":"string","enum":["query","zone","database"]},"recordType":{"type":"string"},
        "where":{"type":"string"},"args":{"type":"array"},"filterBy":{"type":"array","items":{"type":"object"}},
        "zone":{"type":"string"},"owner":{"type":"string"},"firesOn":{"type":"array","items":{"type":"string"}},"firesOnce":{"type":"boolean"},
        "notification":{"$ref":"#/components/schemas/NotificationInfo"},
        "createdAt":{"type":"integer","description":"Milliseconds since 1970"},
        "by":{"type":"object","description":"The account, with everyone","properties":{
        "kind":{"type":"string","enum":["user","key"]},"name":{"type":"string"}}}}},
        "Subscriptions":{"type":"object","required":["subscriptions"],"properties":{
        "subscriptions":{"type":"array","items":{"$ref":"#/components/schemas/Subscription"}},
        "cursor":{"type":"string","description":"Of the next page of all accounts' subscriptions; absent at the end"}}},
        "Notification":{"type":"object","required":["notificationID","subscriptionID","type","database"],"properties":{
        "notificationID":{"type":"string","description":"The same for all subscriptions that a change has fired"},
        "subscriptionID":{"type":"string"},"type":{"type":"string","enum":["query","zone","database"]},
        "database":{"type":"string","enum":["public","private","shared"]},
        "reason":{"type":"string","enum":["create","update","delete"]},"zone":{"type":"string"},
        "ownerRecordName":{"type":"string"},"recordName":{"type":"string"},"recordType":{"type":"string"},
        "fields":{"type":"object","description":"The additionalFields and alertLocalizationArgs that are fields"},
        "notification":{"$ref":"#/components/schemas/NotificationInfo"}}},
        "Notifications":{"type":"object","required":["notifications","token","moreComing"],"properties":{
        "notifications":{"type":"array","items":{"$ref":"#/components/schemas/Notification"}},
        "token":{"type":"string"},"moreComing":{"type":"boolean"}}}
        """#
}

extension NotificationFeed: BatchFeed {
    static var event: String { "notification" }

    func events(
        for caller: Caller, limit: Int, by reader: RecordReader
    ) async throws(RecordError) -> EventBatch {
        let batch = try await next(for: caller, limit: limit, by: reader)
        return EventBatch(
            events: zip(batch.notifications, batch.tokens).map { ($0.json, $1) }, end: batch.end,
            moreComing: batch.moreComing)
    }

    func restart(by reader: RecordReader) throws(RecordError) -> String {
        try skip(by: reader)
        return token(by: reader)
    }
}

extension SubscriptionNotification {
    /// The notification as JSON.
    var json: JSONObject {
        var json = JSONObject([
            ("notificationID", .string(id)), ("subscriptionID", .string(subscription.name)),
            ("type", .string(subscription.definition.kind.rawValue)), ("database", .string(subscription.database)),
        ])
        for (key, text) in [
            ("reason", reason?.rawValue), ("zone", zone), ("ownerRecordName", owner), ("recordName", recordName),
            ("recordType", recordType),
        ] {
            if let text { json[key] = .string(text) }
        }
        if fields.count > 0 { json["fields"] = .object(fields) }
        if let notification = subscription.definition.notification { json["notification"] = .object(notification) }
        return json
    }
}

extension HTTPResponse {
    /// Creates a response with notifications, which must not be cached.
    fileprivate static func notifications(_ document: JSONValue) -> HTTPResponse {
        var response = HTTPResponse.json(document)
        response.fields.append(.vary, literal: "Accept")
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// Creates a response whose body follows when there is something to tell.
    static func poll(_ source: any HTTPEventSource) -> HTTPResponse {
        var response = HTTPResponse(.ok, body: .events(source))
        response.fields.append(.contentType, literal: "application/json; charset=UTF-8")
        response.fields.append(.xContentTypeOptions, literal: "nosniff")
        response.fields.append(.cacheControl, literal: "no-store")
        response.fields.append(.vary, literal: "Accept")
        // nginx would wait for the end of the body.
        response.fields.append(.xAccelBuffering, literal: "no")
        return response
    }
}
