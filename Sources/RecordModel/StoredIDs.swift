/// A number that identifies a row in storage. Numbers are not reused.
///
/// Each kind of number has its own type, so that the compiler rejects a number of the wrong kind. Most lookups use
/// numbers of two or three kinds. A value takes one machine word. The types are not `RawRepresentable`, because the
/// `==` of that protocol is generic.
package protocol StoredID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number.
    var rawValue: Int64 { get }
    /// Creates an identifier from its number.
    init(rawValue: Int64)
}

extension StoredID {
    @inlinable
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    @inlinable
    package var description: String { String(rawValue) }

    /// The placeholder for a number that the store has not assigned yet.
    @inlinable
    package static var unassigned: Self { Self(rawValue: 0) }

    /// A number below all assigned numbers. As an exclusive lower bound, it excludes nothing.
    @inlinable
    package static var lowest: Self { Self(rawValue: .min) }

    /// A number above all assigned numbers. As an exclusive upper bound, it excludes nothing.
    @inlinable
    package static var highest: Self { Self(rawValue: .max) }
}

/// The number of a record type.
@frozen
package struct TypeID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }

    // Written explicitly, because other modules would call the derived function through its protocol for each record.
    @inlinable
    package static func == (left: TypeID, right: TypeID) -> Bool { left.rawValue == right.rawValue }
}

/// The number of an index and of its table.
@frozen
package struct IndexID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The number of a zone.
@frozen
package struct ZoneID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The number of an audience: the records of one zone that one principal may read through access lists.
@frozen
package struct AudienceID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The internal number of a record: the sequence number of its creation.
@frozen
package struct RecordNumber: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }

    // Written explicitly, because other modules would call the derived function through its protocol for each record.
    @inlinable
    package static func == (left: RecordNumber, right: RecordNumber) -> Bool { left.rawValue == right.rawValue }

    /// The number before this number. As an exclusive lower bound, it includes this number.
    @inlinable
    package var previous: RecordNumber { RecordNumber(rawValue: rawValue - 1) }
}

/// The number of an account within one database file. `UserRecordName` is its public name.
@frozen
package struct UserID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }

    // Written explicitly, because other modules would call the derived function through its protocol for each record.
    @inlinable
    package static func == (left: UserID, right: UserID) -> Bool { left.rawValue == right.rawValue }
}

/// Numbers that do not belong to accounts. They are part of the storage format.
extension UserID {
    /// The number of callers without a credential, and of the owner of the public database.
    @inlinable
    package static var nobody: UserID { UserID(rawValue: 0) }

    /// The number of all administrators of the server.
    @inlinable
    package static var administrator: UserID { UserID(rawValue: 1) }

    /// The number that represents all deleted accounts in a condition. Responses show it as `_deleted`.
    @inlinable
    package static var gone: UserID { UserID(rawValue: 2) }
}

/// The number of a custom role within one database file.
@frozen
package struct RoleID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The number that binds cursors, tokens and stored responses to one caller: the number of the caller's account, or the
/// negated number of an administrator. The number is part of the storage format.
@frozen
package struct CallerID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Creates the identifier of an account, or of a writer without an account.
    @inlinable
    package init(_ account: UserID) { rawValue = account.rawValue }

    /// Creates the identifier of an administrator.
    ///
    /// - Parameter id: The administrator's number, greater than zero.
    @inlinable
    package init(administrator id: Int64) { rawValue = -id }
}

/// The number of a share: that of its share record.
@frozen
package struct ShareID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The number of a schedule within one database file.
@frozen
package struct ScheduleID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The number of a job within one database file. Its public name is random.
@frozen
package struct JobID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }
}
