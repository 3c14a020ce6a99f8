/// Header fields in the order in which they came (RFC 9110 §5), kept as one run of bytes with a table of offsets.
///
/// The fields of a request share their bytes with its target: two arrays for a whole head, nothing per field.
public struct HTTPFields: Sendable {
    /// One field line: where its name and its trimmed value lie in `bytes`. A known name need not lie there at all.
    struct Entry: Sendable {
        var known: KnownField
        var nameLength: UInt16
        var nameStart: UInt32
        var valueStart: UInt32
        var valueLength: UInt32
    }

    var bytes: [UInt8] = []
    var entries: [Entry] = []

    public init() {}

    init(bytes: [UInt8], entries: [Entry]) {
        self.bytes = bytes
        self.entries = entries
    }

    /// The number of field lines.
    public var count: Int { entries.count }

    public var isEmpty: Bool { entries.isEmpty }

    /// The first value of a field without the blanks around it; bytes that are not UTF-8 are replaced by U+FFFD.
    public subscript(name: HTTPFieldName) -> String? {
        withValue(of: name) { String(decoding: $0, as: UTF8.self) }
    }

    public func contains(_ name: HTTPFieldName) -> Bool {
        index(of: name, from: 0) != nil
    }

    /// Whether the first line of a field has exactly this value.
    public func has(_ name: HTTPFieldName, _ value: StaticString) -> Bool {
        withValue(of: name) { $0.equals(value) } ?? false
    }

    /// How many lines there are of a field.
    public func count(of name: HTTPFieldName) -> Int {
        var count = 0
        var next = 0
        while let index = index(of: name, from: next) {
            count += 1
            next = index + 1
        }
        return count
    }

    /// The value of each line of a field, in order; lists are not taken apart.
    public func values(of name: HTTPFieldName) -> [String] {
        var values: [String] = []
        forEachValue(of: name) { values.append(String(decoding: $0, as: UTF8.self)) }
        return values
    }

    /// Calls `body` with the bytes of a field's first value, without copying them; `nil` if there is no such field.
    public func withValue<R>(
        of name: HTTPFieldName, _ body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R? {
        guard let index = index(of: name, from: 0) else { return nil }
        return try withValue(at: index, body)
    }

    /// Calls `body` with the bytes of each value of a field, without copying them.
    public func forEachValue(of name: HTTPFieldName, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        var next = 0
        while let index = index(of: name, from: next) {
            try withValue(at: index, body)
            next = index + 1
        }
    }

    func withValue<R>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let entry = entries[index]
        let start = Int(entry.valueStart)
        return try bytes.withUnsafeBytes { try body($0.part(start, start + Int(entry.valueLength))) }
    }

    func name(at index: Int) -> HTTPFieldName {
        let entry = entries[index]
        guard entry.known == .anyOther else { return HTTPFieldName(entry.known) }
        let start = Int(entry.nameStart)
        return bytes.withUnsafeBytes { HTTPFieldName(token: $0.part(start, start + Int(entry.nameLength))) }
    }

    func index(of name: HTTPFieldName, from start: Int) -> Int? {
        var index = start
        if name.known != .anyOther {
            while index < entries.count {
                if entries[index].known == name.known { return index }
                index += 1
            }
            return nil
        }
        let length = name.other.utf8.count
        while index < entries.count {
            if entries[index].known == .anyOther, Int(entries[index].nameLength) == length,
                isNamed(name.other, entries[index])
            {
                return index
            }
            index += 1
        }
        return nil
    }

    private func isNamed(_ lowercase: String, _ entry: Entry) -> Bool {
        var at = Int(entry.nameStart)
        for unit in lowercase.utf8 {
            guard bytes[at].lowercased == unit else { return false }
            at += 1
        }
        return true
    }
}

extension HTTPFields: Sequence {
    /// Walks the lines in their order.
    public struct Iterator: IteratorProtocol {
        let fields: HTTPFields
        var index = 0

        public mutating func next() -> (name: HTTPFieldName, value: String)? {
            guard index < fields.count else { return nil }
            defer { index += 1 }
            let value = fields.withValue(at: index) { String(decoding: $0, as: UTF8.self) }
            return (fields.name(at: index), value)
        }
    }

    public func makeIterator() -> Iterator {
        Iterator(fields: self)
    }
}
