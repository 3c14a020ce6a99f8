public import Foundation
internal import RecordWire

/// A session: a device or program that is signed in to an account.
public struct AccountSession: Hashable, Sendable, Identifiable {
    /// The identifier of the session, for ending it. Unlike a token, the identifier gives no access.
    public var id: String
    /// The label that the app gave at sign-in, such as the device's name.
    public var label: String?
    /// When the session was created.
    public var createdAt: Date
    /// The approximate time of the last use. The server does not update the time on every request.
    public var usedAt: Date
    /// When the session expires if it is not used.
    public var expiresAt: Date
    /// Whether the session belongs to the client that listed the sessions.
    public var isCurrent: Bool

    /// Creates a session for tests and previews.
    public init(
        id: String, label: String? = nil, createdAt: Date, usedAt: Date, expiresAt: Date, isCurrent: Bool = false
    ) {
        self.id = id
        self.label = label
        self.createdAt = createdAt
        self.usedAt = usedAt
        self.expiresAt = expiresAt
        self.isCurrent = isCurrent
    }

    init?(_ tree: JSONValue) {
        guard let id = tree["id"]?.string else { return nil }
        func moment(_ key: String) -> Date { Date(milliseconds: tree[key]?.integer ?? 0) }
        self.init(
            id: id, label: tree["label"]?.string, createdAt: moment("createdTimestamp"),
            usedAt: moment("usedTimestamp"), expiresAt: moment("expiresAt"), isCurrent: tree["current"]?.bool ?? false)
    }
}
