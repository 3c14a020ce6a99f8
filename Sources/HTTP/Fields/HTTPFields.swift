/// Header fields in the order of their lines (RFC 9110 §5), stored as one byte array and one array of positions.
///
/// The fields of a request share the byte array with the request target. So a whole head needs two arrays, and no
/// allocation per field.
public struct HTTPFields: Sendable {
    /// The positions of one field's name and trimmed value in `bytes`. The name of a known field may be missing from
    /// `bytes`.
    struct Entry: Sendable {
        var known: KnownField
        var nameLength: UInt16
        var nameStart: UInt32
        var valueStart: UInt32
        var valueLength: UInt32
    }

    var bytes: [UInt8] = []
    var entries: [Entry] = []

    /// Creates empty fields.
    public init() {}

    init(bytes: [UInt8], entries: [Entry]) {
        self.bytes = bytes
        self.entries = entries
    }

    /// The number of field lines.
    public var count: Int { entries.count }

    /// Whether there are no field lines.
    public var isEmpty: Bool { entries.isEmpty }

    /// The first value of a field, trimmed. Bytes that are not UTF-8 are replaced by U+FFFD.
    public subscript(name: HTTPFieldName) -> String? {
        withValue(of: name) { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether at least one line has this field name.
    public func contains(_ name: HTTPFieldName) -> Bool {
        index(of: name, from: 0) != nil
    }

    /// Whether the first line of a field has exactly this value.
    public func has(_ name: HTTPFieldName, _ value: StaticString) -> Bool {
        withValue(of: name) { $0.equals(value) } ?? false
    }

    /// Returns how many lines have this field name.
    public func count(of name: HTTPFieldName) -> Int {
        var count = 0
        var next = 0
        while let index = index(of: name, from: next) {
            count += 1
            next = index + 1
        }
        return count
    }

    /// Returns the value of each line of a field, in order. Comma-separated lists are not split.
    public func values(of name: HTTPFieldName) -> [String] {
        var values: [String] = []
        forEachValue(of: name) { values.append(String(decoding: $0, as: UTF8.self)) }
        return values
    }

    /// Calls `body` with the bytes of a field's first value, without a copy. Returns `nil` if there is no such field.
    public func withValue<R>(
        of name: HTTPFieldName, _ body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R? {
        guard let index = index(of: name, from: 0) else { return nil }
        return try withValue(at: index, body)
    }

    /// Calls `body` with the bytes of each value of a field, without a copy.
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
    /// Iterates over the field lines in order.
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
