/// The fields that the server sets on every record (CloudKit reference, "System field names").
package enum SystemField: Hashable, Sendable, CaseIterable {
    case recordName
    case createdTimestamp
    case createdUserRecordName
    case modifiedTimestamp
    case modifiedUserRecordName
    case recordChangeTag
    case share
    case parent

    /// The name of the field in responses and error messages.
    package var name: StaticString {
        switch self {
        case .recordName: "recordName"
        case .createdTimestamp: "createdTimestamp"
        case .createdUserRecordName: "createdUserRecordName"
        case .modifiedTimestamp: "modifiedTimestamp"
        case .modifiedUserRecordName: "modifiedUserRecordName"
        case .recordChangeTag: "recordChangeTag"
        case .share: "share"
        case .parent: "parent"
        }
    }

    /// Parses any spelling of a system field: the names of CloudKit's web service, the `___` names of its schema
    /// language (in any case) and the names of native predicates (`creationDate`, `creatorUserRecordID`, …).
    package init?(_ spelling: String) {
        guard let field = Self.spellings[spelling] ?? Self.schemaSpellings[spelling.lowercased()] else { return nil }
        self = field
    }

    private static let spellings: [String: SystemField] = [
        "recordName": .recordName, "recordID": .recordName,
        "createdTimestamp": .createdTimestamp, "creationDate": .createdTimestamp,
        "createdUserRecordName": .createdUserRecordName, "creatorUserRecordID": .createdUserRecordName,
        "modifiedTimestamp": .modifiedTimestamp, "modificationDate": .modifiedTimestamp,
        "modifiedUserRecordName": .modifiedUserRecordName, "lastModifiedUserRecordID": .modifiedUserRecordName,
        "recordChangeTag": .recordChangeTag, "share": .share, "parent": .parent,
    ]

    private static let schemaSpellings: [String: SystemField] = [
        "___recordid": .recordName, "___createtime": .createdTimestamp, "___createdby": .createdUserRecordName,
        "___modtime": .modifiedTimestamp, "___modifiedby": .modifiedUserRecordName, "___etag": .recordChangeTag,
        "___share": .share, "___parent": .parent,
    ]
}
