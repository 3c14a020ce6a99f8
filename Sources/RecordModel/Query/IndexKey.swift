/// The form in which index tables and cursors keep values: bytes whose order is the order of the values, so that one
/// comparison of bytes compares any number of columns.
///
/// Per column: `01` for an absent value; `02` and the value for one that is there, so absent ones come first.
///
///     integer   8 bytes, big-endian, the sign bit inverted
///     double    8 bytes, big-endian; the sign bit inverted, or all bits if it was set
///     text      the first 1,024 bytes, 00 written 01 01 and 01 written 01 02; then 00
///
/// The 00 at the end of a text stands nowhere else in it, so no key of a column begins another, and both directions
/// have one order, whatever stands behind the column.
///
/// A descending column has all of its bytes inverted. A key of more than `textBytes` bytes may have been cut: whoever
/// finds it looks at the record before believing it.
package enum IndexKey {
    /// How much of a text a key keeps, in bytes.
    package static let textBytes = 1_024

    /// Appends one column.
    package static func append(_ value: QueryValue?, isAscending: Bool, to key: inout [UInt8]) {
        let start = key.count
        switch value {
        case nil: key.append(absent)
        case .integer(let integer)?:
            key.append(present)
            append(UInt64(bitPattern: integer) ^ (1 << 63), to: &key)
        case .double(let double)?:
            key.append(present)
            // -0 equals 0, and their bits differ.
            let bits = (double == 0 ? 0 : double).bitPattern
            append(bits >> 63 == 0 ? bits ^ (1 << 63) : ~bits, to: &key)
        case .text(let bytes)?:
            key.append(present)
            bytes.withUnsafeBytes { appendText($0, to: &key) }
            key.append(0)
        }
        if !isAscending { invert(&key, from: start) }
    }

    /// Appends a text column, as `append` does with `.text`, from bytes that someone else owns.
    package static func append(text: UnsafeRawBufferPointer, isAscending: Bool, to key: inout [UInt8]) {
        let start = key.count
        key.append(present)
        appendText(text, to: &key)
        key.append(0)
        if !isAscending { invert(&key, from: start) }
    }

    /// Appends the head of a text column: what all keys of texts with this prefix begin with.
    ///
    /// - Parameter prefix: At most `textBytes` of it count.
    package static func append(prefix: [UInt8], isAscending: Bool, to key: inout [UInt8]) {
        let start = key.count
        key.append(present)
        prefix.withUnsafeBytes { appendText($0, to: &key) }
        if !isAscending { invert(&key, from: start) }
    }

    /// Appends the head of a column: what all keys with a value there, or without one, begin with.
    package static func append(isPresent: Bool, isAscending: Bool, to key: inout [UInt8]) {
        key.append((isPresent ? present : absent) ^ (isAscending ? 0 : 0xFF))
    }

    /// The integer with which a key begins.
    ///
    /// - Returns: `nil` if its first column is no integer, or is absent.
    package static func firstInteger(of key: [UInt8], isAscending: Bool) -> Int64? {
        var column = Array(key.prefix(9))
        if !isAscending { invert(&column) }
        guard column.count == 9, column[0] == present else { return nil }
        let bits = column.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(bitPattern: bits ^ (1 << 63))
    }

    /// The least key above all that begin with `head`; `nil` if there is none.
    package static func successor(of head: [UInt8]) -> [UInt8]? {
        var bound = head
        while let last = bound.popLast() {
            if last < 0xFF {
                bound.append(last + 1)
                return bound
            }
        }
        return nil
    }

    /// Whether a text in the key may be longer than what the key keeps of it.
    package static func mayBeCut(_ count: Int) -> Bool {
        count > textBytes
    }

    /// Inverts all bytes: the key of the same values with every direction turned around.
    package static func invert(_ key: inout [UInt8], from start: Int = 0) {
        for index in start..<key.count { key[index] = ~key[index] }
    }

    private static let absent: UInt8 = 1
    private static let present: UInt8 = 2

    private static func append(_ number: UInt64, to key: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { key.append(contentsOf: $0) }
    }

    private static func appendText(_ text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        let kept = UnsafeRawBufferPointer(rebasing: text.prefix(textBytes))
        guard kept.contains(where: { $0 < 2 }) else {
            key.append(contentsOf: kept)
            return
        }
        for byte in kept {
            if byte < 2 { key.append(1) }
            key.append(byte < 2 ? byte + 1 : byte)
        }
    }
}
