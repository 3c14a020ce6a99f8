import RecordModel

/// Searches texts for one part, in time proportional to the lengths of both (Knuth, Morris and Pratt).
struct TextFinder: Sendable {
    private let part: [UInt8]
    /// For each position: the length of the longest start of the part that ends before it.
    private let borders: [Int]

    /// - Parameter part: UTF-8 bytes, at least one.
    init(_ part: [UInt8]) {
        self.part = part
        var borders = Array(repeating: 0, count: part.count)
        var length = 0
        for position in part.indices.dropFirst() {
            while length > 0, part[position] != part[length] { length = borders[length - 1] }
            if part[position] == part[length] { length += 1 }
            borders[position] = length
        }
        self.borders = borders
    }

    /// Returns whether a text contains the part. Values that are no text contain nothing.
    func isContained(in value: QueryValue) -> Bool {
        guard case .text(let text) = value, let first = part.first, text.count >= part.count else { return false }
        return text.withUnsafeBufferPointer { text in
            part.withUnsafeBufferPointer { part in
                var length = 0
                for byte in text {
                    if length == 0 {
                        // Most bytes of a text are not the first byte of the part.
                        if byte == first { length = 1 }
                    } else {
                        while length > 0, byte != part[length] { length = borders[length - 1] }
                        if byte == part[length] { length += 1 }
                    }
                    if length == part.count { return true }
                }
                return false
            }
        }
    }
}
