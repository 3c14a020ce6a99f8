package import Geography

/// The byte strings that represent values in index tables and cursors. The order of the keys is the order of the
/// values, so one comparison of bytes compares any number of columns.
///
/// Each column starts with a byte for presence, so absent values sort first. In cursors of sorts that have them last,
/// this byte is 03:
///
/// ```
/// absent    | 01 |
/// integer   | 02 | 8 bytes, big endian, sign bit inverted                     |
/// double    | 02 | 8 bytes, big endian, sign bit inverted; negative: all bits |
/// text      | 02 | first 1,024 bytes; 00 as 01 01, 01 as 01 02           | 00 |
/// place     | 02 | 8 bytes, big endian: `PlaceKey`                            |
/// ```
///
/// A text contains 00 only as its terminator. So no key of a column is a prefix of another key, and the following
/// columns do not affect the order.
///
/// All bytes of a descending column are inverted. A text of more than `textBytes` bytes is truncated. A reader that
/// finds a truncated key must compare the value in the record.
package enum IndexKey {
    /// The length at which a text is truncated, in bytes.
    package static let textBytes = 1_024
    /// How many bytes of a text decide its key and whether the key is truncated.
    package static let decidingBytes = textBytes + 1

    /// Appends the key of one column.
    ///
    /// - Parameter isAbsentGreatest: Whether an absent value is greater than all others. Never so in an index.
    package static func append(
        _ value: QueryValue?, isAscending: Bool, isAbsentGreatest: Bool = false, to key: inout [UInt8]
    ) {
        let start = key.count
        switch value {
        case nil: key.append(isAbsentGreatest ? present + 1 : absent)
        case .integer(let integer)?:
            key.append(present)
            append(UInt64(bitPattern: integer) ^ (1 << 63), to: &key)
        case .double(let double)?:
            key.append(present)
            // Normalize -0 to 0, because the two are equal but have different bits.
            let bits = (double == 0 ? 0 : double).bitPattern
            append(bits >> 63 == 0 ? bits ^ (1 << 63) : ~bits, to: &key)
        case .text(let bytes)?:
            key.append(present)
            bytes.withUnsafeBytes { appendText($0, to: &key) }
            key.append(0)
        }
        if !isAscending { invert(&key, from: start) }
    }

    /// Appends the key of a place: `02` and the 8 bytes of its `PlaceKey`; `01` for none. The order of such keys is the
    /// order along the curve, whatever the direction of the column.
    package static func append(_ place: PlaceKey?, to key: inout [UInt8]) {
        key.append(place == nil ? absent : present)
        if let place { append(place.code, to: &key) }
    }

    /// Appends the key of a text column from borrowed bytes. The result is that of `append` with `.text`.
    package static func append(text: UnsafeRawBufferPointer, isAscending: Bool, to key: inout [UInt8]) {
        let start = key.count
        key.append(present)
        appendText(text, to: &key)
        key.append(0)
        if !isAscending { invert(&key, from: start) }
    }

    /// Appends the common prefix of the keys of all texts with a given prefix.
    ///
    /// - Parameter prefix: The prefix in UTF-8. Bytes after the first `textBytes` are ignored.
    package static func append(prefix: [UInt8], isAscending: Bool, to key: inout [UInt8]) {
        let start = key.count
        key.append(present)
        prefix.withUnsafeBytes { appendText($0, to: &key) }
        if !isAscending { invert(&key, from: start) }
    }

    /// Appends the common prefix of the keys of all present values, or of all absent values.
    package static func append(isPresent: Bool, isAscending: Bool, to key: inout [UInt8]) {
        key.append((isPresent ? present : absent) ^ (isAscending ? 0 : 0xFF))
    }

    /// Returns the integer in the first column of a key.
    ///
    /// - Returns: `nil` if the first column is absent or no integer.
    package static func firstInteger(of key: [UInt8], isAscending: Bool) -> Int64? {
        var column = Array(key.prefix(9))
        if !isAscending { invert(&column) }
        guard column.count == 9, column[0] == present else { return nil }
        let bits = column.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(bitPattern: bits ^ (1 << 63))
    }

    /// Returns the least key greater than all keys that start with `head`; `nil` if there is none.
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

    /// Returns whether a text of `count` bytes in a key may be truncated.
    package static func mayBeTruncated(_ count: Int) -> Bool {
        count > textBytes
    }

    /// Inverts all bytes. The result is the key of the same values with all directions reversed.
    package static func invert(_ key: inout [UInt8], from start: Int = 0) {
        for index in start..<key.count { key[index] = ~key[index] }
    }

    static let absent: UInt8 = 1
    static let present: UInt8 = 2

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
