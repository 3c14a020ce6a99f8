package import RecordModel

/// Reads the lines of a text, such as JSON Lines, from UTF-8 in chunks of any size. Its memory is a chunk and a line.
///
/// Lines end with `\n` or `\r\n`; the last line needs no end. Lines of nothing but spaces are skipped, and so is a byte
/// order mark at offset 0.
package struct LineReader: Sendable {
    /// What ``next()`` has read.
    package enum Outcome: Hashable, Sendable {
        /// A line: its number, from 1, and its bytes in ``LineReader/line``.
        case line(Int)
        /// Nothing: more bytes are needed, or the call of ``finish()``.
        case needsBytes
        /// Nothing: the text is at its end.
        case end
    }

    /// The last line that ``next()`` returned, without its end.
    package private(set) var line: [UInt8] = []
    /// The position behind the last line.
    package private(set) var position: TextPosition

    private let limit: Int
    private var input: [UInt8] = []
    private var start = 0
    /// The bytes before have no line break.
    private var searched = 0
    private var number: Int
    private var isFinished = false
    private var failure: RecordError?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - position: Where the first byte is that will come.
    ///   - limits: What lines may have at most.
    package init(at position: TextPosition = .start, limits: TextLimits = .lines) {
        self.position = position
        limit = limits.rowBytes
        number = position.line
    }

    /// Adds bytes to read.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if start > 0 {
            input.removeFirst(start)
            searched -= start
            start = 0
        }
        input.append(contentsOf: bytes)
    }

    /// Adds bytes to read.
    package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Says that no more bytes will come.
    package mutating func finish() {
        isFinished = true
    }

    /// Reads the next line into ``line``.
    ///
    /// - Throws: `BAD_REQUEST` with `line` and `limit` for a line that is too long. Further calls throw the same error.
    package mutating func next() throws(RecordError) -> Outcome {
        if let failure { throw failure }
        while true {
            let end = input[searched...].firstIndex(of: 0x0A) ?? input.count
            // The end of a line is not part of its length, whether or not its bytes have come.
            var length = end - start
            if length > 0, input[end - 1] == 0x0D { length -= 1 }
            if length > limit {
                let error = RecordError.badRequest(
                    "Line \(number) does not end within \(limit) bytes, the limit of a line", cause: .tooLarge,
                    details: [("line", .number(Int64(number))), ("limit", .number(Int64(limit)))])
                failure = error
                throw error
            }
            if end == input.count {
                searched = end
                guard isFinished else { return .needsBytes }
                if end == start { return .end }
            }
            line.removeAll(keepingCapacity: true)
            line.append(contentsOf: input[start..<(start + length)])
            if position.offset == 0, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
            let next = min(end + 1, input.count)
            position.offset += next - start
            start = next
            searched = next
            let found = number
            if end < input.count { number += 1 }
            position.line = number
            if !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return .line(found) }
        }
    }
}
