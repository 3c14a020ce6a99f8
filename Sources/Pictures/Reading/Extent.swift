/// A range of bytes of the file, from `start` up to but not including `end`.
///
/// Extents can only shrink. So `0 <= start <= end <= size` holds without a check at each use. A length from the file is
/// compared with the remaining bytes before it is used in any addition.
struct Extent: Hashable {
    private(set) var start: Int
    let end: Int

    /// Creates the extent of a whole file of `size` bytes; empty for a negative size.
    init(size: Int) {
        start = 0
        end = max(size, 0)
    }

    private init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }

    var count: Int { end - start }
    var isEmpty: Bool { start == end }

    /// Removes `count` bytes from the start and returns them. If there are fewer bytes, nothing is removed and the
    /// result is `nil`.
    mutating func take(_ count: Int) -> Extent? {
        guard count >= 0, count <= self.count else { return nil }
        defer { start += count }
        return Extent(start: start, end: start + count)
    }

    /// Returns the extent without its first `count` bytes; `nil` if there are fewer.
    func dropping(_ count: Int) -> Extent? {
        var rest = self
        return rest.take(count) == nil ? nil : rest
    }
}
