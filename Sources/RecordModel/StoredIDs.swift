/// A number under which storage knows something, given once and never again.
///
/// Each kind has a type of its own, so that none passes for another: most rows are found by two or three of them.
/// Conforming types are one word, bound and read as such. They are not `RawRepresentable`, whose `==` is generic.
package protocol StoredID: Hashable, Comparable, Sendable, CustomStringConvertible {
    var rawValue: Int64 { get }
    init(rawValue: Int64)
}

extension StoredID {
    @inlinable
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    @inlinable
    package var description: String { String(rawValue) }

    /// Of what the store has not given a number yet.
    @inlinable
    package static var unassigned: Self { Self(rawValue: 0) }

    /// Below all that are given: as an exclusive bound, none.
    @inlinable
    package static var lowest: Self { Self(rawValue: .min) }

    /// Above all that are given: as an exclusive bound, none.
    @inlinable
    package static var highest: Self { Self(rawValue: .max) }
}

/// The number of a record type.
@frozen
package struct TypeID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }

    // Written out, since a derived one is called through its protocol from other modules, for each record.
    @inlinable
    package static func == (left: TypeID, right: TypeID) -> Bool { left.rawValue == right.rawValue }
}

/// The number of an index, also of its table.
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

/// The number of an audience: the records of one zone that one principal may read by their access lists.
@frozen
package struct AudienceID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The internal number of a record, which is not its name: the sequence number of its creation.
@frozen
package struct RecordNumber: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }

    // Written out, since a derived one is called through its protocol from other modules, for each record.
    @inlinable
    package static func == (left: RecordNumber, right: RecordNumber) -> Bool { left.rawValue == right.rawValue }

    /// The number before it: as an exclusive lower bound, it lets this one in.
    @inlinable
    package var previous: RecordNumber { RecordNumber(rawValue: rawValue - 1) }
}

/// The number of an account within one database file; see `UserRecordName` for its public name.
@frozen
package struct UserID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }

    // Written out, since a derived one is called through its protocol from other modules, for each record.
    @inlinable
    package static func == (left: UserID, right: UserID) -> Bool { left.rawValue == right.rawValue }
}

/// Writers that are no accounts. Their numbers are part of the storage format.
extension UserID {
    /// Callers without a credential; also the owner of the public database.
    @inlinable
    package static var nobody: UserID { UserID(rawValue: 0) }

    /// The operator of the server.
    @inlinable
    package static var administrator: UserID { UserID(rawValue: 1) }

    /// Stands in conditions for every account that is gone, as `_deleted` does in answers.
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

/// The number by which cursors, tokens and remembered answers are one caller's and nobody else's: that of its account, or
/// that of an administrator below zero. Part of the storage format.
@frozen
package struct CallerID: StoredID {
    package let rawValue: Int64

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Who writes as an account, or as a writer that is none.
    @inlinable
    package init(_ account: UserID) { rawValue = account.rawValue }

    /// - Parameter id: The administrator's number, above zero.
    @inlinable
    package init(administrator id: Int64) { rawValue = -id }
}
