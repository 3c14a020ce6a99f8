public import Foundation
internal import RecordWire

/// The system fields of a record.
public struct RecordMetadata: Hashable, Sendable, Codable {
    /// The record type.
    public var recordType: String
    /// The record name, unique over all record types of its zone.
    public var name: String
    /// The change tag of the record, which changes with every write (CloudKit's `recordChangeTag`).
    public var version: String
    /// When the record was created, by the server's clock.
    public var createdAt: Date
    /// The record name of the user who created the record.
    public var creator: String
    /// When the record was last saved, by the server's clock.
    public var updatedAt: Date
    /// The record name of the user who saved the record last.
    public var modifier: String
    /// The access list; `nil` if the record has no access list, or the caller cannot read the list.
    public var access: RecordAccess?
    /// The name of the record's parent in its zone; `nil` for none, and for one that the caller cannot read.
    public var parent: String?
    /// The name of the ``Share`` that begins with the record; `nil` for none.
    public var share: String?

    /// Creates metadata for tests and previews.
    public init(
        recordType: String, name: String, version: String, createdAt: Date, creator: String, updatedAt: Date,
        modifier: String, access: RecordAccess? = nil, parent: String? = nil, share: String? = nil
    ) {
        self.recordType = recordType
        self.name = name
        self.version = version
        self.createdAt = createdAt
        self.creator = creator
        self.updatedAt = updatedAt
        self.modifier = modifier
        self.access = access
        self.parent = parent
        self.share = share
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
        parent = head.parent
        share = head.share
    }
}
