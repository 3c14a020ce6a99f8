/// A strict pull parser for JSON (RFC 8259) in a buffer. The parser validates the text and returns ranges; it builds no
/// values.
///
/// Where the RFC leaves a choice:
/// - A duplicate key in an object is an error. Keys are compared byte by byte after their escapes are resolved.
/// - Objects and lists may be nested 32 deep.
/// - A lone surrogate escape is an error, and so is text that is not UTF-8 (overlong forms, surrogates, code points
///   above U+10FFFF). NUL is accepted as `\u0000`.
/// - A byte order mark is an error, and so are UTF-16 and UTF-32, and anything but white space after the value.
/// - Numbers may have any length. The caller rejects numbers that do not fit an Int64 or a finite double.
///
/// The buffer does not check bounds in release builds, so each access is checked against `end` first. All functions
/// throw `JSONError` for malformed input.
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

    /// Creates a reader of a value inside a document. Offsets remain relative to the start of the document.
    init(_ bytes: UnsafeRawBufferPointer, at token: JSONToken) {
        precondition(token.start >= 0 && token.end <= bytes.count, "A token lies inside its document")
        self.bytes = bytes
        end = token.end
        position = token.start
    }

    /// Moves to the first value of a document.
    mutating func beginDocument() throws(JSONError) {
        if end >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            throw JSONError("it begins with a byte order mark; send UTF-8 without it", at: 0)
        }
        if end >= 2, bytes[0] == 0 || bytes[1] == 0 || bytes[0] >= 0xFE, let encoding = foreignEncoding {
            throw JSONError("it is \(encoding); send UTF-8", at: 0)
        }
        skipWhitespace()
    }

    /// Checks that only white space follows the value.
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

    /// The current byte; `nil` at the end.
    var next: UInt8? { position < end ? bytes[position] : nil }

    /// Reads one value of any kind. The current byte must be the first byte of the value. Afterward, the current byte
    /// is the one after the value.
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

    /// UTF-16 or UTF-32 if the document is in it, as some programs of Windows write it; otherwise `nil`.
    ///
    /// Without a byte order mark, the places of zeros show the encoding, because the first character of JSON is ASCII
    /// (RFC 4627 §3). In UTF-8, JSON has no zeros.
    private var foreignEncoding: String? {
        let first = bytes.prefix(4)
        let isZero = first.map { $0 == 0 }
        if isZero == [false, false, true, true], first.starts(with: [0xFF, 0xFE]) { return "UTF-32" }
        if isZero == [true, true, false, false], first.suffix(2).elementsEqual([0xFE, 0xFF]) { return "UTF-32" }
        if isZero == [true, true, true, false] || isZero == [false, true, true, true] { return "UTF-32" }
        if first.starts(with: [0xFF, 0xFE]) || first.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        return isZero[0] != isZero[1] ? "UTF-16" : nil
    }

    /// Enters the object or list whose bracket is the current byte.
    mutating func enter() throws(JSONError) {
        depth &+= 1
        if depth > Self.deepest { throw JSONError("it is nested deeper than \(Self.deepest)", at: position) }
        position &+= 1
    }

    /// Moves to the value of the next member of an object. If there is no further member, moves past the object and
    /// returns `nil`.
    ///
    /// - Parameter keys: The keys of this object so far; empty at its start.
    mutating func nextKey(_ keys: inout JSONKeySet) throws(JSONError) -> JSONToken? {
        guard let key = try beginKey(isFirst: keys.count == 0) else { return nil }
        guard try keys.insert(key, of: self) else { throw JSONError("a key stands twice", at: key.start) }
        try endKey()
        return key
    }

    /// Moves to the next member without detecting duplicate keys. Responses use this function: there, the first of two
    /// equal keys counts.
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

    /// Skips `text` if it starts at the current position.
    @inline(__always)
    mutating func skip(_ text: StaticString) -> Bool {
        guard matches(text, at: position, limit: end) else { return false }
        position &+= text.utf8CodeUnitCount
        return true
    }

    /// Moves to the next element of a list. If there is no further element, moves past the list and returns false.
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

    /// Returns whether `text` is at an offset and ends at or before `limit`.
    @inline(__always)
    func matches(_ text: StaticString, at offset: Int, limit: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        guard limit &- offset >= count else { return false }
        for index in 0..<count where bytes[offset &+ index] != text.utf8Start[index] { return false }
        return true
    }

    /// Returns whether the content of a scanned string is `text`.
    @inline(__always)
    func string(_ token: JSONToken, is text: StaticString) -> Bool {
        if token.kind == .string {
            guard token.count &- 2 == text.utf8CodeUnitCount else { return false }
            return matches(text, at: token.start &+ 1, limit: token.end &- 1)
        }
        return token.kind == .escapedString && string(token) == text.description
    }

    /// Returns whether the content of a scanned string equals the given UTF-8.
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
