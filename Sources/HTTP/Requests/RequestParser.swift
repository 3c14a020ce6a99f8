/// Turns the bytes of a connection into request heads (RFC 9112), one at a time.
///
/// Strict wherever leniency lets two parties disagree about where a request ends: line ends are CRLF and nothing else,
/// a length is said once and in one way, and no field is folded. The parser goes line by line and remembers how far it
/// has looked, so that its verdict does not depend on how the bytes were cut and no byte is looked for twice.
public struct RequestParser: Sendable {
    /// What a head may measure at most, in bytes unless it says otherwise.
    public struct Limits: Hashable, Sendable {
        /// Beyond it: 414.
        public var maxTargetBytes: Int
        /// One field line without its CRLF; beyond it: 431.
        public var maxFieldBytes: Int
        /// The request line and all fields with the empty line; beyond it: 431.
        public var maxHeadBytes: Int
        /// The number of field lines; beyond it: 431.
        public var maxFields: Int
        /// Beyond it: 501.
        public var maxMethodBytes: Int

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

    public enum Verdict: Sendable {
        /// The head is not complete, and nothing is wrong so far.
        case needMore
        /// A head; the body, or the next request, begins `consumed` bytes into what was given.
        case head(RequestHead, consumed: Int)
        /// The connection is to be closed after the answer.
        case refused(HTTPRefusal)
    }

    public let limits: Limits
    private var requestLine: RequestLine?
    /// Where the line under way begins, and from where on its end has not been looked for.
    private var lineStart = 0
    private var scanned = 0
    private var emptyLines = 0
    /// The field lines so far; its storage is used for every request of the connection.
    private var entries: [HTTPFields.Entry] = []

    public init(limits: Limits = Limits()) {
        self.limits = limits
        entries.reserveCapacity(16)
    }

    /// Forgets a head under way; the next call begins a new one.
    public mutating func reset() {
        requestLine = nil
        lineStart = 0
        scanned = 0
        emptyLines = 0
        entries.removeAll(keepingCapacity: true)
    }

    /// Goes on with the head.
    ///
    /// - Parameter bytes: Everything after the last consumed byte: what the previous call saw, and what has come since.
    ///   At most two empty lines before the request line are passed over (RFC 9112 §2.2).
    public mutating func parse(_ bytes: UnsafeRawBufferPointer) -> Verdict {
        do throws(HTTPRefusal) {
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
            return .refused(error)
        }
    }

    /// Where the CRLF of the line under way is, or `nil` if it has not come.
    ///
    /// The position of the first offending byte alone decides between refusals, so that it does not matter how much
    /// of the line was there when it was judged.
    @inline(__always)
    private mutating func endOfLine(_ bytes: UnsafeRawBufferPointer) throws(HTTPRefusal) -> Int? {
        let isRequestLine = requestLine == nil
        // The head is measured without the empty lines before it, two bytes each.
        let headLimit = 2 &* emptyLines &+ limits.maxHeadBytes &- 2
        let lineLimit = lineStart &+ (isRequestLine ? limits.maxRequestLineBytes : limits.maxFieldBytes)
        let limit = min(headLimit, lineLimit)
        var index = min(scanned, bytes.count)
        while true {
            index = bytes.firstControl(from: index)
            guard index <= limit else {
                throw isRequestLine
                    ? .tooLongRequestLine(bytes, lineStart, limits) : .tooLongFields(oneLine: lineLimit < headLimit)
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

    private func finish(_ bytes: UnsafeRawBufferPointer) throws(HTTPRefusal) -> RequestHead {
        // Only called behind a request line.
        guard let requestLine else { throw .emptyLines }
        // A copy of exactly the right size, with room for the Host that an absolute-form may bring.
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
    /// Method, target, version and two spaces.
    var maxRequestLineBytes: Int { maxMethodBytes &+ maxTargetBytes &+ 10 }
}
