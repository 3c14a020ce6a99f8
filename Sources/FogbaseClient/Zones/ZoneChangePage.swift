/// A change of a zone, as clients that follow a whole database receive it.
public enum ZoneChange: Hashable, Sendable {
    /// The zone is new, or has changed records.
    case changed(Zone)
    /// The zone was deleted with all its records. A new zone can have the same name.
    case deleted(Zone)

    /// The zone that was changed or deleted.
    public var zone: Zone {
        switch self {
        case .changed(let zone), .deleted(let zone): zone
        }
    }
}

/// A page of the changes of a database's zones. It names the zones. Their records are in the changes of each zone.
public struct ZoneChangePage: Hashable, Sendable {
    /// The changes, the oldest first. A zone that was deleted and created again occurs twice, in this order.
    public var changes: [ZoneChange]
    /// The position after this page.
    public var token: ZoneChangeToken
    /// Whether more changes are available now.
    public var moreComing: Bool

    /// Creates a page for tests and previews.
    public init(changes: [ZoneChange] = [], token: ZoneChangeToken, moreComing: Bool = false) {
        self.changes = changes
        self.token = token
        self.moreComing = moreComing
    }

    /// Whether no zone has changed.
    public var isEmpty: Bool { changes.isEmpty }
}

/// A sync token for the zones of a database. It is not a token for the records of a zone, which is a ``ChangeToken``.
///
/// A token is valid only for the user that received it.
public struct ZoneChangeToken: Hashable, Sendable, Codable {
    /// The token as text, for an app to save with its data.
    public var text: String

    /// Creates a token from its saved text.
    public init(_ text: String) {
        self.text = text
    }
}
