public import Foundation
internal import RecordWire

/// A device or program that is signed in to an account.
public struct AccountSession: Hashable, Sendable, Identifiable {
    /// What names the session where it is ended. It opens nothing, unlike a token.
    public var id: String
    /// What whoever signed in has called it.
    public var label: String?
    /// When somebody signed in.
    public var createdAt: Date
    /// When it was last used; the server notes that now and then.
    public var usedAt: Date
    /// When it ends if it is not used.
    public var expiresAt: Date
    /// Whether it is the one that asks.
    public var isCurrent: Bool

    /// A session as it is listed; for tests of views that show some.
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
