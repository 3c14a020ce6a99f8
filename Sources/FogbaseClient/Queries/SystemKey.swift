/// A system field that queries can compare and sort by.
public enum SystemKey: String, Hashable, Sendable {
    /// The record name (`recordName`).
    case id = "recordName"
    /// When the record was created (`createdTimestamp`). Sorting by this field gives the order of creation.
    case createdAt = "createdTimestamp"
    /// When the record was last saved (`modifiedTimestamp`).
    case updatedAt = "modifiedTimestamp"
    /// The record name of the user who created the record (`createdUserRecordName`).
    case creator = "createdUserRecordName"
    /// The record name of the user who saved the record last (`modifiedUserRecordName`).
    case modifier = "modifiedUserRecordName"
}
