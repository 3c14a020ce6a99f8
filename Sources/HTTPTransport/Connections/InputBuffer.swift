/// The bytes that a connection has received but not consumed yet. Empty while the connection is idle.
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

    /// Removes `count` bytes from the front.
    mutating func consume(_ count: Int) {
        start += count
        if start == bytes.count { removeAll() }
    }

    /// Removes and returns the first `count` bytes.
    mutating func take(_ count: Int) -> [UInt8] {
        // If the body is the whole buffer, it needs no copy.
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

    /// Calls `body` with all bytes. The pointer must not escape.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }
}
