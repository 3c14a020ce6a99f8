extension HTTPFields {
    /// Appends a field line.
    ///
    /// Every control character except HTAB becomes a space. So a value cannot begin another field or another response
    /// (RFC 9110 §5.5).
    public mutating func append(_ name: HTTPFieldName, _ value: String) {
        var value = value
        value.withUTF8 { append(name, bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Appends a field line with a value of bytes. Control characters become spaces.
    public mutating func append(_ name: HTTPFieldName, ascii bytes: some Collection<UInt8>) {
        let copied: Void? = bytes.withContiguousStorageIfAvailable {
            append(name, bytes: UnsafeRawBufferPointer($0))
        }
        if copied == nil {
            Array(bytes).withUnsafeBytes { append(name, bytes: $0) }
        }
    }

    /// Appends a field line with a literal value.
    public mutating func append(_ name: HTTPFieldName, literal value: StaticString) {
        value.withUTF8Buffer { append(name, bytes: UnsafeRawBufferPointer($0), isLiteral: true) }
    }

    /// Replaces all lines of a field with one line.
    public mutating func set(_ name: HTTPFieldName, _ value: String) {
        remove(name)
        append(name, value)
    }

    /// Removes all lines of a field.
    public mutating func remove(_ name: HTTPFieldName) {
        while let index = index(of: name, from: 0) { entries.remove(at: index) }
    }

    /// - Parameter isLiteral: Whether the value is from the program, and thus has no control characters.
    private mutating func append(
        _ name: HTTPFieldName, bytes value: UnsafeRawBufferPointer, isLiteral: Bool = false
    ) {
        if entries.isEmpty {
            // Enough for the fields of a usual response, so that each array grows once.
            entries.reserveCapacity(8)
            bytes.reserveCapacity(192)
        }
        let nameStart = bytes.count
        if name.known == .anyOther { bytes.append(contentsOf: name.other.utf8) }
        let valueStart = bytes.count
        let trimmed = value.trimmed
        bytes.append(contentsOf: trimmed)
        var control = isLiteral ? trimmed.count : trimmed.firstControl(from: 0)
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
