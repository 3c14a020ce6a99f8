internal import RecordWire

/// What a subscription reports: a change of a record, a zone or a database.
public struct SubscriptionNotification: Hashable, Sendable {
    /// The ID of the change. Together with ``subscriptionID``, it identifies the notification, which may come again.
    public let id: String
    /// The subscription that has fired.
    public let subscriptionID: String
    /// The database: `public`, `private` or `shared`.
    public let database: String
    /// The change of the record; `nil` for a zone or a database.
    public let event: Subscription.Event?
    /// The zone; `nil` for a database.
    public let zone: String?
    /// The record name of the user who owns the zone; `nil` in the public database, and for a shared database as a whole.
    public let owner: String?
    /// The name of the record; `nil` for a zone or a database.
    public let recordName: String?
    /// The type of the record; `nil` for a zone or a database.
    public let recordType: String?

    init(_ tree: JSONValue, status: Int) throws {
        guard let id = tree["notificationID"]?.string, let subscription = tree["subscriptionID"]?.string else {
            throw FogbaseError.notFogbase(status: status, "A notification has no ID")
        }
        self.id = id
        subscriptionID = subscription
        database = tree["database"]?.string ?? ""
        event = tree["reason"]?.string.flatMap(Subscription.Event.init)
        zone = tree["zone"]?.string
        owner = tree["ownerRecordName"]?.string
        recordName = tree["recordName"]?.string
        recordType = tree["recordType"]?.string
    }
}

/// A position in the notifications of an account. Save it when the notifications before it are processed.
public struct NotificationToken: Hashable, Sendable, Codable {
    /// The token as text, for an app to save with its data.
    public var text: String

    /// Creates a token from its saved text.
    public init(_ text: String) {
        self.text = text
    }

    /// After the newest change.
    public static let now = NotificationToken("now")
}

/// A page of notifications, in the order of their changes.
public struct NotificationPage: Hashable, Sendable {
    /// The notifications.
    public let notifications: [SubscriptionNotification]
    /// The position after them.
    public let token: NotificationToken
    /// Whether more changes are available now.
    public let moreComing: Bool
}

extension Container {
    /// Reads what the subscriptions of the caller report, in all its databases.
    ///
    /// - Parameters:
    ///   - token: The token of the last page that was processed; `nil` starts with the oldest notification.
    ///   - limit: The maximum number of notifications; `nil` uses the server's default.
    ///   - seconds: How long the server waits for a notification: 0 to 60 seconds.
    /// - Throws: `FogbaseError.tokenExpired` if the token is too old: read the records again, and start with `.now`.
    public func notifications(
        since token: NotificationToken? = nil, limit: Int? = nil, wait seconds: Int = 0
    ) async throws -> NotificationPage {
        var call = Call("GET", "notifications")
        if let token { call.query.append(("since", token.text)) }
        if let limit { call.query.append(("limit", String(limit))) }
        if seconds > 0 {
            call.query.append(("wait", String(seconds)))
            // The client's own time limit must not come before the server's.
            call.timeout = .seconds(seconds + 30)
        }
        let response = try await connection.send(call)
        let tree = try response.readTree()
        guard let next = tree["token"]?.string, let list = tree["notifications"]?.array else {
            throw FogbaseError.notFogbase(status: response.status, "A page of notifications has no token")
        }
        return NotificationPage(
            notifications: try list.map { try SubscriptionNotification($0, status: response.status) },
            token: NotificationToken(next), moreComing: tree["moreComing"]?.bool ?? false)
    }
}
