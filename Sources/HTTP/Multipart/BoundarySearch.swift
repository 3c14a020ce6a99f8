/// Finds the delimiter of a multipart body: CR LF, two hyphens and the boundary (RFC 2046 §5.1.1).
///
/// Uses Horspool's algorithm: the last byte of the window determines how far the window moves. For most content, the
/// window moves by its whole length. The worst case is linear, because the delimiter has a CR only at its start. A
/// window is compared in full only if it begins with CR. The bytes that match after the CR have no CR, so no byte
/// matches twice.
struct BoundarySearch: Sendable {
    /// The delimiter followed by one more hyphen.
    let delimiterAndHyphen: [UInt8]
    /// The length of the delimiter in bytes.
    let count: Int
    /// The distance in bytes that the window moves, for each value of the window's last byte.
    private let steps: [UInt8]

    /// - Parameter boundary: A valid boundary.
    init(boundary: some Collection<UInt8>) {
        let delimiter: [UInt8] = [0x0D, 0x0A, 0x2D, 0x2D] + boundary
        count = delimiter.count
        delimiterAndHyphen = delimiter + [0x2D]
        var steps = [UInt8](repeating: UInt8(count), count: 256)
        for index in 0..<count - 1 { steps[Int(delimiter[index])] = UInt8(count - 1 - index) }
        self.steps = steps
    }

    /// Returns the start of the first delimiter at or after `start`, and how many bytes of the delimiter are in
    /// `bytes`. A delimiter at the end of `bytes` may be cut off. Returns `(bytes.count, 0)` if there is no delimiter.
    func find(in bytes: UnsafeRawBufferPointer, from start: Int) -> (start: Int, matched: Int) {
        guard let base = bytes.baseAddress else { return (0, 0) }
        return delimiterAndHyphen.withUnsafeBytes { delimiter in
            steps.withUnsafeBytes { steps in
                guard let steps = steps.baseAddress, let wanted = delimiter.baseAddress else { return (bytes.count, 0) }
                let permitted = count &- 1
                let last = wanted.load(fromByteOffset: permitted, as: UInt8.self)
                var window = start
                let end = bytes.count &- count
                while window <= end {
                    let byte = base.load(fromByteOffset: window &+ permitted, as: UInt8.self)
                    if byte == last, matches(base + window, wanted, count) { return (window, count) }
                    window &+= Int(steps.load(fromByteOffset: Int(byte), as: UInt8.self))
                }
                return beginning(base, bytes.count, notBefore: max(start, bytes.count &- permitted), wanted)
            }
        }
    }

    /// Finds a delimiter that is cut off at the end of the bytes. Such a delimiter can only begin at the last CR.
    private func beginning(
        _ base: UnsafeRawPointer, _ end: Int, notBefore first: Int, _ wanted: UnsafeRawPointer
    ) -> (start: Int, matched: Int) {
        var index = end
        while index > first {
            index &-= 1
            if base.load(fromByteOffset: index, as: UInt8.self) == 0x0D {
                return matches(base + index, wanted, end &- index) ? (index, end &- index) : (end, 0)
            }
        }
        return (end, 0)
    }

    @inline(__always)
    private func matches(_ bytes: UnsafeRawPointer, _ wanted: UnsafeRawPointer, _ count: Int) -> Bool {
        var index = 0
        while index < count {
            let byte = bytes.load(fromByteOffset: index, as: UInt8.self)
            guard byte == wanted.load(fromByteOffset: index, as: UInt8.self) else { return false }
            index &+= 1
        }
        return true
    }
}
