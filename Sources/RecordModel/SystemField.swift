/// The fields that the server sets on every record (CloudKit reference, "System field names").
///
/// The share and the parent of a record have only their `___` names, because apps of CloudKit have fields of their own that
/// are called `share` and `parent`. A record's own stand beside `fields`, so the two never meet.
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
        case .share: "___share"
        case .parent: "___parent"
        }
    }

    /// Parses any spelling of a system field: the names of CloudKit's web service, the `___` names of its schema
    /// language (in any case) and the names of native predicates (`creationDate`, `creatorUserRecordID`, …).
    package init?(_ spelling: String) {
        guard let field = Self.spellings[spelling] ?? Self.schemaSpellings[spelling.lowercased()] else { return nil }
        self = field
    }

    /// Parses the value of `systemFieldName`, which no field of a type can mean: any spelling of a system field, `share`
    /// or `parent`.
    package init?(systemFieldName name: String) {
        switch name {
        case "share": self = .share
        case "parent": self = .parent
        default: self.init(name)
        }
    }

    private static let spellings: [String: SystemField] = [
        "recordName": .recordName, "recordID": .recordName,
        "createdTimestamp": .createdTimestamp, "creationDate": .createdTimestamp,
        "createdUserRecordName": .createdUserRecordName, "creatorUserRecordID": .createdUserRecordName,
        "modifiedTimestamp": .modifiedTimestamp, "modificationDate": .modifiedTimestamp,
        "modifiedUserRecordName": .modifiedUserRecordName, "lastModifiedUserRecordID": .modifiedUserRecordName,
        "recordChangeTag": .recordChangeTag,
    ]

    private static let schemaSpellings: [String: SystemField] = [
        "___recordid": .recordName, "___createtime": .createdTimestamp, "___createdby": .createdUserRecordName,
        "___modtime": .modifiedTimestamp, "___modifiedby": .modifiedUserRecordName, "___etag": .recordChangeTag,
        "___share": .share, "___parent": .parent,
    ]
}
