/// What every record has besides its fields, as queries name it.
public enum SystemKey: String, Hashable, Sendable {
    /// The record's name (`recordName`).
    case id = "recordName"
    /// When the record was made; also the order of creation.
    case createdAt = "createdTimestamp"
    /// When the record was last saved (`modifiedTimestamp`).
    case updatedAt = "modifiedTimestamp"
    /// The record name of the user who made it.
    case creator = "createdUserRecordName"
    /// The record name of the user who changed it last.
    case modifier = "modifiedUserRecordName"
}
