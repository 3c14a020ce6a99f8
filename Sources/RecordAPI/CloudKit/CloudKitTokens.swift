internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The tokens operations of CloudKit Web Services, and the URL that clients poll for notifications.
///
/// The server sends nothing to APNs. A client that creates a token polls `webcourierURL`, and gets in each response one
/// notification in the form of a push.
enum CloudKitTokens {
    static let routes: [CloudKitRoute] =
        [
            CloudKitRoute(
                "POST /device/1/{container}/{environment}/tokens/create", "tokens/create", rate: .write,
                callers: .usersAndKeys
            ) { call in try await create(&call) },
            // Apple's guide prints this path.
            CloudKitRoute(
                "POST /database/1/{container}/{environment}/tokens/create", "tokens/create", rate: .write,
                callers: .usersAndKeys
            ) { call in try await create(&call) },
            // A client library in use sends this path.
            CloudKitRoute(
                "POST /database/1/{container}/{environment}/{database}/tokens/create", "tokens/create", rate: .write,
                callers: .usersAndKeys
            ) { call in try await create(&call) },
            CloudKitRoute(
                "POST /device/1/{container}/{environment}/tokens/register", "tokens/register", rate: .write,
                callers: .usersAndKeys
            ) { call in try await register(&call) },
            CloudKitRoute(
                "POST /database/1/{container}/{environment}/tokens/register", "tokens/register", rate: .write,
                callers: .usersAndKeys
            ) { call in try await register(&call) },
            CloudKitRoute(
                "POST /database/1/{container}/{environment}/{database}/tokens/register", "tokens/register",
                rate: .write, callers: .usersAndKeys
            ) { call in try await register(&call) },
            CloudKitRoute(
                "GET /device/1/{container}/{environment}/notifications/{token}", "notifications", rate: .read,
                callers: .holders
            ) { call in try await poll(call) },
        ]

    /// How long a poll waits for a notification, in seconds. Clients and proxies in use give up after 30 seconds.
    static let pollSeconds = 25

    // MARK: Tokens

    /// `tokens/create` with `{"apnsEnvironment"?}`: a token and the URL to poll.
    private static func create(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.object()
        let environment = try environment(body, call)
        let token = try await call.database.notificationTokens.create(
            environment: environment, by: call.caller, rightsVersion: call.rightsVersion)
        return .cloudKit(document(token, environment, call))
    }

    /// `tokens/register` with `{"apnsEnvironment"?,"apnsToken"}`: keeps a token of this server valid, or makes it so again.
    private static func register(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.object()
        let token = try body.required("apnsToken", try body.string("apnsToken"))
        let environment = try environment(body, call)
        try await call.database.notificationTokens.register(
            token, environment: environment, by: call.caller, rightsVersion: call.rightsVersion)
        return .cloudKit(document(token, environment, call))
    }

    private static func environment(_ body: CloudKitObject, _ call: CloudKitCall) throws(RecordError) -> String {
        guard let text = try body.string("apnsEnvironment") else { return call.path.id.environment.rawValue }
        guard let environment = RecordEnvironment(cloudKit: text) else {
            throw .unexpectedInput("'apnsEnvironment' is development or production")
        }
        return environment.rawValue
    }

    private static func document(_ token: String, _ environment: String, _ call: CloudKitCall) -> JSONObject {
        let url =
            "\(call.baseURL)/device/1/\(PathSegment.encode(call.path.id.container.text))/"
            + "\(call.path.id.environment.rawValue)/notifications/\(token)"
        return JSONObject([
            ("apnsEnvironment", .string(environment)), ("apnsToken", .string(token)), ("webcourierURL", .string(url)),
        ])
    }

    // MARK: Polls

