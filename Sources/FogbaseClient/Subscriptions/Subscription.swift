internal import RecordWire

/// What a user or API key wants to learn of: changes of records, of a zone, or of a database.
///
/// ```swift
/// let good = Subscription.query("good-posts", on: Post.self, where: \.good >= 5, firesOn: [.create])
/// try await container.publicDatabase.subscriptions.save(good)
/// ```
///
/// The server keeps subscriptions. ``Container/notificationFeed(since:)`` reads what they report.
public struct Subscription: Hashable, Sendable, Identifiable {
    /// The kinds of subscriptions.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The records of a type that match a predicate.
        case query
        /// All records of a zone.
        case zone
        /// All zones of a private or shared database.
        case database
    }

    /// A change of a record on which a query subscription fires.
    public enum Event: String, Hashable, Sendable, CaseIterable {
        /// A new record matches.
        case create
        /// A changed record matches.
        case update
        /// A record of the type was deleted.
        case delete
    }

    /// The name, unique in the caller's database.
    public let id: String
    /// The kind.
    public let kind: Kind
    /// The record type of a query subscription; `nil` for other kinds.
    public let recordType: String?
    /// The watched zone; `nil` for all zones of the database.
    public let zone: String?
    /// The owner of the watched zone in the shared database; otherwise `nil`.
    public let owner: String?
    /// The changes on which a query subscription fires; empty for other kinds.
    public let events: Set<Event>
    /// Whether the subscription ends with its first notification.
    public let firesOnce: Bool
    /// The predicate in the query language; `nil` if all records match, or if it has the form of CloudKit's filters.
    public let predicate: String?
    /// The members of the subscription for the server, without its ID.
    let body: JSONObject

    /// Creates a subscription to the records of a type.
    ///
    /// - Parameters:
    ///   - id: The name.
    ///   - model: The type of the records.
    ///   - filter: The records to report; `nil` for all.
    ///   - zone: The zone to watch; `nil` for all zones of the database.
    ///   - events: The changes to report.
    ///   - firesOnce: Whether the subscription ends with its first notification.
    ///   - fields: The names of fields whose values notifications have.
    /// - Throws: `FogbaseError.invalidArgument` if the filter is not valid.
    public static func query<Model: RecordShape>(
        _ id: String, on model: Model.Type, where filter: Filter<Model>? = nil, zone: String? = nil,
        firesOn events: Set<Event> = Set(Event.allCases), firesOnce: Bool = false, fields: [String] = []
    ) throws -> Subscription {
        if let problem = filter?.problem { throw FogbaseError.invalidArgument(problem) }
        var body = JSONObject([("type", .string(Kind.query.rawValue)), ("recordType", .string(Model.recordType))])
        if let filter {
            body["where"] = .string(filter.text)
            if !filter.arguments.isEmpty { body["args"] = .array(filter.arguments) }
        }
        body["zone"] = zone.map(JSONValue.string)
        body["firesOn"] = .array(events.map(\.rawValue).sorted().map(JSONValue.string))
        if firesOnce { body["firesOnce"] = true }
        if !fields.isEmpty { body["notification"] = ["additionalFields": .array(fields.map(JSONValue.string))] }
        return Subscription(id, .query, body)
    }

    /// Creates a subscription to all changes of a zone.
    ///
    /// - Parameters:
    ///   - id: The name.
    ///   - zone: The name of the zone.
    ///   - owner: For the shared database, the record name of the user who owns the zone. For the private database, `nil`.
    public static func zone(_ id: String, of zone: String, owner: String? = nil) -> Subscription {
        var body = JSONObject([("type", .string(Kind.zone.rawValue)), ("zone", .string(zone))])
        body["owner"] = owner.map(JSONValue.string)
        return Subscription(id, .zone, body)
    }

    /// Creates a subscription to all changes in the private or shared database.
    public static func database(_ id: String) -> Subscription {
        Subscription(id, .database, JSONObject([("type", .string(Kind.database.rawValue))]))
    }

    private init(_ id: String, _ kind: Kind, _ body: JSONObject) {
        self.id = id
        self.kind = kind
        self.body = body
        recordType = body["recordType"]?.string
        zone = body["zone"]?.string
        owner = body["owner"]?.string
        events = Set((body["firesOn"]?.array ?? []).compactMap { $0.string.flatMap(Event.init) })
        firesOnce = body["firesOnce"]?.bool ?? false
        predicate = body["where"]?.string
    }

    /// Reads a subscription from a response.
    ///
    /// - Throws: `FogbaseError.notFogbase` if the JSON is not a subscription.
    init(_ tree: JSONValue, status: Int) throws {
        guard let id = tree["subscriptionID"]?.string, let kind = tree["type"]?.string.flatMap(Kind.init) else {
            throw FogbaseError.notFogbase(status: status, "A subscription has no ID or kind")
        }
        var body = JSONObject()
        for member in tree.object?.members ?? []
        where !["subscriptionID", "database", "createdAt"].contains(member.key) { body[member.key] = member.value }
        self.init(id, kind, body)
    }
}

/// The subscriptions of the caller in a database.
public struct DatabaseSubscriptions: Sendable {
    let connection: Connection

    /// Creates a subscription, or replaces the one with its ID. It reports changes from now on.
    ///
    /// - Throws: `FogbaseError.badRequest` for a predicate that does not fit the schema, or a kind that the database does
    ///   not have; `zoneNotFound`; `limitExceeded` if the account has as many subscriptions as it may have.
    @discardableResult
    public func save(_ subscription: Subscription) async throws -> Subscription {
        var call = Call("PUT", "subscriptions", subscription.id)
        call.isRepeatable = true
        call.setJSON(JSONValue.object(subscription.body).bytes)
        let response = try await connection.send(call)
        return try Subscription(try response.readTree(), status: response.status)
    }

    /// Fetches a subscription.
    ///
    /// - Throws: `FogbaseError.notFound` if there is none with this ID.
    public func fetch(_ id: String) async throws -> Subscription {
        let response = try await connection.send(Call("GET", "subscriptions", id))
        return try Subscription(try response.readTree(), status: response.status)
    }

    /// Fetches all subscriptions of the caller in the database.
    public func all() async throws -> [Subscription] {
        let response = try await connection.send(Call("GET", "subscriptions"))
        guard let list = try response.readTree()["subscriptions"]?.array else {
            throw FogbaseError.notFogbase(status: response.status, "A list of subscriptions is missing")
        }
        return try list.map { try Subscription($0, status: response.status) }
    }

    /// Deletes a subscription.
    ///
    /// - Throws: `FogbaseError.notFound` if there is none with this ID.
    public func delete(_ id: String) async throws {
        _ = try await connection.send(Call("DELETE", "subscriptions", id))
    }
}

extension Database {
    /// The subscriptions of the caller in this database.
    public var subscriptions: DatabaseSubscriptions {
        DatabaseSubscriptions(connection: connection.addressing(zone: Zone.defaultName))
    }
}
