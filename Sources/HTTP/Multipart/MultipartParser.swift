/// Parses a multipart/form-data body (RFC 7578, RFC 2046 §5.1) incrementally, in pieces of any size.
///
/// ```swift
/// var offset = 0
/// while true {
///     switch parser.next(piece, from: &offset) {
///     case .partBegan(let head): begin(head)
///     case .data(let range): write(piece[range])
///     case .earlierData(let bytes): write(bytes)
///     case .partEnded: end()
///     case .finished: continue  // the epilogue is skipped
///     case .needMore: return
///     case .failed(let error): throw error
///     }
/// }
/// ```
///
/// Splitting a body into pieces changes only how its content is divided among data events. Content is scanned once and
/// never copied. Lines end with CR LF only.
public struct MultipartParser: Sendable {
    private enum State {
        /// In the preamble or in the content of a part.
        case content
        /// After a delimiter, whose line may still turn out to be content.
        case delimited(Tail)
        /// In the whitespace after a boundary. `isAtEnd` is true after the CR of that line.
        case padding(isAtEnd: Bool)
        case head
        case closed
        /// In the rest of the line after the closing boundary.
        case closingLine
        case epilogue
        case failed(MultipartError)
    }

    /// The bytes read so far after a boundary, in the same line.
    private enum Tail {
        case nothing, hyphen, cr
    }

    private let limits: Limits
    private let search: BoundarySearch
    private var state = State.content
    /// How many bytes of the delimiter the parser has matched at the end of the bytes read so far.
    private var held = 2
    /// Whether the CR LF counted in `held` is not in the body. The parser assumes a CR LF before the body, because the
    /// first line may be a boundary.
    private var heldHasNoBreak = true
    private var isInPart = false
    private var parts = 0
    /// How many bytes of the current preamble, padding or epilogue have been skipped so far.
    private var passedOver = 0
    private var head: [UInt8] = []
    private var lineStart = 0

    /// Creates a parser for a request body.
    ///
    /// - Parameter contentType: The Content-Type of the request.
    /// - Throws: `.malformed` if the type is not multipart/form-data with a boundary of 1 to 70 characters.
    public init(contentType: MediaType, limits: Limits = Limits()) throws(MultipartError) {
        guard contentType.isType("multipart", "form-data") else {
            throw .malformed("The Content-Type is not multipart/form-data.")
        }
        guard let boundary = contentType["boundary"] else {
            throw .malformed("The Content-Type has no boundary.")
        }
        try self.init(boundary: boundary, limits: limits)
    }

    /// Creates a parser for a boundary.
    ///
    /// - Throws: `.malformed` if the boundary is not 1 to 70 characters from the set in RFC 2046 §5.1.1.
    public init(boundary: String, limits: Limits = Limits()) throws(MultipartError) {
        guard MultipartBoundary.isValid(boundary.utf8) else {
            throw .malformed("The boundary is not 1 to 70 of the characters that RFC 2046 allows.")
        }
        self.limits = limits
        search = BoundarySearch(boundary: boundary.utf8)
    }

    /// Returns the next event in `piece` at or after `offset`, and advances `offset`. Call this until the event is
    /// `needMore` or `failed`. After `needMore`, continue with the next piece from offset 0.
    public mutating func next(_ piece: [UInt8], from offset: inout Int) -> Event {
        piece.withUnsafeBytes { next($0, from: &offset) }
    }

    /// Returns the next event in a buffer of bytes.
    public mutating func next(_ bytes: UnsafeRawBufferPointer, from offset: inout Int) -> Event {
        while true {
            if let event = step(bytes, &offset) { return event }
        }
    }

    /// Checks at the end of a body that the body is complete. Returns `nil` if it is.
    public func end() -> MultipartError? {
        switch state {
        case .closed, .closingLine, .epilogue: nil
        case .failed(let error): error
        case .head: .malformed("The body ends in the head of a part.")
        case .content, .delimited, .padding:
            .malformed(
                parts == 0
                    ? "The body ends before its first boundary." : "The body ends without its closing boundary.")
        }
    }

