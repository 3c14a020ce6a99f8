/// A number under which storage knows something, given once and never again.
///
/// Each kind has a type of its own, so that none passes for another: most rows are found by two or three of them.
/// Conforming types are one word, bound and read as such.
package protocol StoredID: RawRepresentable<Int64>, Hashable, Comparable, Sendable, CustomStringConvertible {
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

    /// The number before it: as an exclusive lower bound, it lets this one in.
    @inlinable
    package var previous: RecordNumber { RecordNumber(rawValue: rawValue - 1) }
}
