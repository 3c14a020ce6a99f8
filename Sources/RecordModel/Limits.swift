/// The fixed limits of the data model. `DatabaseLimits` has the limits that an operator can configure. `/limits`
/// reports both.
package enum Limits {
    /// The longest record or zone name, in UTF-8 bytes (CloudKit: 255 characters).
    package static let recordNameBytes = 255
    /// The most custom zones of one private database.
    package static let customZones = 20_000
    /// The longest type, field or role name, in bytes.
    package static let identifierBytes = 255
    /// The most fields of one type.
    package static let fieldsPerType = 1_000
    /// The most record types of one container and environment.
    package static let recordTypes = 10_000
    /// The most DELETE_SELF and VALIDATE references of one record. Each has its own row. A deletion of the target must
    /// process all these rows.
    package static let bindingReferences = 1_000
    /// The most entries of one access list. Each entry has its own row in every index.
    package static let accessEntries = 100
    /// The most former readers that are stored for one record.
    package static let formerReaders = 1_000
    /// The most members of one list value.
    package static let listMembers = 100_000
    /// The most distinct members of an indexed list. Each distinct member has its own row.
    package static let indexedMembers = 10_000
    /// The most entries that one request may add to list indexes. Each distinct member needs one entry, plus one entry
    /// for each reader in the record's access list.
    package static let memberEntries = 200_000
    /// The most notices in the response to one write.
    package static let writeNotices = 100
    /// The longest response, in bytes, that the server stores unchanged for an idempotency key. For a longer response,
    /// it stores the result of each record.
    package static let storedResponseBytes = 4_096
}

/// The limits of one database that an operator can configure.
package struct DatabaseLimits: Hashable, Sendable {
    /// The largest record, in bytes of decoded values: strings in UTF-8, BYTES as bytes, 8 for a number.
    package var recordBytes = 1_048_576
    /// The most operations of one batch (CloudKit: 200).
    package var batchOperations = 200
    /// The largest request body, in bytes after decompression.
    package var bodyBytes = 8 * 1_048_576
    /// The most records of one page.
    package var pageSize = 1_000
    /// The number of records of a page if the request sets no limit.
    package var defaultPageSize = 100
    /// The maximum size of a page in bytes. A page that reaches this size ends, even with fewer records than requested.
    package var pageBytes = 4 * 1_048_576
    /// The largest asset, in bytes.
    package var assetBytes = 5_000_000_000
    /// The most bytes of unreferenced assets of one uploader. All anonymous callers share one allowance.
    package var unreferencedAssetBytes = 10_000_000_000
    /// The lifetime of an upload token and of an unreferenced asset, in seconds.
    package var unreferencedAssetSeconds: Int64 = 86_400
    /// The lifetime of an asset URL, in seconds. The actual lifetime may be up to a quarter longer.
    package var assetURLSeconds: Int64 = 3_600
    /// The disk space that uploads must leave free, in bytes, so that records can still be written.
    package var freeDiskBytes = 256 * 1_048_576
    /// The most records that one request may delete through DELETE_SELF references. Also the most records below those that
    /// it deletes, or moves out of a share.
    package var cascadeRecords = 10_000
    /// The most records that one bulk update or bulk delete may change.
    package var setRecords = 100_000
    /// The time limit of one query, in milliseconds.
    package var queryMilliseconds = 5_000
    /// The most deleted accounts whose numbers replace `_deleted` in a predicate. If there are more, the server checks
    /// the records one by one.
    package var deletedAccountsByNumber = 500
    /// The most names of records that replace the tests of other records in one query.
    package var targetNames = 10_000
    /// The time for which tombstones are kept, in seconds.
    package var tombstoneSeconds: Int64 = 90 * 86_400
    /// The most tombstones that are kept. Beyond this number, the oldest are deleted early.
    package var tombstones = 5_000_000
    /// The time for which idempotency keys are kept, in seconds.
    package var idempotencySeconds: Int64 = 86_400
    /// The approximate number of bytes that stored responses of one caller may use. Beyond this size, the oldest are
    /// deleted early. All anonymous callers share one allowance.
    package var idempotencyBytes = 32 * 1_048_576
    /// The time for which entries of the audit log are kept, in seconds.
    package var auditSeconds: Int64 = 400 * 86_400
    /// The most entries of the audit log. Beyond this number, the oldest are deleted early.
    package var auditEntries = 1_000_000

    /// The time after which an unused session ends, in seconds.
    package var sessionSeconds: Int64 = 30 * 86_400
    /// The time after which any session ends, in seconds.
    package var sessionLongestSeconds: Int64 = 180 * 86_400

    /// The quotas of users and of the container.
    package var quotas = Quotas()

    /// Creates the limits that apply if the operator configures none.
    package init() {}
}
