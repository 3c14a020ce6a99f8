/// A growing JSON list of records, tombstones and errors.
///
/// The route of the response writes the text around the list. Code that appends members does not depend on this text,
/// and no bytes are moved at the end.
///
/// The type is public so that other modules can inline the calls for each record.
public struct RecordList: Hashable, Sendable {
    /// The opening text and the members so far.
    public var json: [UInt8] = []
    /// The number of members.
    public var count = 0
    /// The position of the first member.
    public let start: Int

    /// Creates a list without members.
    ///
    /// - Parameter opening: The text before the first member, such as `{"records":[`.
    package init(_ opening: StaticString = "") {
        json.appendLiteral(opening)
        start = json.count
    }

    /// The number of bytes of the members and the commas between them.
    @inlinable public var bytes: Int { json.count - start }

    /// Counts a member and appends its comma. The caller then appends the member to `json`.
    @inlinable public mutating func beginMember() {
        if count > 0 { json.append(UInt8(ascii: ",")) }
        count += 1
    }

    /// Reverses the order of the members.
    ///
    /// - Parameter starts: The position of each member in `json`, behind its comma.
    package mutating func reverseMembers(startingAt starts: [Int]) {
        guard starts.count > 1 else { return }
        var reversed: [UInt8] = []
        reversed.reserveCapacity(json.count)
        reversed += json[..<start]
        var end = json.count
        for first in starts.reversed() {
            if reversed.count > start { reversed.append(UInt8(ascii: ",")) }
            reversed += json[first..<end]
            end = first - 1
        }
        json = reversed
    }

    /// A position to which the list can be truncated.
    package struct Mark: Sendable {
        fileprivate let count: Int
        /// The length of `json` at the mark.
        package let position: Int
    }

    /// A mark at the end of the list.
    package var mark: Mark { Mark(count: count, position: json.count) }

    /// Removes the members after a mark.
    package mutating func removeMembers(since mark: Mark) {
        json.removeSubrange(mark.position...)
        count = mark.count
    }

    /// Removes all members and keeps the capacity.
    package mutating func removeAll() {
        json.removeSubrange(start...)
        count = 0
    }
}
