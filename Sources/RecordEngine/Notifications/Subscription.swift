package import RecordModel
internal import RecordStorage
package import RecordWire

/// A subscription, as its account sees it.
package struct Subscription: Hashable, Sendable {
    /// The name, unique in the database of the account.
    package let name: String
    /// The database: `public`, `private` or `shared`.
    package let database: String
    /// The number of the database in CloudKit's payloads: 1 public, 2 private, 3 shared.
    package let databaseCode: Int64
    /// What the subscription watches.
    package let definition: SubscriptionDefinition
    /// When it was created, in milliseconds since 1970.
    package let created: Int64

    init(_ row: SubscriptionRow, _ definition: SubscriptionDefinition) {
        name = row.name
        database = row.database.word
        databaseCode = row.database.rawValue + 1
        self.definition = definition
        created = row.created
    }

    /// The subscription as JSON: `{"subscriptionID","database","type",…,"createdAt"}`.
    package var json: JSONValue {
        var json = JSONObject([("subscriptionID", .string(name)), ("database", .string(database))])
        for member in definition.json.members {
            guard member.key == SubscriptionDefinition.cloudKitQuery else {
                json[member.key] = member.value
                continue
            }
            // A predicate in CloudKit's form has the same filters as the native one.
            for key in ["recordType", "filterBy"] {
                if let value = member.value[key], value != .array([]) { json[key] = value }
            }
        }
        if definition.kind == .query, json["firesOn"] == nil {
            json["firesOn"] = .array(SubscriptionDefinition.Events.words.map { .string($0.word) })
        }
        json["createdAt"] = .integer(created)
        return .object(json)
    }
}

extension FollowedDatabase {
    /// Returns the account to which a caller's subscriptions in the database belong.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED for an anonymous caller; ACCESS_DENIED for an administrator, for another's
    ///   private database, and for an API key in a database of users.
    func subscriber(_ caller: Caller) throws(RecordError) -> UserID {
        switch self {
        case .scope(.publicDatabase): return try caller.subscriber
        case .scope(.privateDatabase(let owner)):
            guard Authorization.mayEnterPrivateDatabase(caller, of: owner) else {
                throw .rejected(caller, .read, .privateDatabase)
            }
            return try caller.subscriber
        case .shared:
            let account = try caller.subscriber
            guard caller.userID != nil else { throw .rejected(caller, .read, .privateDatabase) }
            return account
        }
    }
}

extension SubscriptionRow.Database {
    init(_ database: FollowedDatabase) {
        self =
            switch database {
            case .scope(.publicDatabase): .publicDatabase
            case .scope(.privateDatabase): .privateDatabase
            case .shared: .sharedDatabase
            }
    }

    var word: String {
        switch self {
        case .publicDatabase: "public"
        case .privateDatabase: "private"
        case .sharedDatabase: "shared"
        }
    }

    /// Returns the database as that of an account.
    func database(of account: UserID) -> FollowedDatabase {
        switch self {
        case .publicDatabase: .scope(.publicDatabase)
        case .privateDatabase: .scope(.privateDatabase(owner: account))
        case .sharedDatabase: .shared
        }
    }
}

extension Caller {
    /// The account to which the caller's subscriptions belong.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED for an anonymous caller; ACCESS_DENIED for an administrator, who has no account.
    package var subscriber: UserID {
        get throws(RecordError) {
            switch self {
            case .user(let id, _), .participant(let id, _, _): return id
            case .service(let key): return key.account
            case .anonymous:
                throw RecordError(.authenticationRequired, "Subscriptions belong to accounts. Sign in first")
            case .administrator:
                throw RecordError(
                    .accessDenied,
                    "Subscriptions belong to accounts of users and API keys. Administrators follow GET /changes")
            }
        }
    }
}

extension RecordError {
    /// The error for an unknown subscription.
    static let subscriptionNotFound = RecordError(.notFound, "There is no subscription with this ID in the database")
}
