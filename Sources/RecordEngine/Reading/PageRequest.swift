package import RecordModel
internal import Threads

/// A page that is asked for. It can be made on any thread, from its beginning.
package protocol PageRequest: Sendable {
    var caller: Caller { get set }

    /// The page; `nil` once `time` is over, unless the page then ends with what it has.
    func page(by reader: RecordReader, _ time: inout PageTime) throws(RecordError) -> RecordPage?
}

/// How long the making of a page may take where others wait for the thread.
package struct PageTime {
    /// On the monotonic clock.
    private let end: UInt64
    /// Whether a page ends when the time is over, instead of being made elsewhere.
    let endsPage: Bool
    private var untilLook = PageTime.bytesPerLook
    /// Looking at the clock costs little, but more than a short record does.
    private static let bytesPerLook = 16 << 10
    private static let bytesPerRow = 1_024

    package init(_ time: Duration, endsPage: Bool = false) {
        end = Deadline.after(time).nanoseconds
        self.endsPage = endsPage
    }

    private init(end: UInt64) {
        self.end = end
        endsPage = false
    }

    /// A page is bounded by what it shows alone.
    package static let unbounded = PageTime(end: .max)

    /// Whether it is over behind a row whose fields have so many bytes.
    mutating func isOver(afterRowOf bytes: Int) -> Bool {
        untilLook -= bytes + Self.bytesPerRow
        guard untilLook <= 0 else { return false }
        untilLook = Self.bytesPerLook
        // Nobody waits for the page of a task that was cancelled.
        return end != .max && (MonotonicClock.now >= end || Task.isCancelled)
    }
}

extension RecordReader {
    /// Does what is long on a thread of the pool.
    ///
    /// - Throws: What `body` does; TRY_AGAIN_LATER if too many wait already.
    package func onPool<Value: Sendable>(
        _ body: @escaping @Sendable () throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        try await database.queries.pool.read(database, isForCaller: true) { _ throws(RecordError) in try body() }
    }

    /// Makes a page: on this thread if it takes no longer than a loop can spare, else on a thread of the pool for pages.
    func page<Request: PageRequest>(_ request: Request) async throws(RecordError) -> RecordPage {
        var time = PageTime(pageTime)
        if let page = try request.page(by: self, &time) { return page }
        lastLongPage = MonotonicClock.now
        return try await database.queries.pages.read(database, isForCaller: true) { reader throws(RecordError) in
            var request = request
            request.caller = try reader.callers.current(request.caller)
            // What is read and not shown counts for no page, and may be a thousand times as much.
            var time = PageTime(Self.longestPage, endsPage: true)
            guard let page = try request.page(by: reader, &time) else { throw .requestAbandoned }
            return page
        }
    }

    /// What a loop spares for a page: less while one long page follows the other, since they are likely to be alike.
    private var pageTime: Duration {
        MonotonicClock.now &- lastLongPage < Self.longPageNanoseconds ? .microseconds(250) : .milliseconds(2)
    }

    /// When a page ends on a thread that has nothing else to do.
    private static var longestPage: Duration { .seconds(1) }

    /// How long a loop remembers that a page was too long for it.
    private static let longPageNanoseconds: UInt64 = 10_000_000
}
