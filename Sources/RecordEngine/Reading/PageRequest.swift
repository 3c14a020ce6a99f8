package import RecordModel
internal import Threads

/// A request for a page. Any thread can make the page, always from its beginning.
package protocol PageRequest: Sendable {
    associatedtype Page: Sendable

    /// The sender of the request.
    var caller: Caller { get set }
    /// The network of the request, if known; see `PoolUser`.
    var network: ClientNetwork? { get }

    /// Makes the page that the request asks for.
    ///
    /// - Returns: `nil` if the time limit ends before the page is complete. If `time.endsPage` is true, the page then
    ///   ends early instead.
    /// - Throws: The errors of the request.
    func page(by reader: RecordReader, _ time: inout PageTimeLimit) throws(RecordError) -> Page?
}

extension PageRequest {
    package var network: ClientNetwork? { nil }
}

/// The maximum duration for making a page.
///
/// A page that is made again on another thread costs twice. So without `endsPage` only processor time counts: under
/// full load, a thread waits for its processor longer than a page of 200 records takes.
package struct PageTimeLimit: Sendable {
    /// The end of the time limit, in nanoseconds of the monotonic clock.
    private var end: UInt64
    /// The limit in nanoseconds.
    private let length: UInt64
    /// The processor time of the thread at the first reading of the clock; 0 before it.
    private var used: UInt64 = 0
    /// Whether the page ends early at the time limit. If false, the page is made again on another thread.
    let endsPage: Bool
    private var rowsUntilClockRead = PageTimeLimit.bytesPerLook
    /// The number of bytes to read between two readings of the clock. Reading the clock takes longer than a short
    /// record.
    private static let bytesPerLook = 16 << 10
    private static let bytesPerRow = 1_024

    private let clocks: Clocks

    /// The clocks in nanoseconds, which tests replace.
    struct Clocks: Sendable {
        var wall: @Sendable () -> UInt64 = { MonotonicClock.now }
        var processor: @Sendable () -> UInt64 = { ThreadClock.now }
    }

    /// Creates a time limit that starts now.
    package init(_ time: Duration, endsPage: Bool = false) {
        self.init(time, endsPage: endsPage, clocks: Clocks())
    }

    init(_ time: Duration, endsPage: Bool, clocks: Clocks) {
        end = Deadline.after(time, from: clocks.wall()).nanoseconds
        length = time.clampedNanoseconds
        self.endsPage = endsPage
        self.clocks = clocks
    }

    private init() {
        (end, length) = (.max, .max)
        endsPage = false
        clocks = Clocks()
    }

    /// No time limit. The page ends only at its limits of records and bytes.
    package static let unbounded = PageTimeLimit()

    /// Returns whether the time limit has ended, after reading a row with `bytes` bytes of fields.
    mutating func isOver(afterRowOf bytes: Int) -> Bool {
        rowsUntilClockRead -= bytes + Self.bytesPerRow
        guard rowsUntilClockRead <= 0 else { return false }
        rowsUntilClockRead = Self.bytesPerLook
        guard end != .max else { return false }
        // If the task is canceled, no client waits for the page.
        if Task.isCancelled { return true }
        if !endsPage, used == 0 { used = clocks.processor() }
        let now = clocks.wall()
        guard now >= end else { return false }
        guard !endsPage else { return true }
        let spent = clocks.processor() &- used
        guard spent < length else { return true }
        end = now &+ (length &- spent)
        return false
    }

    /// Whether a page that was not complete took long, and not only longer than a short limit.
    var wasLong: Bool { length > Self.longNanoseconds }

    private static let longNanoseconds: UInt64 = 1_000_000
}

extension RecordReader {
    /// Runs long work on a thread of the reader pool.
    ///
    /// - Parameter user: Whose turn the work takes.
    /// - Throws: The errors of `body`; TRY_AGAIN_LATER if the pool's queue is full.
    package func onPool<Value: Sendable>(
        for user: PoolUser = .server, _ body: @escaping @Sendable () throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        try await database.queries.pool.read(database, for: user, isForCaller: true) { _ throws(RecordError) in
            try body()
        }
    }

    /// Makes a page on this thread, if that takes no longer than an event loop can spare. Otherwise makes the page on a
    /// thread of the page pool.
    ///
    /// - Throws: The errors of the request; TRY_AGAIN_LATER if the pool's queue is full; TRY_AGAIN_LATER with cause
    ///   REQUEST_ABANDONED if the task is canceled.
    func page<Request: PageRequest>(_ request: Request) async throws(RecordError) -> Request.Page {
        var time = PageTimeLimit(pageTime)
        if let page = try request.page(by: self, &time) { return page }
        if time.wasLong { lastLongPage = MonotonicClock.now }
        let user = PoolUser(request.caller, request.network)
        return try await database.queries.pages.read(database, for: user, isForCaller: true) {
            reader throws(RecordError) in
            var request = request
            request.caller = try reader.callers.current(request.caller)
            // Rows that are read but not shown do not count toward the page's limits. There may be a thousand times as
            // many.
            var time = PageTimeLimit(Self.longestPage, endsPage: true)
            guard let page = try request.page(by: reader, &time) else { throw .requestAbandoned }
            return page
        }
    }

    /// The time that an event loop can spare for a page. It is shorter after a long page, because the next page
    /// probably also takes long. A page that only exceeds the shorter time does not renew it.
    private var pageTime: Duration {
        if let spareTime { return spareTime }
        return MonotonicClock.now &- lastLongPage < Self.longPageNanoseconds ? .microseconds(400) : .milliseconds(2)
    }

    /// The time limit of a page on a pool thread.
    private static var longestPage: Duration { .seconds(1) }

    /// How long an event loop uses the shorter time limit after a long page, in nanoseconds.
    private static let longPageNanoseconds: UInt64 = 10_000_000
}
