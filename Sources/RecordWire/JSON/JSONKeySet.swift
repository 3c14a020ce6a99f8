/// The keys that a reader has seen in one object, to detect duplicates. Up to eight keys need no allocation.
struct JSONKeySet {
    private(set) var count = 0
    private var prints = InlineArray<8, UInt64>(repeating: 0)
    private var starts = InlineArray<8, Int>(repeating: 0)
    /// All keys, once there are more than eight. The set's hash has a random seed, which prevents attacks with
    /// colliding keys.
    private var spilled: Set<[UInt8]>?

    /// The most keys of one object. No valid document needs as many: a schema has at most 10,000 types. The limit
    /// bounds the memory, because a stored key takes several times its length.
    static let most = 16_384

    /// Adds a key.
    ///
    /// - Returns: False if the key is a duplicate.
    /// - Throws: `JSONError` if the object has too many keys.
    mutating func insert(_ key: JSONToken, of reader: JSONReader) throws(JSONError) -> Bool {
        guard count < Self.most else { throw JSONError("an object has more than \(Self.most) keys", at: key.start) }
        defer { count &+= 1 }
        if spilled != nil { return spilled?.insert(Self.text(key, of: reader)).inserted ?? true }
        let print = Self.fingerprint(key, of: reader)
        for index in 0..<count where prints[index] == print {
            let other = try Self.key(at: starts[index], of: reader)
            if Self.text(other, of: reader) == Self.text(key, of: reader) { return false }
        }
        if count < 8 {
            prints[count] = print
            starts[count] = key.start
        } else {
            var keys: Set<[UInt8]> = [Self.text(key, of: reader)]
            for index in 0..<8 {
                keys.insert(Self.text(try Self.key(at: starts[index], of: reader), of: reader))
            }
            spilled = keys
        }
        return true
    }

    private static func key(at start: Int, of reader: JSONReader) throws(JSONError) -> JSONToken {
        var probe = reader
        probe.position = start
        return try probe.string()
    }

    private static func text(_ key: JSONToken, of reader: JSONReader) -> [UInt8] {
        key.kind == .string ? Array(reader.bytes[key.content]) : reader.unescaped(key)
    }

    /// Returns a hash of a key from its length and up to 16 of its bytes. Different keys seldom have the same hash.
    @inline(__always)
    private static func fingerprint(_ key: JSONToken, of reader: JSONReader) -> UInt64 {
        guard key.kind == .string else {
            return reader.unescaped(key).withUnsafeBytes { fingerprint($0, 0, $0.count) }
        }
        return fingerprint(reader.bytes, key.start &+ 1, key.count &- 2)
    }

    @inline(__always)
    private static func fingerprint(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> UInt64 {
        if count >= 8 {
            let first = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            let last = bytes.loadUnaligned(fromByteOffset: start &+ count &- 8, as: UInt64.self)
            return (first &* 0x9E37_79B9_7F4A_7C15) ^ last ^ UInt64(truncatingIfNeeded: count)
        }
        var word = UInt64(truncatingIfNeeded: count) &<< 56
        for index in 0..<count { word |= UInt64(bytes[start &+ index]) &<< (UInt64(index) &* 8) }
        return word
    }
}
