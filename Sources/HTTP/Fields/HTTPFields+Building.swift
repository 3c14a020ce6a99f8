extension HTTPFields {
    /// Adds a line at the end.
    ///
    /// CR, LF, NUL and every other control but HTAB become a space on the way in, so no value can end its line and
    /// begin another field or another answer (RFC 9110 §5.5).
    public mutating func append(_ name: HTTPFieldName, _ value: String) {
        var value = value
        value.withUTF8 { append(name, bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Adds a line at the end, from bytes; controls become spaces as they do from a string.
    public mutating func append(_ name: HTTPFieldName, ascii bytes: some Collection<UInt8>) {
        let copied: Void? = bytes.withContiguousStorageIfAvailable {
            append(name, bytes: UnsafeRawBufferPointer($0))
        }
        if copied == nil {
            Array(bytes).withUnsafeBytes { append(name, bytes: $0) }
        }
    }

    /// Adds a line at the end, from a literal.
    public mutating func append(_ name: HTTPFieldName, literal value: StaticString) {
        value.withUTF8Buffer { append(name, bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Puts one line in the place of all lines of a field.
    public mutating func set(_ name: HTTPFieldName, _ value: String) {
        remove(name)
        append(name, value)
    }

    /// Takes away all lines of a field.
    public mutating func remove(_ name: HTTPFieldName) {
        while let index = index(of: name, from: 0) { entries.remove(at: index) }
    }

    private mutating func append(_ name: HTTPFieldName, bytes value: UnsafeRawBufferPointer) {
        if entries.isEmpty {
            // The fields of a usual answer: grown once each.
            entries.reserveCapacity(8)
            bytes.reserveCapacity(192)
        }
        let nameStart = bytes.count
        if name.known == .anyOther { bytes.append(contentsOf: name.other.utf8) }
        let valueStart = bytes.count
        let trimmed = value.trimmed
        bytes.append(contentsOf: trimmed)
        var control = trimmed.firstControl(from: 0)
        while control < trimmed.count {
            if trimmed[control].isForbiddenInValue { bytes[valueStart + control] = 0x20 }
            control = trimmed.firstControl(from: control + 1)
        }
        entries.append(
            Entry(
                known: name.known, nameLength: UInt16(truncatingIfNeeded: valueStart - nameStart),
                nameStart: UInt32(truncatingIfNeeded: nameStart), valueStart: UInt32(truncatingIfNeeded: valueStart),
                valueLength: UInt32(truncatingIfNeeded: trimmed.count)))
    }
}
