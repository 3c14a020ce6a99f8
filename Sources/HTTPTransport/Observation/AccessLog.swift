import Glibc
import HTTP
package import Sockets
import Synchronization
import Threads

/// The access log with one line per request. A separate thread writes the lines, so that a slow disk delays no
/// response.
///
/// Lines wait in a bounded queue. If the queue is full, new lines are dropped and counted. A line shows the path
/// without the query, which may contain tokens. A line has no control characters.
package final class AccessLog: Sendable {
    /// The format of a line.
    package enum Format: Sendable {
        /// `2026-01-02T03:04:05.678Z 127.0.0.1 GET /path 200 512 1.234ms id`
        case text
        /// One JSON object per line.
        case json
    }

    /// The destination of the lines.
    package enum Destination: Sendable {
        case standardError
        /// A file, created if necessary and appended to.
        case file(path: String)
    }

    struct Line: Sendable {
        var milliseconds: Int64
        var summary: HTTPRequestSummary
        var id: String
        var path: String
        var peer: String
    }

    private struct Queue {
        var lines: [Line] = []
        var isWriting = false
        var isWaiting = false
        var isEnding = false
        /// The descriptor of the file that was opened again, until the thread writes to it.
        var reopened: Int32?
    }

    private let format: Format
    private let destination: Destination
    private let queue = Monitor(Queue())
    private let capacity: Int
    private let threshold: UInt64
    private let counter = Atomic<UInt64>(0)
    private let droppedLines = Atomic<UInt64>(0)

    /// Opens the destination and starts the writing thread.
    ///
    /// - Parameters:
    ///   - sampleRate: The fraction of requests to log, 0 to 1. Responses with a status of 500 or more are always
    ///     logged.
    ///   - capacity: The maximum number of lines in the queue.
    /// - Throws: `SocketError.system` if the file cannot be opened.
    package init(
        format: Format, destination: Destination, sampleRate: Double = 1, capacity: Int = 8192
    ) throws(SocketError) {
        self.format = format
        self.destination = destination
        self.capacity = capacity
        threshold = UInt64(min(max(sampleRate, 0), 1) * 4_294_967_296)
        let raw = try Self.open(destination)
        let queue = queue
        SystemThread.start(name: "access-log") {
            Self.write(queue, to: FileDescriptor(owning: raw), format)
        }
    }

    deinit {
        queue.withLock { $0.isEnding = true }
        queue.broadcast()
    }

    private static func open(_ destination: Destination) throws(SocketError) -> Int32 {
        let raw =
            switch destination {
            case .standardError: dup(STDERR_FILENO)
            case .file(let path): Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
            }
        guard raw >= 0 else { throw .system(call: "open", errno: errno) }
        return raw
    }

    /// Opens the file again, after a program has renamed it to keep it. Lines that wait go to the new file. Does nothing
    /// for standard error.
    ///
    /// - Throws: `SocketError.system` if the file cannot be opened. The log then stays in the old one.
    package func reopen() throws(SocketError) {
        guard case .file = destination else { return }
        let raw = try Self.open(destination)
        let unused = queue.withLock { queue in
            defer { queue.reopened = raw }
            return queue.reopened
        }
        if let unused { close(unused) }
        queue.broadcast()
    }

    /// The number of lines dropped because the queue was full.
    package var dropped: UInt64 { droppedLines.load(ordering: .relaxed) }

    /// Whether all recorded lines have been written.
    package var isIdle: Bool {
        queue.withLock { $0.lines.isEmpty && !$0.isWriting }
    }

    /// Blocks until all recorded lines have been written, or until `maxWait` has passed. The limit is for a pipe
    /// without a reader, which must not prevent the server from stopping.
    ///
    /// - Returns: Whether all lines have been written.
    @discardableResult
    package func flush(within maxWait: Duration = .seconds(2)) -> Bool {
        queue.wait(
            until: { $0.lines.isEmpty && !$0.isWriting }, orUntil: .after(maxWait),
            then: { $0.lines.isEmpty && !$0.isWriting })
    }

    /// Whether a request is to be logged, by its status and the sample rate.
    func wants(_ summary: HTTPRequestSummary) -> Bool {
        if summary.status.code >= 500 || threshold == 1 << 32 { return true }
        // Sampling is even: a request is logged each time the accumulated rate reaches the next whole number.
        let count = counter.add(1, ordering: .relaxed).newValue
        return (count &* threshold) >> 32 != ((count &- 1) &* threshold) >> 32
    }

    func record(_ summary: HTTPRequestSummary, id: String, path: String, peer: String) {
        let line = Line(
            milliseconds: WallClock.milliseconds, summary: summary, id: id, path: path, peer: peer)
        let (isTaken, wakes) = queue.withLock { queue in
            guard queue.lines.count < capacity else { return (false, false) }
            queue.lines.append(line)
            return (true, queue.isWaiting)
        }
        if !isTaken { droppedLines.add(1, ordering: .relaxed) }
        if wakes { queue.broadcast() }
    }

    /// How long the thread waits for further lines after the first line.
    private static let gathering = Duration.milliseconds(5)

    private static func write(_ queue: Monitor<Queue>, to file: consuming FileDescriptor, _ format: Format) {
        var file = file
        var output: [UInt8] = []
        while true {
            let reopened = queue.wait(
                until: { queue in
                    let isReady = !queue.lines.isEmpty || queue.isEnding || queue.reopened != nil
                    queue.isWaiting = !isReady
                    return isReady
                }, then: { $0.reopened.take() })
            if let reopened {
                file = FileDescriptor(owning: reopened)
                continue
            }
            // One line has arrived and others will probably follow. Waking up for each line costs more than writing it.
            let lines: [Line]? = queue.wait(
                until: { $0.isEnding }, orUntil: .after(Self.gathering),
                then: { queue in
                    guard !queue.lines.isEmpty else { return nil }
                    queue.isWriting = true
                    defer { queue.lines = [] }
                    return queue.lines
                })
            guard let lines else { return }
            output.removeAll(keepingCapacity: true)
            for line in lines { line.write(to: &output, format) }
            writeAll(output, to: file.raw)
            queue.withLock { $0.isWriting = false }
            queue.broadcast()
        }
    }

    private static func writeAll(_ bytes: [UInt8], to file: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // If the disk is full, lines are lost and the server continues.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
