/// What somebody's records take, a change of it, or what they may take.
public struct Usage: Hashable, Sendable {
    /// Records that are not deleted.
    public var records: Int64
    /// The stored bytes of their fields, without files.
    public var bytes: Int64
    /// The bytes of their files; a file that two fields have counts twice.
    public var assetBytes: Int64

    /// An amount of records and of bytes.
    public init(records: Int64 = 0, bytes: Int64 = 0, assetBytes: Int64 = 0) {
        self.records = records
        self.bytes = bytes
        self.assetBytes = assetBytes
    }

    /// Adds two amounts, each part to its own.
    public static func + (left: Usage, right: Usage) -> Usage {
        Usage(
            records: left.records + right.records, bytes: left.bytes + right.bytes,
            assetBytes: left.assetBytes + right.assetBytes)
    }

    /// Adds an amount to another.
    public static func += (left: inout Usage, right: Usage) {
        left = left + right
    }
}

/// What an account takes, and how much of it lies in the public database: the most that others may know.
package struct AccountUsage: Hashable, Sendable {
    package var all: Usage
    package var ofPublic: Usage

    package init(all: Usage = Usage(), ofPublic: Usage = Usage()) {
        self.all = all
        self.ofPublic = ofPublic
    }

    package static func + (left: AccountUsage, right: AccountUsage) -> AccountUsage {
        AccountUsage(all: left.all + right.all, ofPublic: left.ofPublic + right.ofPublic)
    }

    package static func += (left: inout AccountUsage, right: AccountUsage) {
        left = left + right
    }
}
