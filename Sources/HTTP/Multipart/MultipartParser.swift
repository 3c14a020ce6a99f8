/// Takes a multipart/form-data body (RFC 7578, RFC 2046 §5.1) apart, in pieces of any size.
///
/// ```swift
/// var offset = 0
/// while true {
///     switch parser.next(piece, from: &offset) {
///     case .partBegan(let head): begin(head)
///     case .data(let range): write(piece[range])
///     case .earlierData(let bytes): write(bytes)
///     case .partEnded: end()
///     case .finished: continue  // what follows is passed over
///     case .needMore: return
///     case .failed(let error): throw error
///     }
/// }
/// ```
///
/// The events do not depend on how the body is cut, but for how data is spread over its events. Content is looked at once
/// and never copied. Lines end in CR LF only.
public struct MultipartParser: Sendable {
    private enum State {
        /// In the preamble or in the content of a part.
        case content
        /// Behind a delimiter, which may yet turn out to be content.
        case delimited(Tail)
        /// In the blanks that end a line with a boundary; `isAtEnd` is behind their CR.
        case padding(isAtEnd: Bool)
        case head
        case closed
        /// Behind the closing boundary, in its line.
        case closingLine
        case epilogue
        case failed(MultipartError)
    }

    /// What was read of a line with a boundary behind it.
    private enum Tail {
        case nothing, hyphen, cr
    }

    private let limits: Limits
    private let search: BoundarySearch
    private var state = State.content
    /// How much of a delimiter the last bytes were.
    private var held = 2
    /// The CR LF of `held` are those before the content: a boundary may be its first line.
    private var heldHasNoBreak = true
    private var isInPart = false
    private var parts = 0
    /// Bytes of the preamble, of padding, or of the epilogue.
    private var passedOver = 0
    private var head: [UInt8] = []
    private var lineStart = 0

    /// - Parameter contentType: The Content-Type of the request.
    /// - Throws: `.malformed` if it is not multipart/form-data with a boundary of 1 to 70 characters.
    public init(contentType: MediaType, limits: Limits = Limits()) throws(MultipartError) {
        guard contentType.isType("multipart", "form-data") else {
            throw .malformed("The Content-Type is not multipart/form-data.")
        }
        guard let boundary = contentType["boundary"] else {
            throw .malformed("The Content-Type has no boundary.")
        }
        try self.init(boundary: boundary, limits: limits)
    }

    /// - Throws: `.malformed` if the boundary is not 1 to 70 characters of RFC 2046 §5.1.1.
    public init(boundary: String, limits: Limits = Limits()) throws(MultipartError) {
        guard MultipartBoundary.isValid(boundary.utf8) else {
            throw .malformed("The boundary is not 1 to 70 of the characters that RFC 2046 allows.")
        }
        self.limits = limits
        search = BoundarySearch(boundary: boundary.utf8)
    }

    /// The next event in `piece` at or after `offset`, which moves on. To be called until it returns `needMore` or
    /// `failed`, then with the next piece from 0.
    public mutating func next(_ piece: [UInt8], from offset: inout Int) -> Event {
        piece.withUnsafeBytes { next($0, from: &offset) }
    }

    /// The same for bytes that lie elsewhere.
    public mutating func next(_ bytes: UnsafeRawBufferPointer, from offset: inout Int) -> Event {
        while true {
            if let event = step(bytes, &offset) { return event }
        }
    }

    /// What is wrong with a body that ends here; `nil` if it is whole.
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

    /// One step; `nil` if it came to no event.
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
            // Blanks, then a line's end, then anything (RFC 2046 §5.1.1).
            let byte = bytes[offset]
            if byte == 0x0D {
                state = .epilogue
            } else if !byte.isBlank {
                return fail(.malformed("Something follows the closing boundary in its line."))
            }
            return passOver(1, &offset)
        case .epilogue: return passOver(bytes.count - offset, &offset)
        case .content, .closed, .failed: return nil
        }
    }

    private mutating func fail(_ error: MultipartError) -> Event {
        state = .failed(error)
        return .failed(error)
    }

    private mutating func passOver(_ count: Int, _ offset: inout Int) -> Event? {
        passedOver += count
        offset += count
        guard passedOver <= limits.maxEpilogueBytes else {
            return fail(.tooLarge("There are more than \(limits.maxEpilogueBytes) bytes behind the closing boundary."))
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

    /// The bytes that were held were content after all: the first `count` of the delimiter and a hyphen.
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

    /// A delimiter is one only with two hyphens, blanks or a line's end behind it: a longer line that begins alike is
    /// content, since the boundary of somebody else's body may begin with this one.
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
            // The CR may begin a delimiter of its own.
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
                return fail(.tooLarge("There are too many blanks behind a boundary."))
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
            // The empty line may be the one before a boundary: a part without content.
            held = 2
            heldHasNoBreak = true
            head = []
            return .partBegan(partHead)
        } catch {
            return fail(error)
        }
    }
}
