/// The limits of the data model that no configuration changes. Those that an operator may set live in
/// `DatabaseLimits`; `/limits` shows both.
public enum Limits {
    /// The longest record or zone name, in UTF-8 bytes (CloudKit: 255 characters).
    public static let recordNameBytes = 255
    /// The longest type, field or role name, in bytes.
    public static let identifierBytes = 255
    /// The most fields of one type.
    public static let fieldsPerType = 1_000
    /// The most record types of one database.
    public static let recordTypes = 10_000
    /// The most references of one record that bind (DELETE_SELF and VALIDATE): each is a row of its own, and work for
    /// whoever deletes the target.
    public static let bindingReferences = 1_000
    /// The most entries of one access list: each is a row of its own in every index.
    public static let accessEntries = 100
    /// The most principals that a record remembers as having been able to read it.
    public static let formerReaders = 1_000
    /// The most members of one list value.
    public static let listMembers = 100_000
    /// The most distinct members of a list in an index: each is a row of its own.
    public static let indexedMembers = 10_000
    /// The longest answer that is remembered as it was; of longer ones it is remembered what became of each record.
    public static let rememberedAnswerBytes = 4_096
}

/// The limits of one database that an operator may set.
public struct DatabaseLimits: Hashable, Sendable {
    /// The largest record, counted in decoded values: strings in UTF-8, BYTES as bytes, numbers as 8.
    public var recordBytes = 1_048_576
    /// The most operations of one batch (CloudKit: 200).
    public var batchOperations = 200
    /// The largest request body, in bytes after decompression.
    public var bodyBytes = 8 * 1_048_576
    /// The most records of one page.
    public var pageSize = 1_000
    /// The length of a page when the request names none.
    public var defaultPageSize = 100
    /// A page ends early when its records pass this many bytes.
    public var pageBytes = 4 * 1_048_576
    /// The largest asset, in bytes.
    public var assetBytes = 5_000_000_000
    /// The bytes that one uploader may have uploaded without any record having them. Callers who are not signed in are one.
    public var unreferencedAssetBytes = 10_000_000_000
    /// How long a receipt is good, and an asset kept that no record has, in seconds.
    public var unreferencedAssetSeconds: Int64 = 86_400
    /// How long the URL of an asset is good, in seconds; a quarter more at most.
    public var assetURLSeconds: Int64 = 3_600
    /// Uploads are refused that would leave less than this on the disk, so that records can still be written.
    public var freeDiskBytes = 256 * 1_048_576
    /// The most records that one deletion may take with it through DELETE_SELF references.
    public var cascadeRecords = 10_000
    /// The most records that one change by condition may touch.
    public var setRecords = 100_000
    /// How long one query may take, in milliseconds.
    public var queryMilliseconds = 5_000
    /// The most accounts that are gone whose records a condition on `_deleted` finds by their numbers; with more of them
    /// records are asked one by one.
    public var goneAccountsByNumber = 500
    /// How long a tombstone is kept, in seconds.
    public var tombstoneSeconds: Int64 = 90 * 86_400
    /// The most tombstones that are kept; the oldest go before their time.
    public var tombstones = 5_000_000
    /// How long an idempotency key is remembered, in seconds.
    public var idempotencySeconds: Int64 = 86_400
    /// What remembered answers of one caller may take, in bytes, about; the oldest are forgotten before their time.
    /// Callers who are not signed in are one.
    public var idempotencyBytes = 32 * 1_048_576
    /// How long an entry of the audit log is kept, in seconds.
    public var auditSeconds: Int64 = 400 * 86_400
    /// The most entries of the audit log; the oldest go before their time.
    public var auditEntries = 1_000_000

    /// How long a session lasts that is not used, in seconds.
    public var sessionSeconds: Int64 = 30 * 86_400
    /// How long one lasts in any case, in seconds.
    public var sessionLongestSeconds: Int64 = 180 * 86_400

    /// What users and the whole may take.
    public var quotas = Quotas()

    public init() {}
}
