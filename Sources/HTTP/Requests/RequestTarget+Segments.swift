extension RequestTarget {
    /// The number of segments of the path: 2 for `/a/b`, 0 for `/`, 2 for `/a/` (the last one is empty).
    public var segmentCount: Int {
        guard pathEnd - pathStart > 1 else { return 0 }
        return bytes.withUnsafeBytes { buffer in
            var count = 0
            for index in pathStart..<pathEnd where buffer[index] == UInt8(ascii: "/") { count += 1 }
            return count
        }
    }

    /// Returns a segment, percent-decoded once.
    ///
    /// - Returns: `nil` if there is no such segment, or if it has a malformed escape, a NUL or bytes that are not
    ///   UTF-8.
    public func segment(_ index: Int) -> String? {
        withSegment(index) { PercentCoding.decode($0, plusIsSpace: false) } ?? nil
    }

    /// Whether the raw bytes of a segment equal `literal`. A percent-encoded spelling of `literal` is not equal.
    public func segmentEquals(_ index: Int, _ literal: StaticString) -> Bool {
        withSegment(index) { $0.equals(literal) } ?? false
    }

    /// Whether every segment of the path decodes to UTF-8 without NUL.
    public var isDecodable: Bool {
        guard shape.hasEscapes else { return true }
        for index in 0..<segmentCount where segment(index) == nil { return false }
        return true
    }

    func withSegment<R>(_ wanted: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        guard wanted >= 0, pathEnd - pathStart > 1 else { return nil }
        return bytes.withUnsafeBytes { buffer in
            var index = 0
            var start = pathStart + 1
            while start <= pathEnd {
                var end = start
                while end < pathEnd, buffer[end] != UInt8(ascii: "/") { end += 1 }
                if index == wanted { return body(buffer.part(start, end)) }
                index += 1
                start = end + 1
            }
            return nil
        }
    }
}
