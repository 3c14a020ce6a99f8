/// A part of the file: the offsets from `start` up to `end`, which is not included.
///
/// Parts are only ever made smaller, so `0 <= start <= end <= size` holds without a check at each use, and no length from
/// the file is added to anything before it is known to fit.
struct Extent: Hashable {
    private(set) var start: Int
    let end: Int

    /// All of a file of `size` bytes; of a negative size, nothing.
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

    /// Cuts `count` bytes off the front and returns them; `nil`, and nothing is cut, if there are not so many.
    mutating func take(_ count: Int) -> Extent? {
        guard count >= 0, count <= self.count else { return nil }
        defer { start += count }
        return Extent(start: start, end: start + count)
    }

    /// What is left behind the first `count` bytes; `nil` if there are not so many.
    func dropping(_ count: Int) -> Extent? {
        var rest = self
        return rest.take(count) == nil ? nil : rest
    }
}
