/// An amount of stored data. It may be a usage, a change of a usage, or a quota.
public struct Usage: Hashable, Sendable {
    /// The number of records that are not deleted.
    public var records: Int64
    /// The stored bytes of the fields, without assets.
    public var bytes: Int64
    /// The bytes of the assets. An asset to which two fields refer counts twice.
    public var assetBytes: Int64

    /// Creates an amount from a number of records and two sizes in bytes.
    public init(records: Int64 = 0, bytes: Int64 = 0, assetBytes: Int64 = 0) {
        self.records = records
        self.bytes = bytes
        self.assetBytes = assetBytes
    }

    /// Adds two amounts.
    public static func + (left: Usage, right: Usage) -> Usage {
        Usage(
            records: left.records + right.records, bytes: left.bytes + right.bytes,
            assetBytes: left.assetBytes + right.assetBytes)
    }

    /// Adds an amount to another in place.
    public static func += (left: inout Usage, right: Usage) {
        left = left + right
    }
}

/// The usage of an account, and the part of it in the public database. Other users may learn only that part.
package struct AccountUsage: Hashable, Sendable {
    /// The usage in all databases.
    package var all: Usage
    /// The usage in the public database.
    package var ofPublic: Usage

    /// Creates a usage from its two amounts.
    package init(all: Usage = Usage(), ofPublic: Usage = Usage()) {
        self.all = all
        self.ofPublic = ofPublic
    }

    /// Adds two usages.
    package static func + (left: AccountUsage, right: AccountUsage) -> AccountUsage {
        AccountUsage(all: left.all + right.all, ofPublic: left.ofPublic + right.ofPublic)
    }

    /// Adds a usage to another in place.
    package static func += (left: inout AccountUsage, right: AccountUsage) {
        left = left + right
    }
}
