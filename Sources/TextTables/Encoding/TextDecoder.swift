package import RecordModel

/// Decodes a text file to UTF-8, in chunks of any size. UTF-8 is only checked.
///
/// A byte order mark stays in the output, so that offsets in the output of a file in UTF-8 are offsets in the file.
/// ``TableReader`` and ``LineReader`` skip it.
///
/// Offsets in the output of other encodings are not offsets in the file. To continue at one, decode the file again and
/// pass the offset as `skipping`.
///
/// Unchecked: the descriptor of `iconv` has no thread of its own, and a value that cannot be copied has one user at a time.
package struct TextDecoder: ~Copyable, @unchecked Sendable {
    private let encoding: TextEncoding
    /// `nil` for UTF-8.
    private let converter: TextConverter?
    /// The beginning of a character whose rest is in the next chunk.
    private var pending: [UInt8] = []
    /// The number of bytes that were decoded.
    private var offset: Int
    private var lines: LineCount
    private var toSkip: Int

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - offset: The offset in the file of the first byte that will come, for messages.
    ///   - line: The number of the line with this byte, for messages.
    ///   - skipping: The number of bytes to leave out at the beginning of the output.
    /// - Throws: `BAD_REQUEST` if the system does not know the encoding.
    package init(
        _ encoding: TextEncoding, offset: Int = 0, line: Int = 1, skipping: Int = 0
    ) throws(RecordError) {
        self.encoding = encoding
        self.offset = offset
        lines = LineCount(line: line)
        toSkip = skipping
        if encoding == .utf8 {
            converter = nil
        } else {
            converter = TextConverter(from: encoding)
            if converter == nil { throw TextEncoding.unknown(encoding.name) }
        }
    }

    /// Decodes a chunk and appends the text. The beginning of a character at the end of the chunk waits for the next one.
    ///
    /// - Throws: `BAD_REQUEST` with `offset` and `line` of the first byte that is invalid in the encoding. The text before
    ///   it was appended. No further call is allowed.
    package mutating func decode(_ chunk: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(RecordError) {
        if pending.isEmpty {
            try decodeWhole(chunk, into: &output)
        } else {
            var bytes = pending
            bytes.append(contentsOf: chunk)
            pending = []
            try bytes.withUnsafeBufferPointer { bytes throws(RecordError) in
                try decodeWhole(UnsafeRawBufferPointer(bytes), into: &output)
            }
        }
    }

    /// Decodes a chunk and appends the text; see `decode(_:into:)`.
    package mutating func decode(_ chunk: [UInt8], into output: inout [UInt8]) throws(RecordError) {
        try chunk.withUnsafeBufferPointer { chunk throws(RecordError) in
            try decode(UnsafeRawBufferPointer(chunk), into: &output)
        }
    }

    /// Checks that the file does not end inside a character.
    ///
    /// - Throws: `BAD_REQUEST` with `offset` and `line` of the character.
    package mutating func finish() throws(RecordError) {
        if let first = pending.first { throw invalid(first, at: offset) }
    }

    private mutating func decodeWhole(
        _ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]
    ) throws(RecordError) {
        let start = output.count
        let (decoded, bad): (Int, Int?)
        if converter != nil {
            (decoded, bad) = converter!.convert(bytes, into: &output)
        } else {
            let prefix = UTF8Prefix(of: bytes)
            output.append(contentsOf: bytes.prefix(prefix.count))
            (decoded, bad) = (prefix.count, prefix.badOffset(isWhole: false))
        }
        output.withUnsafeBytes { lines.add(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        if toSkip > 0 {
            let skipped = min(toSkip, output.count - start)
            output.removeSubrange(start..<(start + skipped))
            toSkip -= skipped
        }
        offset += decoded
        if let bad { throw invalid(bytes[bad], at: offset) }
        pending = Array(bytes[decoded...])
    }

    private func invalid(_ byte: UInt8, at offset: Int) -> RecordError {
        if encoding == .utf8 {
            return TextEncoding.notUTF8(byte: byte, offset: offset, line: lines.line, suggestion: nil)
        }
        let hex = String(byte, radix: 16, uppercase: true)
        return .badRequest(
            "The file is not \(encoding.name): byte 0x\(hex) at offset \(offset), in line \(lines.line), begins no character. Name another encoding, or correct the file",
            details: [("offset", .number(Int64(offset))), ("line", .number(Int64(lines.line)))])
    }
}