    /// Parses until the parser's state changes. Returns `nil` if the step produced no event.
    private mutating func step(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Event? {
        switch state {
        case .content: return content(bytes, &offset)
        case .closed:
            state = .closingLine
            return .finished
        case .failed(let error): return .failed(error)
        default: break
        }
        guard offset < bytes.count else { return .needMore }
        switch state {
        case .delimited(let tail): return delimited(tail, bytes[offset], &offset)
        case .padding(let isAtEnd): return padding(isAtEnd, bytes[offset], &offset)
        case .head: return partHead(bytes, &offset)
        case .closingLine:
            // Whitespace, then the end of the line, then anything (RFC 2046 §5.1.1).
            let byte = bytes[offset]
            if byte == 0x0D {
                state = .epilogue
            } else if !byte.isBlank {
                return fail(.malformed("Something follows the closing boundary in its line."))
            }
            return skipUnknown(1, &offset)
        case .epilogue: return skipUnknown(bytes.count - offset, &offset)
        case .content, .closed, .failed: return nil
        }
    }

    private mutating func fail(_ error: MultipartError) -> Event {
        state = .failed(error)
        return .failed(error)
    }

    private mutating func skipUnknown(_ count: Int, _ offset: inout Int) -> Event? {
        passedOver += count
        offset += count
        guard passedOver <= limits.maxEpilogueBytes else {
            return fail(.tooLarge("There are more than \(limits.maxEpilogueBytes) bytes after the closing boundary."))
        }
        return nil
    }

    // MARK: - Content and delimiters

    private mutating func content(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Event? {
        if held > 0 {
            while held < search.count {
                guard offset < bytes.count else { return .needMore }
                guard bytes[offset] == search.delimiterAndHyphen[held] else { return giveUpHeld(held) }
                held += 1
                offset += 1
            }
            state = .delimited(.nothing)
            return nil
        }
        guard offset < bytes.count else { return .needMore }
        let start = offset
        let found = search.find(in: bytes, from: start)
        held = found.matched
        offset = found.start + found.matched
        if held == search.count { state = .delimited(.nothing) }
        guard found.start > start else { return nil }
        return isInPart ? .data(start..<found.start) : passPreamble(found.start - start)
    }

    /// Releases held bytes that turned out to be content: the first `count` bytes of the delimiter and a hyphen.
    private mutating func giveUpHeld(_ count: Int) -> Event? {
        let start = heldHasNoBreak ? 2 : 0
        held = 0
        heldHasNoBreak = false
        guard count > start else { return nil }
        return isInPart ? .earlierData(search.delimiterAndHyphen[start..<count]) : passPreamble(count - start)
    }

    private mutating func passPreamble(_ count: Int) -> Event? {
        passedOver += count
        guard passedOver <= limits.maxPreambleBytes else {
            return fail(.tooLarge("There are more than \(limits.maxPreambleBytes) bytes before the first boundary."))
        }
        return nil
    }

    /// Reads the bytes after a possible delimiter. Two hyphens, whitespace or the end of the line must follow a
    /// delimiter. Otherwise the line is content: the boundary of a nested body may begin with this parser's boundary.
    private mutating func delimited(_ tail: Tail, _ byte: UInt8, _ offset: inout Int) -> Event? {
        switch (tail, byte) {
        case (.nothing, UInt8(ascii: "-")):
            state = .delimited(.hyphen)
        case (.nothing, 0x0D):
            state = .delimited(.cr)
        case (.nothing, 0x0A):
            return fail(.malformed("A line with a boundary ends in LF instead of CR LF."))
        case (.nothing, 0x20), (.nothing, 0x09):
            offset += 1
            state = .padding(isAtEnd: false)
            return endPart()
        case (.hyphen, UInt8(ascii: "-")):
            offset += 1
            state = .closed
            return endPart()
        case (.cr, 0x0A):
            offset += 1
            return beginHead()
        default:
            state = .content
            let event = giveUpHeld(search.count + (tail == .hyphen ? 1 : 0))
            // The CR may begin another delimiter.
            if tail == .cr { held = 1 }
            return event
        }
        offset += 1
        return nil
    }

    private mutating func padding(_ isAtEnd: Bool, _ byte: UInt8, _ offset: inout Int) -> Event? {
        offset += 1
        switch (isAtEnd, byte) {
        case (false, 0x20), (false, 0x09):
            passedOver += 1
            guard passedOver <= limits.maxPartHeadBytes else {
                return fail(.tooLarge("There are too many blanks after a boundary."))
            }
        case (false, 0x0D): state = .padding(isAtEnd: true)
        case (true, 0x0A): return beginHead()
        default: return fail(.malformed("Something follows a boundary in its line."))
        }
        return nil
    }

    private mutating func endPart() -> Event? {
        held = 0
        heldHasNoBreak = false
        passedOver = 0
        guard isInPart else { return nil }
        isInPart = false
        return .partEnded
    }

    // MARK: - Heads

    private mutating func beginHead() -> Event? {
        state = .head
        head = []
        lineStart = 0
        return endPart()
    }

    private mutating func partHead(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Event? {
        let rest = bytes[offset...]
        let end = rest.firstIndex(of: 0x0A)
        let line = rest[..<(end.map { $0 + 1 } ?? bytes.count)]
        guard head.count + line.count <= limits.maxPartHeadBytes else {
            return fail(.tooLarge("The head of a part has more than \(limits.maxPartHeadBytes) bytes."))
        }
        head.append(contentsOf: line)
        offset += line.count
        guard end != nil else { return nil }
        guard head.count >= lineStart + 2, head[head.count - 2] == 0x0D else {
            return fail(.malformed("A line in the head of a part ends in LF instead of CR LF."))
        }
        guard head.count == lineStart + 2 else {
            lineStart = head.count
            return nil
        }
        guard parts < limits.maxParts else {
            return fail(.tooLarge("The body has more than \(limits.maxParts) parts."))
        }
        do throws(MultipartError) {
            let partHead = try MultipartPartHead(lines: head[..<lineStart])
            parts += 1
            isInPart = true
            state = .content
            // The empty line may also be the start of a delimiter: then the part has no content.
            held = 2
            heldHasNoBreak = true
            head = []
            return .partBegan(partHead)
        } catch {
            return fail(error)
        }
    }
}