    /// Returns the next notification of a device as soon as there is one. An empty body means that there is none yet.
    ///
    /// The device continues behind a notification when the server has sent it, or where `since` says: the `token` of a
    /// notification that it has received.
    private static func poll(_ call: CloudKitCall) async throws -> HTTPResponse {
        let device = try call.reader.notificationTokens.device(call.parameters[2])
        let (text, database) = (call.parameters[2], call.database)
        let since = call.request.target.query("since").flatMap { $0.isEmpty ? nil : $0 }
        let watcher = call.context.watcher(database, call.path.id)
        let feed: NotificationFeed
        do throws(RecordError) {
            feed = try NotificationFeed(
                for: device.caller, since: .token(since ?? device.position), by: call.reader, watcher: watcher)
        } catch {
            guard since == nil, error.cause == .tokenExpired else { throw error }
            // The database was restored from a backup.
            feed = try NotificationFeed(for: device.caller, since: .now, by: call.reader, watcher: watcher)
        }
        let batch: NotificationFeed.Batch
        do throws(RecordError) {
            batch = try await feed.next(for: device.caller, limit: 1, by: call.reader)
        } catch {
            guard since == nil, error.cause == .tokenExpired else { throw error }
            // Deletions that the device missed are no longer kept.
            try call.reader.refresh()
            try feed.skip(by: call.reader)
            batch = try await feed.next(for: device.caller, limit: 1, by: call.reader)
        }
        let container = call.path.id.container.text
        let user = try call.recordName(of: device.caller)
        return .poll(
            NotificationPoll(
                feed, in: database, of: call.context, id: call.path.id, limit: 1, seconds: pollSeconds,
                startingWith: batch,
                authenticate: { reader throws(RecordError) in
                    try reader.notificationTokens.device(text).caller
                },
                document: { batch in
                    batch.notifications.first.map { notification in
                        var push = notification.push(container: container, user: user)
                        push["token"] = .string(batch.tokens.first ?? batch.end)
                        return .object(push)
                    }
                },
                didPass: { batch in
                    device.move(
                        to: batch.tokens.first ?? batch.end, isNotified: !batch.notifications.isEmpty, in: database)
                }))
    }
}

extension SubscriptionNotification {
    /// Returns the notification as the payload of a push: `{"aps"?,"ck"}`, with the keys that clients of CloudKit read.
    func push(container: String, user: String?) -> JSONObject {
        var change = JSONObject([
            ("sid", .string(subscription.name)), ("dbs", .integer(subscription.databaseCode)),
        ])
        if let zone {
            change["zid"] = .string(zone)
            if let name = owner ?? user { change["zoid"] = .string(name) }
        }
        if let recordName { change["rid"] = .string(recordName) }
        if let reason { change["fo"] = .integer(reason.code) }
        var values = JSONObject()
        for name in names(subscription.definition.notification?["additionalFields"]) { values[name] = value(of: name) }
        if values.count > 0 { change["af"] = .object(values) }
        var push = JSONObject()
        if let aps = alert { push["aps"] = .object(aps) }
        var ck = JSONObject([("nid", .string(id)), ("cid", .string(container))])
        if let user { ck["ckuserid"] = .string(user) }
        ck[subscription.definition.kind.pushKey] = .object(change)
        push["ck"] = .object(ck)
        return push
    }

    /// The part for Apple's push service; `nil` if the subscription shows nothing.
    private var alert: JSONObject? {
        guard let info = subscription.definition.notification else { return nil }
        var alert = JSONObject()
        for (key, name) in [
            ("body", "alertBody"), ("loc-key", "alertLocalizationKey"),
            ("action-loc-key", "alertActionLocalizationKey"), ("launch-image", "alertLaunchImage"),
        ] { alert[key] = info[name] }
        let arguments = names(info["alertLocalizationArgs"])
        if !arguments.isEmpty { alert["loc-args"] = .array(arguments.map { .string(argument($0)) }) }
        var aps = JSONObject()
        // APNs also takes a text as the alert, but CloudKit JS reads only the keys of an object.
        if alert.count > 0 { aps["alert"] = .object(alert) }
        if info["shouldBadge"] == .bool(true) { aps["badge"] = 1 }
        aps["sound"] = info["soundName"]
        aps["category"] = info["category"]
        if info["shouldSendContentAvailable"] == .bool(true) { aps["content-available"] = 1 }
        return aps.count > 0 ? aps : nil
    }

    private func names(_ value: JSONValue?) -> [String] { value?.array?.compactMap(\.string) ?? [] }

    /// The value of a field; `nil` if the record has none, or the caller may not read it.
    private func value(of field: String) -> JSONValue? { fields[field]?["value"] }

    /// An argument of the alert: the value of the field with this name, or the text itself.
    private func argument(_ name: String) -> String {
        guard let value = value(of: name) else { return name }
        return value.string ?? String(decoding: value.bytes, as: UTF8.self)
    }
}

extension SubscriptionNotification.Reason {
    /// The number in `fo`.
    fileprivate var code: Int64 {
        switch self {
        case .create: 1
        case .update: 2
        case .delete: 3
        }
    }
}

extension SubscriptionDefinition.Kind {
    /// The key of the change in `ck`.
    fileprivate var pushKey: String {
        switch self {
        case .query: "qry"
        case .zone: "fet"
        case .database: "met"
        }
    }
}
