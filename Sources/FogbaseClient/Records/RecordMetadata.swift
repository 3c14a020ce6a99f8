public import Foundation
internal import RecordWire

/// What a record says of itself besides its fields.
public struct RecordMetadata: Hashable, Sendable, Codable {
    /// The record's type.
    public var recordType: String
    /// The record's name, unique over all types of its database.
    public var name: String
    /// The state of the record: each change gives it another one (CloudKit's `recordChangeTag`).
    public var version: String
    /// When the record was made, by the server's clock.
    public var createdAt: Date
    /// The record name of the user who made it.
    public var creator: String
    /// When the record was last saved, by the server's clock.
    public var updatedAt: Date
    /// The record name of the user who changed it last.
    public var modifier: String
    /// Who may read and write the record, where it has a list of its own and the app sees it.
    public var access: RecordAccess?

    /// What a server would know of a record; for tests and previews.
    public init(
        recordType: String, name: String, version: String, createdAt: Date, creator: String, updatedAt: Date,
        modifier: String, access: RecordAccess? = nil
    ) {
        self.recordType = recordType
        self.name = name
        self.version = version
        self.createdAt = createdAt
        self.creator = creator
        self.updatedAt = updatedAt
        self.modifier = modifier
        self.access = access
    }

    init(_ head: consuming RecordScanner.Head, type: String) {
        recordType = head.recordType ?? type
        name = head.recordName
        version = head.recordChangeTag ?? ""
        createdAt = Date(milliseconds: head.created?.timestamp ?? 0)
        creator = head.created?.userRecordName ?? ""
        updatedAt = Date(milliseconds: head.modified?.timestamp ?? 0)
        modifier = head.modified?.userRecordName ?? ""
        access = head.access.flatMap(RecordAccess.init(tree:))
    }
}
