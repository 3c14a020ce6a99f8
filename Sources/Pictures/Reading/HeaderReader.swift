/// Reads numbers from extents of a file through a small window, within a budget.
///
/// Each function returns `nil` if bytes are missing: the extent is too short, the file is shorter than its stated size,
/// or the budget is exhausted. Each number counts toward the budget, so a loop that reads at least one number per
/// iteration needs no other limit. Functions throw the errors of the source.
struct HeaderReader<Failure: Error> {
    typealias Source = (_ offset: Int, _ count: Int) throws(Failure) -> [UInt8]

    enum ByteOrder { case big, little }

    /// The extent of the whole file.
    let whole: Extent

    private let bytes: Source
    private var window: [UInt8] = []
    private var windowStart = 0
    private var readsLeft = HeaderBudget.reads
    private var numbersLeft = HeaderBudget.numbers
    /// Whether the source returned too few bytes for a range within the file. The result for the file may then be
    /// wrong.
    private(set) var isIncomplete = false

    init(size: Int, bytes: @escaping Source) {
        whole = Extent(size: size)
        self.bytes = bytes
    }

    /// Whether the budget is exhausted. A result of `nil` then does not mean that bytes are missing in the file.
    var isSpent: Bool { readsLeft == 0 || numbersLeft == 0 }

    /// Reads an unsigned number of `width` bytes, 1 to 8, from the start of an extent.
    ///
    /// - Returns: The number; `nil` if bytes are missing or the number exceeds `Int.max`.
    mutating func number(
        _ width: Int, _ order: ByteOrder = .big, from extent: inout Extent
    ) throws(Failure) -> Int? {
        guard numbersLeft > 0, let field = extent.take(width), let index = try index(of: field) else { return nil }
        numbersLeft -= 1
        var number: UInt64 = 0
        for place in 0..<width {
            let byte = UInt64(window[index + (order == .big ? place : width - 1 - place)])
            number = number << 8 | byte
        }
        return Int(exactly: number)
    }

    /// Reads a code of four bytes from the start of an extent.
    mutating func code(from extent: inout Extent) throws(Failure) -> Code? {
        guard let number = try number(4, from: &extent) else { return nil }
        return Code(UInt32(truncatingIfNeeded: number))
    }

    /// Returns the position of `field` in the window. If the window does not contain `field`, the window is read first.
    private mutating func index(of field: Extent) throws(Failure) -> Int? {
        if field.start >= windowStart, field.end <= windowStart + window.count { return field.start - windowStart }
        guard readsLeft > 0 else { return nil }
        readsLeft -= 1
        let count = min(HeaderBudget.window, whole.end - field.start)
        window = try bytes(field.start, count)
        windowStart = field.start
        // Extra bytes from the source could make `windowStart + window.count` overflow.
        if window.count > count { window.removeLast(window.count - count) }
        guard field.count <= window.count else {
            isIncomplete = true
            return nil
        }
        return 0
    }
}

/// The budget for reading one header.
enum HeaderBudget {
    /// The maximum number of reads. Each segment of a JPEG may need one read. Phones that store a depth map in APP1
    /// write about a hundred segments.
    static let reads = 256
    /// The number of bytes per read. All reads of a header together return at most 1 MiB.
    static let window = 4096
    /// The maximum number of numbers that are read, which takes one or two milliseconds. A HEIC file needs about
    /// fifteen numbers per item, and libheif allows a thousand items.
    static let numbers = 65_536
}
