internal import RecordModel

/// A writer into a buffer on the stack, for the small parts of a record. The buffer is then appended to the response in
/// one call, because twenty separate appends cost more than copying the fields.
struct StackBufferWriter {
    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    private(set) var count = 0

    /// Creates a writer that starts at the beginning of a buffer.
    ///
    /// - Parameter buffer: The buffer, large enough for everything that will be written. Each write checks the bounds.
    init(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let base = buffer.baseAddress else { preconditionFailure("A buffer on the stack has an address") }
        self.base = base
        capacity = buffer.count
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(UnsafeRawPointer(text.utf8Start), text.utf8CodeUnitCount)
    }

    @inline(__always)
    mutating func append(_ source: UnsafeRawPointer, _ length: Int) {
        precondition(capacity &- count >= length, "The pieces of a record fit their buffer")
        (base + count).copyMemory(from: source, byteCount: length)
        count &+= length
    }

    /// Appends text without escaping.
    ///
    /// - Returns: False if the text needs escaping. The buffer is then unusable.
    @inline(__always)
    mutating func appendPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index &+ 8 <= text.count {
            let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            if JSONReader.escapes(in: word) != 0 { return false }
            index &+= 8
        }
        while index < text.count {
            let byte = text[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
            index &+= 1
        }
        if let start = text.baseAddress { append(start, text.count) }
        return true
    }

    mutating func appendPlain(_ text: String) -> Bool {
        var copy = text
        return copy.withUTF8 { appendPlain(UnsafeRawBufferPointer($0)) }
    }

    /// Appends an integer in decimal.
    mutating func append(_ number: Int64) {
        append(number, base: 10)
    }

    /// Appends a change tag in the format of `RecordTag`.
    mutating func appendTag(_ revision: Int64) {
        append(revision, base: 36)
    }

    @inline(__always)
    private mutating func append(_ number: Int64, base: UInt64) {
        var rest = number.magnitude
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            var first = 24
            repeat {
                let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: base)
                first &-= 1
                let digit = UInt8(truncatingIfNeeded: remainder)
                digits[first] = digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &+ digit &- 10
                rest = quotient
            } while rest != 0
            if number < 0 {
                first &-= 1
                digits[first] = UInt8(ascii: "-")
            }
            if let start = digits.baseAddress { append(UnsafeRawPointer(start + first), 24 &- first) }
        }
    }

    /// Appends `{"timestamp":…,"userRecordName":"…","deviceID":"2"}`.
    ///
    /// `deviceID` is always `2`, as CloudKit shows for records that a server wrote.
    mutating func appendMoment(_ milliseconds: Int64, _ user: String) -> Bool {
        append("{\"timestamp\":")
        append(milliseconds)
        append(",\"userRecordName\":\"")
        guard appendPlain(user) else { return false }
        append("\",\"deviceID\":\"2\"}")
        return true
    }
}

extension RecordComposer {
    /// The size in bytes of the buffer for the text before or after the fields. The size suffices for names of any
    /// allowed length.
    private static let pieceBytes = 1_024
    /// The longest name that is written through the buffer, in bytes of UTF-8.
    private static let nameBytes = 255

    /// Appends the text before the fields.
    ///
    /// - Returns: False, with nothing appended, if a name needs escaping.
    static func appendHeadPiece(_ header: borrowing RecordHeader, to text: inout [UInt8]) -> Bool {
        guard header.name.count <= nameBytes else { return false }
        return withUnsafeTemporaryAllocation(byteCount: pieceBytes, alignment: 8) { buffer in
            var piece = StackBufferWriter(buffer)
            piece.append("{\"recordName\":\"")
            guard piece.appendPlain(header.name) else { return false }
            piece.append("\",\"recordType\":\"")
            guard piece.appendPlain(header.typeName.text) else { return false }
            piece.append("\",\"fields\":{")
            text.appendBytes(piece.bytes)
            return true
        }
    }

    /// Appends the text after the fields.
    ///
    /// - Returns: False, with nothing appended, if a name needs escaping.
    static func appendTailPiece(_ header: borrowing RecordHeader, to text: inout [UInt8]) -> Bool {
        guard header.creator.utf8.count <= nameBytes, header.modifier.utf8.count <= nameBytes else { return false }
        return withUnsafeTemporaryAllocation(byteCount: pieceBytes, alignment: 8) { buffer in
            var piece = StackBufferWriter(buffer)
            piece.append("},\"pluginFields\":{},\"recordChangeTag\":\"")
            piece.appendTag(header.revision)
            piece.append("\",\"created\":")
            let start = piece.count
            guard piece.appendMoment(header.created, header.creator) else { return false }
            let length = piece.count &- start
            piece.append(",\"modified\":")
            // In a record that was never changed, `created` and `modified` are equal.
            if header.modified == header.created, header.modifier == header.creator, let base = piece.bytes.baseAddress
            {
                piece.append(base + start, length)
            } else {
                guard piece.appendMoment(header.modified, header.modifier) else { return false }
            }
            if let access = header.access {
                piece.append(",\"acl\":")
                text.appendBytes(piece.bytes)
                text.append(contentsOf: access)
                text.appendLiteral(",\"deleted\":false}")
                return true
            }
            piece.append(",\"deleted\":false}")
            text.appendBytes(piece.bytes)
            return true
        }
    }
}
