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

    /// Nothing comes before it: where a walk through all of them begins.
    @inlinable
    package static var lowest: Self { Self(rawValue: .min) }
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
