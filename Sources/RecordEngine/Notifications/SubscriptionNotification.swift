internal import Cryptography
internal import RecordModel
package import RecordWire

/// One notification: a change on which a subscription has fired.
package struct SubscriptionNotification: Sendable {
    /// The change of the record that a query subscription has found.
    package enum Reason: String, Hashable, Sendable {
        case create, update, delete
    }

    /// The subscription.
    package let subscription: Subscription
    /// The ID of the change. It is the same for all subscriptions that the change has fired, and each time the change is
    /// notified.
    package let id: String
    /// The sequence number of the change.
    let sequence: Int64
    /// The number of the subscription.
    let subscriptionID: Int64
    /// The change of the record; `nil` for zones and databases.
    package var reason: Reason?
    /// The zone; `nil` for a database.
    package var zone: String?
    /// The record name of the zone's owner; `nil` in the public database.
    package var owner: String?
    /// The name of the record; `nil` for zones and databases.
    package var recordName: String?
    /// The type of the record; `nil` for zones and databases.
    package var recordType: String?
    /// The values of the fields that the subscription asks for and the caller may read: `{"value","type"}` by name.
    package var fields = JSONObject()

    init(_ item: BoundSubscription, at sequence: Int64, of account: UserID, with keys: DatabaseKeys) {
        subscription = item.subscription
        subscriptionID = item.id
        self.sequence = sequence
        id = Self.id(of: sequence, account, with: keys)
    }

    /// Returns the ID of a change: a UUID that tells nothing about the sequence number (RFC 9562 §5.8).
    private static func id(of sequence: Int64, _ account: UserID, with keys: DatabaseKeys) -> String {
        let code = keys.notifications.code(for: SealedPosition.bytes([account.rawValue, sequence]))
        var bytes = Array(code.bytes.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let text = Array(Hex.encode(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(text[$0]) }.joined(separator: "-")
    }
}

/// Consecutive notifications of an account.
struct NotificationPage: Sendable {
    /// The notifications in the order of their changes.
    var notifications: [SubscriptionNotification] = []
    /// The position before the page.
    let start: NotificationPosition
    /// The position after the last notification, or after changes without a notification.
    var end: NotificationPosition
    /// Whether more changes exist already.
    var moreComing = false
    /// The subscriptions that fire once, and now have.
    var fired: [FiredSubscription] = []

    /// Returns the position after a notification.
    func position(after index: Int) -> NotificationPosition {
        guard index < notifications.count - 1 else { return end }
        // The reader has all notifications only at the end.
        var position = start
        (position.sequence, position.within) = (notifications[index].sequence, notifications[index].subscriptionID)
        return position
    }
}
