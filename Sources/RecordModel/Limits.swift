/// The limits of the data model that no configuration changes. Those that an operator may set live in
/// `DatabaseLimits`; `/limits` shows both.
package enum Limits {
    /// The longest record or zone name, in UTF-8 bytes (CloudKit: 255 characters).
    package static let recordNameBytes = 255
    /// The longest type, field or role name, in bytes.
    package static let identifierBytes = 255
    /// The most fields of one type.
    package static let fieldsPerType = 1_000
    /// The most record types of one database.
    package static let recordTypes = 10_000
    /// The most references of one record that bind (DELETE_SELF and VALIDATE): each is a row of its own, and work for
    /// whoever deletes the target.
    package static let bindingReferences = 1_000
    /// The most entries of one access list: each is a row of its own in every index.
    package static let accessEntries = 100
    /// The most principals that a record remembers as having been able to read it.
    package static let formerReaders = 1_000
    /// The most members of one list value.
    package static let listMembers = 100_000
    /// The most distinct members of a list in an index: each is a row of its own.
    package static let indexedMembers = 10_000
    /// The most entries that one request may bring into indexes of lists: one for each distinct member, and one more of each
    /// for every reader in the record's access list.
    package static let memberEntries = 200_000
    /// The most notices in the answer to one write.
    package static let writeNotices = 100
    /// The longest answer that is remembered as it was; of longer ones it is remembered what became of each record.
    package static let rememberedAnswerBytes = 4_096
}

/// The limits of one database that an operator may set.
package struct DatabaseLimits: Hashable, Sendable {
    /// The largest record, counted in decoded values: strings in UTF-8, BYTES as bytes, numbers as 8.
    package var recordBytes = 1_048_576
    /// The most operations of one batch (CloudKit: 200).
    package var batchOperations = 200
    /// The largest request body, in bytes after decompression.
    package var bodyBytes = 8 * 1_048_576
    /// The most records of one page.
    package var pageSize = 1_000
    /// The length of a page when the request names none.
    package var defaultPageSize = 100
    /// A page ends early when its records pass this many bytes.
    package var pageBytes = 4 * 1_048_576
    /// The largest asset, in bytes.
    package var assetBytes = 5_000_000_000
    /// The bytes that one uploader may have uploaded without any record having them. Callers who are not signed in are one.
    package var unreferencedAssetBytes = 10_000_000_000
    /// How long a receipt is good, and an asset kept that no record has, in seconds.
    package var unreferencedAssetSeconds: Int64 = 86_400
    /// How long the URL of an asset is good, in seconds; a quarter more at most.
    package var assetURLSeconds: Int64 = 3_600
    /// Uploads are refused that would leave less than this on the disk, so that records can still be written.
    package var freeDiskBytes = 256 * 1_048_576
    /// The most records that one deletion may take with it through DELETE_SELF references.
    package var cascadeRecords = 10_000
    /// The most records that one change by condition may touch.
    package var setRecords = 100_000
    /// How long one query may take, in milliseconds.
    package var queryMilliseconds = 5_000
    /// The most accounts that are gone whose records a condition on `_deleted` finds by their numbers; with more of them
    /// records are asked one by one.
    package var goneAccountsByNumber = 500
    /// How long a tombstone is kept, in seconds.
    package var tombstoneSeconds: Int64 = 90 * 86_400
    /// The most tombstones that are kept; the oldest go before their time.
    package var tombstones = 5_000_000
    /// How long an idempotency key is remembered, in seconds.
    package var idempotencySeconds: Int64 = 86_400
    /// What remembered answers of one caller may take, in bytes, about; the oldest are forgotten before their time.
    /// Callers who are not signed in are one.
    package var idempotencyBytes = 32 * 1_048_576
    /// How long an entry of the audit log is kept, in seconds.
    package var auditSeconds: Int64 = 400 * 86_400
    /// The most entries of the audit log; the oldest go before their time.
    package var auditEntries = 1_000_000

    /// How long a session lasts that is not used, in seconds.
    package var sessionSeconds: Int64 = 30 * 86_400
    /// How long one lasts in any case, in seconds.
    package var sessionLongestSeconds: Int64 = 180 * 86_400

    /// What users and the whole may take.
    package var quotas = Quotas()

    package init() {}
}
