/// A strict pull reader of RFC 8259 over bytes. It builds nothing: it checks, and hands out ranges.
///
/// Where the RFC leaves a choice, this is the choice:
/// - A key that stands twice in one object is refused; keys are compared after their escapes are resolved, byte by byte.
/// - Objects and lists nest 32 deep at most.
/// - A surrogate escape without its partner is refused, and so is text that is not UTF-8 (overlong forms, surrogates,
///   code points beyond U+10FFFF). NUL is kept when written `\u0000`.
/// - A byte order mark is refused, and so is anything but white space behind the value.
/// - Numbers follow the grammar and may have any length; who needs an Int64 or a finite double refuses what does not fit.
///
/// Every access is checked against `end` before it is made: the buffer's own checks are absent in release builds.
struct JSONReader {
    static let deepest = 32

    let bytes: UnsafeRawBufferPointer
    let end: Int
    var position: Int
    private var depth = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        end = bytes.count
        position = 0
    }

    /// Reads a value inside a larger document, so that offsets stay those of the document.
    init(_ bytes: UnsafeRawBufferPointer, at token: JSONToken) {
        precondition(token.start >= 0 && token.end <= bytes.count, "A token lies inside its document")
        self.bytes = bytes
        end = token.end
        position = token.start
    }

    /// Stands at the first value of a document.
    mutating func beginDocument() throws(JSONError) {
        if end >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            throw JSONError("it begins with a byte order mark", at: 0)
        }
        skipWhitespace()
    }

    /// Checks that nothing but white space follows.
    mutating func endDocument() throws(JSONError) {
        skipWhitespace()
        if position < end { throw JSONError("something follows the value", at: position) }
    }

    @inline(__always)
    mutating func skipWhitespace() {
        while position < end {
            let byte = bytes[position]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position &+= 1
        }
    }

    /// The byte at which the reader stands, or `nil` at the end.
    var next: UInt8? { position < end ? bytes[position] : nil }

    /// Reads one value of any kind, to its end. Stands at its first byte before and behind its last byte after.
    mutating func value() throws(JSONError) -> JSONToken {
        guard position < end else { throw JSONError("a value is missing", at: position) }
        let start = position
        switch bytes[start] {
        case UInt8(ascii: "\""): return try string()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "{"):
            try enter()
            var keys = JSONKeySet()
            while try nextKey(&keys) != nil { _ = try value() }
            return JSONToken(kind: .object, start: start, end: position)
        case UInt8(ascii: "["):
            try enter()
            var isFirst = true
            while try nextElement(&isFirst) { _ = try value() }
            return JSONToken(kind: .array, start: start, end: position)
        case UInt8(ascii: "t"): return try word("true", .trueWord)
        case UInt8(ascii: "f"): return try word("false", .falseWord)
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw JSONError("a value was expected", at: start)
        }
    }

    /// Steps into the object or list at whose bracket the reader stands.
    mutating func enter() throws(JSONError) {
        depth &+= 1
        if depth > Self.deepest { throw JSONError("it is nested deeper than \(Self.deepest)", at: position) }
        position &+= 1
    }

    /// Steps to the next member of an object, and stands at its value; behind the object if there is none.
    ///
    /// - Parameter keys: The keys of this object so far; empty at its beginning.
    mutating func nextKey(_ keys: inout JSONKeySet) throws(JSONError) -> JSONToken? {
        guard let key = try beginKey(isFirst: keys.count == 0) else { return nil }
        guard try keys.insert(key, of: self) else { throw JSONError("a key stands twice", at: key.start) }
        try endKey()
        return key
    }

    /// The same where a doubled key does no harm: in answers, of which the reader takes the first.
    mutating func nextKey(_ isFirst: inout Bool) throws(JSONError) -> JSONToken? {
        guard let key = try beginKey(isFirst: isFirst) else { return nil }
        isFirst = false
        try endKey()
        return key
    }

    @inline(__always)
    private mutating func beginKey(isFirst: Bool) throws(JSONError) -> JSONToken? {
        skipWhitespace()
        guard position < end else { throw JSONError("an object is not closed", at: position) }
        if bytes[position] == UInt8(ascii: "}") {
            position &+= 1
            depth &-= 1
            return nil
        }
        if !isFirst {
            guard bytes[position] == UInt8(ascii: ",") else {
                throw JSONError("a comma or a closing brace was expected", at: position)
            }
            position &+= 1
            skipWhitespace()
        }
        guard position < end, bytes[position] == UInt8(ascii: "\"") else {
            throw JSONError("a key in quotes was expected", at: position)
        }
        return try string()
    }

    @inline(__always)
    private mutating func endKey() throws(JSONError) {
        skipWhitespace()
        guard position < end, bytes[position] == UInt8(ascii: ":") else {
            throw JSONError("a colon was expected", at: position)
        }
        position &+= 1
        skipWhitespace()
    }

    /// Steps over `text` if it stands here.
    @inline(__always)
    mutating func skip(_ text: StaticString) -> Bool {
        guard matches(text, at: position, limit: end) else { return false }
        position &+= text.utf8CodeUnitCount
        return true
    }

    /// Steps to the next member of a list and stands at it; behind the list if there is none.
    mutating func nextElement(_ isFirst: inout Bool) throws(JSONError) -> Bool {
        skipWhitespace()
        guard position < end else { throw JSONError("a list is not closed", at: position) }
        if bytes[position] == UInt8(ascii: "]") {
            position &+= 1
            depth &-= 1
            return false
        }
        if isFirst {
            isFirst = false
            return true
        }
        guard bytes[position] == UInt8(ascii: ",") else {
            throw JSONError("a comma or a closing bracket was expected", at: position)
        }
        position &+= 1
        skipWhitespace()
        return true
    }

    private mutating func word(_ text: StaticString, _ kind: JSONKind) throws(JSONError) -> JSONToken {
        let start = position
        guard matches(text, at: start, limit: end) else { throw JSONError("a value was expected", at: start) }
        position = start &+ text.utf8CodeUnitCount
        return JSONToken(kind: kind, start: start, end: position)
    }

    /// Whether `text` stands at an offset, with its end at or before `limit`.
    @inline(__always)
    func matches(_ text: StaticString, at offset: Int, limit: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        guard limit &- offset >= count else { return false }
        for index in 0..<count where bytes[offset &+ index] != text.utf8Start[index] { return false }
        return true
    }

    /// Whether a string's text is `text`.
    @inline(__always)
    func string(_ token: JSONToken, is text: StaticString) -> Bool {
        if token.kind == .string {
            guard token.count &- 2 == text.utf8CodeUnitCount else { return false }
            return matches(text, at: token.start &+ 1, limit: token.end &- 1)
        }
        return token.kind == .escapedString && string(token) == text.description
    }

    /// Whether a string's text is that of some UTF-8.
    @inline(__always)
    func string(_ token: JSONToken, is text: UnsafeRawBufferPointer) -> Bool {
        if token.kind == .string {
            guard token.count &- 2 == text.count else { return false }
            for index in 0..<text.count where bytes[token.start &+ 1 &+ index] != text[index] { return false }
            return true
        }
        return token.kind == .escapedString && unescaped(token).elementsEqual(text)
    }
}
