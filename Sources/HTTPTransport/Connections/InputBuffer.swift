/// Bytes that have come on a connection and have not been consumed. Empty while the connection idles.
struct InputBuffer {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Takes `count` bytes off the front.
    mutating func consume(_ count: Int) {
        start += count
        if start == bytes.count { removeAll() }
    }

    /// The first `count` bytes, which are consumed.
    mutating func take(_ count: Int) -> [UInt8] {
        // A body that is all there is needs no copy.
        if start == 0, count == bytes.count {
            defer { removeAll() }
            return bytes
        }
        defer { consume(count) }
        return Array(bytes[start..<start + count])
    }

    mutating func removeAll() {
        bytes = []
        start = 0
    }

    /// Lends all bytes, which must not leave `body`.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }
}
