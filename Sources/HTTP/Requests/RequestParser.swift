/// Parses the bytes of a connection into request heads (RFC 9112), one at a time.
///
/// The parser is strict where leniency would let two parties disagree about the end of a request. Lines end with CR LF
/// only, the body length is given once and in one way, and no field is folded. The parser works line by line and
/// remembers the scanned position. So the result does not depend on how the bytes were split into reads, and no byte is
/// scanned twice.
public struct RequestParser: Sendable {
    /// The limits of a head, in bytes except where noted.
    public struct Limits: Hashable, Sendable {
        /// The maximum length of the request target; status 414 if exceeded.
        public var maxTargetBytes: Int
        /// The maximum length of one field line without its CR LF; status 431 if exceeded.
        public var maxFieldBytes: Int
        /// The maximum length of the request line and all fields, including the empty line; status 431 if exceeded.
        public var maxHeadBytes: Int
        /// The maximum number of field lines; status 431 if exceeded.
        public var maxFields: Int
        /// The maximum length of the method; status 501 if exceeded.
        public var maxMethodBytes: Int

        /// Creates limits.
        public init(
            maxTargetBytes: Int = 8192, maxFieldBytes: Int = 8192, maxHeadBytes: Int = 32768, maxFields: Int = 100,
            maxMethodBytes: Int = 32
        ) {
            self.maxTargetBytes = maxTargetBytes
            self.maxFieldBytes = maxFieldBytes
            self.maxHeadBytes = maxHeadBytes
            self.maxFields = maxFields
            self.maxMethodBytes = maxMethodBytes
        }
    }

    /// The result of parsing the bytes received so far.
    public enum Verdict: Sendable {
        /// The head is incomplete and valid so far.
        case needMore
        /// A complete head. The body or the next request begins at offset `consumed` of the given bytes.
        case head(RequestHead, consumed: Int)
        /// The head is invalid. Close the connection after the response.
        case rejected(HTTPRejection)
    }

    /// The limits that apply to each head.
    public let limits: Limits
    private var requestLine: RequestLine?
    /// The start of the current line in bytes.
    private var lineStart = 0
    private var scanned = 0
    private var emptyLines = 0
    /// The field lines so far. The array is reused for all requests of the connection.
    private var entries: [HTTPFields.Entry] = []

    /// Creates a parser at the start of a connection.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        entries.reserveCapacity(16)
    }

    /// Discards an incomplete head; the next call of `parse` starts a new head.
    public mutating func reset() {
        requestLine = nil
        lineStart = 0
        scanned = 0
        emptyLines = 0
        entries.removeAll(keepingCapacity: true)
    }

    /// Continues to parse the head.
    ///
    /// - Parameter bytes: All bytes after the last consumed byte: the bytes of the previous call and the new bytes. The
    ///   parser skips up to two empty lines before the request line (RFC 9112 §2.2).
    public mutating func parse(_ bytes: UnsafeRawBufferPointer) -> Verdict {
        do throws(HTTPRejection) {
            while let lineEnd = try endOfLine(bytes) {
                let start = lineStart
                lineStart = lineEnd &+ 2
                scanned = lineStart
                if requestLine == nil {
                    if start == lineEnd {
                        emptyLines &+= 1
                        guard emptyLines <= 2 else { throw .emptyLines }
                    } else {
                        requestLine = try RequestLine(bytes, start, lineEnd, limits)
                    }
                } else if start == lineEnd {
                    let head = try finish(bytes.part(0, start))
                    let consumed = lineStart
                    reset()
                    return .head(head, consumed: consumed)
                } else {
                    guard entries.count < limits.maxFields else { throw .tooManyFields(limits.maxFields) }
                    entries.append(try FieldLine.parse(bytes, start, lineEnd))
                }
            }
            return .needMore
        } catch {
            return .rejected(error)
        }
    }

    /// Returns the position of the current line's CR LF, or `nil` if the CR LF has not arrived.
    ///
    /// The position of the first invalid byte alone determines the rejection. So the rejection does not depend on how
    /// the line was split into reads.
    ///
    /// - Throws: An `HTTPRejection`: 400 for a control character; 414, 431 or 501 for an exceeded limit.
    @inline(__always)
    private mutating func endOfLine(_ bytes: UnsafeRawBufferPointer) throws(HTTPRejection) -> Int? {
        let isRequestLine = requestLine == nil
        // The head is measured without the empty lines before the request line, which have two bytes each.
        let headLimit = 2 &* emptyLines &+ limits.maxHeadBytes &- 2
        let lineLimit = lineStart &+ (isRequestLine ? limits.maxRequestLineBytes : limits.maxFieldBytes)
        let limit = min(headLimit, lineLimit)
        var index = min(scanned, bytes.count)
        while true {
            index = bytes.firstControl(from: index)
            guard index <= limit else {
                if isRequestLine { throw .tooLongRequestLine(bytes, lineStart, limits) }
                throw lineLimit < headLimit ? .tooLongField(bytes, lineStart, limits) : .tooLongHead(limits)
            }
            guard index < bytes.count else {
                scanned = index
                return nil
            }
            let byte = bytes[index]
            if byte == 0x0D {
                guard index &+ 1 < bytes.count else {
                    scanned = index
                    return nil
                }
                guard bytes[index &+ 1] == 0x0A else { throw .bareCarriageReturn }
                return index
            }
            guard byte == 0x09, !isRequestLine else { throw .control(byte, isFirst: index == 0) }
            index &+= 1
        }
    }

    private func finish(_ bytes: UnsafeRawBufferPointer) throws(HTTPRejection) -> RequestHead {
        // Only called after a request line.
        guard let requestLine else { throw .emptyLines }
        // A copy of exactly the right size, with capacity for the Host of an absolute-form target.
        let collected = self.entries
        var entries: [HTTPFields.Entry] = []
        entries.reserveCapacity(collected.count &+ 1)
        entries.append(contentsOf: collected)
        let meaning = try HeadMeaning(bytes, &entries, requestLine)
        let copy = Array(bytes)
        return RequestHead(
            method: requestLine.method, target: RequestTarget(bytes: copy, shape: requestLine.target),
            version: requestLine.version, fields: HTTPFields(bytes: copy, entries: entries),
            framing: meaning.framing, keepsAlive: meaning.keepsAlive, expectsContinue: meaning.expectsContinue)
    }
}

extension RequestParser.Limits {
    /// The maximum length of the method, the target, the version and two spaces, in bytes.
    var maxRequestLineBytes: Int { maxMethodBytes &+ maxTargetBytes &+ 10 }
}
