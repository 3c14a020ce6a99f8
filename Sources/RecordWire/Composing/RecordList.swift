/// Records, tombstones and errors as the members of a JSON list, while it grows.
///
/// What stands in front of the list and behind it is the business of the protocol that answers. Code that appends members
/// knows nothing of it, and no bytes are moved in the end.
///
/// Public, so that other modules inline what is called for each record.
public struct RecordList: Hashable, Sendable {
    /// The opening and the members so far.
    public var json: [UInt8] = []
    public var count = 0
    /// Where the members begin.
    public let start: Int

    /// - Parameter opening: What the protocol puts in front of the first member, such as `{"records":[`.
    package init(_ opening: StaticString = "") {
        json.appendLiteral(opening)
        start = json.count
    }

    /// The bytes of the members and of the commas between them.
    @inlinable public var bytes: Int { json.count - start }

    /// Counts a member, which the caller appends to `json` behind this call.
    @inlinable public mutating func beginMember() {
        if count > 0 { json.append(UInt8(ascii: ",")) }
        count += 1
    }

    /// A place to which the list can be brought back.
    package struct Mark: Sendable {
        fileprivate let count: Int
        package let position: Int
    }

    package var mark: Mark { Mark(count: count, position: json.count) }

    /// Removes what was appended since a mark.
    package mutating func removeMembers(since mark: Mark) {
        json.removeSubrange(mark.position...)
        count = mark.count
    }

    /// Removes all members and keeps their room.
    package mutating func removeAll() {
        json.removeSubrange(start...)
        count = 0
    }
}
