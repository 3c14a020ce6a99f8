package import RecordModel
package import RecordWire

/// What a subscription watches, and how it notifies: a JSON object whose form does not depend on the protocol.
package struct SubscriptionDefinition: Hashable, Sendable {
    /// The kinds of subscriptions.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The records of a type that match a predicate.
        case query
        /// All records of a zone.
        case zone
        /// All zones of a database.
        case database
    }

    /// The changes of a record on which a query subscription fires.
    package struct Events: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let create = Events(rawValue: 1)
        package static let update = Events(rawValue: 2)
        package static let delete = Events(rawValue: 4)
        package static let all: Events = [.create, .update, .delete]

        /// The single events with their words.
        static let words: [(word: String, event: Events)] = [
            ("create", .create), ("update", .update), ("delete", .delete),
        ]
    }

    /// The kind.
    package let kind: Kind
    /// The record type of a query subscription; `nil` for other kinds.
    package let recordType: RecordTypeName?
    /// The watched zone; `nil` for all zones.
    package let zone: ZoneName?
    /// The owner of the watched zone in the shared database; `nil` for zones of the account.
    package let owner: UserRecordName?
    /// The changes that fire a query subscription.
    package let events: Events
    /// Whether the subscription ends with its first notification.
    package let firesOnce: Bool
    /// What the notification shows; `nil` for nothing.
    package let notification: JSONObject?
    /// The predicate of a query subscription; `nil` if all records of the type match.
    package let condition: QueryInput?
    /// The members: `type`, `recordType`, `zone`, `owner`, `firesOn`, `firesOnce`, `notification`, and the predicate as `where`,
    /// `args` and `filterBy`, or as CloudKit's `query`.
    package let json: JSONObject

    /// The keys of the native interface.
    package static let keys = [
        "type", "recordType", "where", "args", "filterBy", "zone", "owner", "firesOn", "firesOnce", "notification",
    ]
    /// The key of a predicate in CloudKit's form.
    package static let cloudKitQuery = "query"
    private static let queryKeys = ["recordType", "where", "args", "filterBy", cloudKitQuery, "firesOn", "firesOnce"]

    /// The longest definition, in bytes of its JSON.
    package static let maxBytes = 16_384
    /// The most names in a list of `notification`.
    package static let maxNames = 100

    /// Reads a definition. A `null` value is the same as an absent key.
    ///
    /// - Throws: BAD_REQUEST for a value in another form, or a key that does not go with the kind; BAD_REQUEST with
    ///   cause TOO_LARGE for a definition that is too long.
    package init(_ object: JSONObject) throws(RecordError) {
        var json = JSONObject()
        for key in Self.keys + [Self.cloudKitQuery] {
            if let value = object[key], value != .null { json[key] = value }
        }
        guard let kind = json["type"]?.string.flatMap(Kind.init) else {
            throw Self.invalid("type", "'type' is query, zone or database")
        }
        self.kind = kind
        if kind != .query, let key = Self.queryKeys.first(where: { json[$0] != nil }) {
            throw Self.invalid(key, "'\(key)' goes with the type query")
        }
        if let value = json["zone"] {
            guard kind != .database else {
                throw Self.invalid("zone", "A database subscription watches all zones. Leave out 'zone'")
            }
            guard let zone = value.string.flatMap({ ZoneName($0) }) else {
                throw Self.invalid("zone", "'zone' is the name of a zone")
            }
            self.zone = zone
        } else {
            guard kind != .zone else { throw Self.invalid("zone", "A zone subscription needs 'zone', a name") }
            zone = nil
        }
        owner = try json["owner"].map { value throws(RecordError) in
            guard kind == .zone else { throw Self.invalid("owner", "'owner' goes with the type zone") }
            guard let owner = value.string.flatMap(UserRecordName.init) else {
                throw Self.invalid("owner", "'owner' is the record name of a user")
            }
            return owner
        }
        let query = kind == .query ? try Self.query(json) : nil
        recordType = query?.recordType
        condition = query.flatMap { $0.condition == nil && $0.filters.isEmpty ? nil : $0 }
        events = try Self.events(json["firesOn"])
        guard let firesOnce = (json["firesOnce"] ?? .bool(false)).bool else {
            throw Self.invalid("firesOnce", "'firesOnce' is true or false")
        }
        self.firesOnce = firesOnce
        notification = try json["notification"].map(Self.notification)
        json["notification"] = notification.map(JSONValue.object)
        self.json = json
        guard JSONValue.object(json).bytes.count <= Self.maxBytes else {
            throw .badRequest(
                "The subscription is too long", cause: .tooLarge, details: [("limit", .number(Int64(Self.maxBytes)))])
        }
    }

    /// Reads a stored definition; `nil` for one that is damaged, or of a later version.
    init?(stored text: String) {
        guard let object = (try? JSONValue.parse(Array(text.utf8)))?.object,
            let definition = try? SubscriptionDefinition(object)
        else { return nil }
        self = definition
    }

    /// The stored form.
    var stored: String { String(decoding: JSONValue.object(json).bytes, as: UTF8.self) }

    /// Whether another definition watches the same changes, so that a client misses nothing if one replaces the other.
    func watchesTheSame(as other: SubscriptionDefinition) -> Bool {
        kind == other.kind && recordType == other.recordType && zone == other.zone && owner == other.owner
            && events == other.events && condition == other.condition
    }

    /// The names of fields whose values the notification has: `additionalFields`, and the arguments of the alert.
    package var fields: [String] {
        ["additionalFields", "alertLocalizationArgs"].flatMap { names(notification?[$0]) }
    }

    private func names(_ value: JSONValue?) -> [String] { value?.array?.compactMap(\.string) ?? [] }

    private static func query(_ json: JSONObject) throws(RecordError) -> QueryInput {
        var query: QueryInput?
        if let value = json[cloudKitQuery] {
            let body = JSONValue.object(JSONObject([("query", value)]))
            query = try CloudKitQueryBody.read(body.bytes).query
        } else {
            var body = JSONObject()
            for key in ["recordType", "where", "args", "filterBy"] { body[key] = json[key] }
            query = try QueryInput.read(JSONValue.object(body).bytes)
        }
        guard var query, query.recordType != nil else {
            throw invalid("recordType", "A query subscription needs 'recordType', the name of a record type")
        }
        (query.sort, query.limit) = ([], nil)
        return query
    }

    private static func events(_ value: JSONValue?) throws(RecordError) -> Events {
        guard let value else { return .all }
        var events: Events = []
        for word in value.array ?? [value] {
            guard let known = Events.words.first(where: { $0.word == word.string }) else {
                throw invalid("firesOn", "'firesOn' is a list of create, update and delete")
            }
            events.insert(known.event)
        }
        guard !events.isEmpty else {
            throw invalid("firesOn", "'firesOn' names at least one of create, update, delete")
        }
        return events
    }

    // MARK: The notification

    /// The keys of `notification` with texts, and those with lists of texts and truth values (CloudKit Web Services
    /// Reference, "Notification Info Dictionary", and the additions of CloudKit JS).
    private static let textKeys = [
        "alertBody", "alertLocalizationKey", "alertActionLocalizationKey", "alertLaunchImage", "soundName", "category",
    ]
    private static let listKeys = ["alertLocalizationArgs", "additionalFields"]
    private static let flagKeys = ["shouldBadge", "shouldSendContentAvailable"]
    /// All keys of `notification`.
    package static let notificationKeys = textKeys + listKeys + flagKeys

    private static func notification(_ value: JSONValue) throws(RecordError) -> JSONObject {
        guard let object = value.object else { throw invalid("notification", "'notification' is an object") }
        var notification = JSONObject()
        for member in object.members where member.value != .null {
            let (key, value) = (member.key, member.value)
            let isValid =
                if textKeys.contains(key) {
                    value.string != nil
                } else if flagKeys.contains(key) {
                    value.bool != nil
                } else if listKeys.contains(key) {
                    value.array.map { $0.count <= maxNames && $0.allSatisfy { $0.string != nil } } ?? false
                } else {
                    throw invalid(
                        "notification.\(key.prefix(64))",
                        "'notification' has no key '\(key.prefix(64))'; its keys are "
                            + notificationKeys.joined(separator: ", "))
                }
            guard isValid else {
                let kind =
                    textKeys.contains(key) ? "a text" : flagKeys.contains(key) ? "true or false" : "a list of texts"
                throw invalid("notification.\(key)", "'\(key)' is \(kind)")
            }
            notification[key] = value
        }
        return notification
    }

    private static func invalid(_ field: String, _ reason: String) -> RecordError {
        .badRequest(reason, details: [("field", .text(field))])
    }
}
