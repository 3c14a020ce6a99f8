/// Finds the delimiter of a multipart body: CR LF, two hyphens and the boundary.
///
/// Horspool's search: the byte at the end of the window says how far the window may move, which for most content is its
/// whole length. Its bad cases stay linear here, since a delimiter has its only CR at its front: a window is looked
/// at in full only if it begins with CR, and what matches behind that has no CR, so no byte matches twice.
struct BoundarySearch: Sendable {
    /// What is searched for, and one hyphen more.
    let delimiterAndHyphen: [UInt8]
    /// The length of the delimiter.
    let count: Int
    /// How far the window moves, by its last byte.
    private let steps: [UInt8]

    /// - Parameter boundary: Valid.
    init(boundary: some Collection<UInt8>) {
        let delimiter: [UInt8] = [0x0D, 0x0A, 0x2D, 0x2D] + boundary
        count = delimiter.count
        delimiterAndHyphen = delimiter + [0x2D]
        var steps = [UInt8](repeating: UInt8(count), count: 256)
        for index in 0..<count - 1 { steps[Int(delimiter[index])] = UInt8(count - 1 - index) }
        self.steps = steps
    }

    /// Where the first delimiter begins at or after `start`, and how much of it is there: all of it, or what the end of
    /// `bytes` cuts off. `(bytes.count, 0)` if there is none.
    func find(in bytes: UnsafeRawBufferPointer, from start: Int) -> (start: Int, matched: Int) {
        guard let base = bytes.baseAddress else { return (0, 0) }
        return delimiterAndHyphen.withUnsafeBytes { delimiter in
            steps.withUnsafeBytes { steps in
                guard let steps = steps.baseAddress, let wanted = delimiter.baseAddress else { return (bytes.count, 0) }
                let reach = count &- 1
                let last = wanted.load(fromByteOffset: reach, as: UInt8.self)
                var window = start
                let end = bytes.count &- count
                while window <= end {
                    let byte = base.load(fromByteOffset: window &+ reach, as: UInt8.self)
                    if byte == last, matches(base + window, wanted, count) { return (window, count) }
                    window &+= Int(steps.load(fromByteOffset: Int(byte), as: UInt8.self))
                }
                return beginning(base, bytes.count, notBefore: max(start, bytes.count &- reach), wanted)
            }
        }
    }

    /// A delimiter that the end of the bytes cuts off can only begin with their last CR.
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
