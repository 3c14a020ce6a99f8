/// The fields that every record has and no client writes (CloudKit reference, "System field names").
package enum SystemField: Hashable, Sendable, CaseIterable {
    case recordName
    case createdTimestamp
    case createdUserRecordName
    case modifiedTimestamp
    case modifiedUserRecordName
    case recordChangeTag
    case share
    case parent

    /// The name that answers and errors use.
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

    /// Reads any spelling: the web service's mapped names, the schema's `___` names (in any case) and the native
    /// predicate names (`creationDate`, `creatorUserRecordID`, …).
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
