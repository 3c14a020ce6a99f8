/// A part of a database's changes, each record once and as it is now.
public struct ChangePage: Hashable, Sendable {
    /// Records that are new or have changed, the oldest change first.
    public var changed: [Record]
    /// Records that are not there any more, or that the caller may not read any more.
    public var deleted: [DeletedRecord]
    /// Where to go on. Keep it once the page is worked in.
    public var token: ChangeToken
    /// Whether there is more at once. A page may be empty and more be coming.
    public var moreComing: Bool
    /// How many changes the server has sent beside these, of types that were not asked for.
    var passedOver = 0

    /// - Parameters:
    ///   - changed: Records that are new or have changed.
    ///   - deleted: Records that are not there any more.
    ///   - token: Where to go on.
    ///   - moreComing: Whether there is more at once.
    public init(
        changed: [Record] = [], deleted: [DeletedRecord] = [], token: ChangeToken, moreComing: Bool = false
    ) {
        self.changed = changed
        self.deleted = deleted
        self.token = token
        self.moreComing = moreComing
    }

    /// Whether nothing has changed, of the types that were asked for.
    public var isEmpty: Bool { changed.isEmpty && deleted.isEmpty }
}

extension ChangePage: FeedPage {
    var count: Int { changed.count + deleted.count + passedOver }
}

/// What is left of a record.
public struct DeletedRecord: Hashable, Sendable, Codable {
    /// The type that the record had.
    public var recordType: String
    /// The name that the record had, which its type may have again.
    public var name: String

    /// What is left of a record of a type.
    public init(_ recordType: String, name: String) {
        self.recordType = recordType
        self.name = name
    }
}
