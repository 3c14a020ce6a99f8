/// Reads numbers from parts of a file through a small window, within a budget.
///
/// Every answer is `nil` if the bytes are not there: the part is too short, the file is shorter than it said, or the
/// budget is spent. Numbers are part of the budget, so a loop that reads one a turn needs no bound of its own.
struct HeaderReader<Failure: Error> {
    typealias Source = (_ offset: Int, _ count: Int) throws(Failure) -> [UInt8]

    enum ByteOrder { case big, little }

    /// All of the file.
    let whole: Extent

    private let bytes: Source
    private var window: [UInt8] = []
    private var windowStart = 0
    private var readsLeft = HeaderBudget.reads
    private var numbersLeft = HeaderBudget.numbers
    /// Whether bytes that lie within the file were asked for and did not come. What was understood without them may be
    /// wrong.
    private(set) var isIncomplete = false

    init(size: Int, bytes: @escaping Source) {
        whole = Extent(size: size)
        self.bytes = bytes
    }

    /// Whether no more may be read. An answer that is `nil` then says nothing about the file.
    var isSpent: Bool { readsLeft == 0 || numbersLeft == 0 }

    /// Takes an unsigned number of `width` bytes, 1 to 8, off the front of a part.
    ///
    /// - Returns: The number; `nil` also if it is above `Int.max`.
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

    /// Takes a code of four bytes off the front of a part.
    mutating func code(from extent: inout Extent) throws(Failure) -> Code? {
        guard let number = try number(4, from: &extent) else { return nil }
        return Code(UInt32(truncatingIfNeeded: number))
    }

    /// Where in the window the bytes of `field` begin, after they have been read if need be.
    private mutating func index(of field: Extent) throws(Failure) -> Int? {
        if field.start >= windowStart, field.end <= windowStart + window.count { return field.start - windowStart }
        guard readsLeft > 0 else { return nil }
        readsLeft -= 1
        let count = min(HeaderBudget.window, whole.end - field.start)
        window = try bytes(field.start, count)
        windowStart = field.start
        // A source that gives more than it was asked for could make `windowStart + window.count` overflow.
        if window.count > count { window.removeLast(window.count - count) }
        guard field.count <= window.count else {
            isIncomplete = true
            return nil
        }
        return 0
    }
}

/// What reading one header may cost.
enum HeaderBudget {
    /// How often the source is asked. Each segment of a JPEG may take one, and phones write a hundred of them when they
    /// hide a depth map in APP1.
    static let reads = 256
    /// How many bytes the source is asked for at once, at most; 1 MiB in all.
    static let window = 4096
    /// How many numbers are read: a millisecond or two of work. A HEIC takes some fifteen for each of its items, of which
    /// libheif allows a thousand.
    static let numbers = 65_536
}
