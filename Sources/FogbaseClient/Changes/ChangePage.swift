internal import RecordWire

/// A page of changes. It contains each changed record once, in the current state.
public struct ChangePage: Hashable, Sendable {
    /// Records that were created or changed, the oldest change first.
    public var changed: [Record]
    /// Records that were deleted, or that the caller can no longer read.
    public var deleted: [DeletedRecord]
    /// The position after this page. Save the token after processing the page.
    public var token: ChangeToken
    /// Whether more changes are available now. This can be `true` for an empty page too.
    public var moreComing: Bool

    /// Creates a page for tests and previews.
    ///
    /// - Parameters:
    ///   - changed: Records that were created or changed.
    ///   - deleted: Records that were deleted.
    ///   - token: The position after this page.
    ///   - moreComing: Whether more changes are available now.
    public init(
        changed: [Record] = [], deleted: [DeletedRecord] = [], token: ChangeToken, moreComing: Bool = false
    ) {
        self.changed = changed
        self.deleted = deleted
        self.token = token
        self.moreComing = moreComing
    }

    /// Whether the page has no changes of the requested types.
    public var isEmpty: Bool { changed.isEmpty && deleted.isEmpty }
}

extension ChangePage: FeedPage {
    static let empty = ChangePage(token: ChangeToken(""))

    mutating func append(_ scanner: inout RecordScanner, isRemoved: Bool) {
        let deletion = DeletedRecord(scanner.head.recordType ?? "", name: scanner.head.recordName)
        if isRemoved {
            deleted.append(deletion)
        } else {
            // The feed has the deletion of an earlier record with this name.
            deleted.removeAll { $0 == deletion }
            changed.append(Record(&scanner))
        }
    }
}

/// A tombstone: the type and name of a deleted record.
public struct DeletedRecord: Hashable, Sendable, Codable {
    /// The type of the record.
    public var recordType: String
    /// The name of the record. A new record can have the same name.
    public var name: String

    /// Creates a tombstone.
    public init(_ recordType: String, name: String) {
        self.recordType = recordType
        self.name = name
    }
}
