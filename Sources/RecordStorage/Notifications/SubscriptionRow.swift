package import RecordModel

/// A stored subscription.
package struct SubscriptionRow: Hashable, Sendable {
    /// The database that a subscription watches, from the view of its account.
    package enum Database: Int64, Hashable, Sendable {
        case publicDatabase = 0
        case privateDatabase = 1
        case sharedDatabase = 2
    }

    /// The number of the subscription; 0 before the row is stored.
    package var id: Int64
    /// The account of the user or API key that has created the subscription.
    package var account: UserID
    /// The database.
    package var database: Database
    /// The name, unique in the database of the account.
    package var name: String
    /// What the subscription watches and how it notifies, as a JSON object.
    package var definition: String
    /// When the subscription was created, in milliseconds since 1970.
    package var created: Int64
    /// The sequence number of the last change of the row.
    package var changed: Int64
    /// The sequence number of the last change that is not notified.
    package var since: Int64
    /// The sequence number of the change that a subscription has notified which fires once; `nil` before.
    package var fired: Int64?

    /// Creates a subscription that has not fired.
    package init(
        id: Int64 = 0, account: UserID, database: Database, name: String, definition: String, created: Int64,
        changed: Int64, since: Int64
    ) {
        self.id = id
        self.account = account
        self.database = database
        self.name = name
        self.definition = definition
        self.created = created
        self.changed = changed
        self.since = since
    }
}

/// A stored token of a device that receives notifications.
package struct NotificationTokenRow: Hashable, Sendable {
    /// The account whose subscriptions notify the device.
    package var account: UserID
    /// The random number of the token.
    package var number: Int64
    /// The environment of APNs, as the client has sent it.
    package var environment: String
    /// When the token was last used, in milliseconds since 1970.
    package var used: Int64
    /// The position after the last notification, sealed.
    package var position: String

    /// Creates a token.
    package init(account: UserID, number: Int64, environment: String, used: Int64, position: String) {
        self.account = account
        self.number = number
        self.environment = environment
        self.used = used
        self.position = position
    }
}
