/// Reads values back from keys, so that aggregates need no records.
extension IndexKey {
    /// The form of the values of a column.
    package enum ColumnForm: Hashable, Sendable {
        case integer, double, text

        /// The form of the values of a field; `nil` for a field that no ordered index holds.
        package init?(_ field: QueryField) {
            switch field.type {
            case .string: self = .text
            case .reference: self = field.isUser ? .integer : .text
            case .int64, .timestamp: self = .integer
            case .double: self = .double
            default: return nil
            }
        }
    }

    /// A column of a key.
    package struct DecodedColumn {
        /// The value; `nil` if it is absent.
        package var value: QueryValue?
        /// Whether the record may have a longer text.
        package var mayBeTruncated = false
    }

    /// Reads the column at an offset of a key, and moves the offset to the next column.
    ///
    /// - Returns: `nil` if the key does not have such a column.
    package static func column(
        _ key: UnsafeRawBufferPointer, at offset: inout Int, as form: ColumnForm, isAscending: Bool
    ) -> DecodedColumn? {
        guard offset < key.count else { return nil }
        let mask: UInt8 = isAscending ? 0 : 0xFF
        let presence = key[offset] ^ mask
        offset += 1
        if presence == absent { return DecodedColumn() }
        guard presence == present else { return nil }
        if form == .text { return text(key, at: &offset, mask) }
        guard offset + 8 <= key.count else { return nil }
        let bits =
            UInt64(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ (isAscending ? 0 : .max)
        offset += 8
        if form == .integer { return DecodedColumn(value: .integer(Int64(bitPattern: bits ^ (1 << 63)))) }
        return DecodedColumn(value: .double(Double(bitPattern: bits >> 63 == 1 ? bits ^ (1 << 63) : ~bits)))
    }

    private static func text(_ key: UnsafeRawBufferPointer, at offset: inout Int, _ mask: UInt8) -> DecodedColumn? {
        var text: [UInt8] = []
        text.reserveCapacity(key.count - offset)
        while offset < key.count {
            let byte = key[offset] ^ mask
            offset += 1
            if byte == 0 {
                return DecodedColumn(value: .text(text), mayBeTruncated: text.count >= textBytes)
            }
            if byte == 1 {
                guard offset < key.count else { return nil }
                text.append((key[offset] ^ mask) &- 1)
                offset += 1
            } else {
                text.append(byte)
            }
        }
        return nil
    }
}
