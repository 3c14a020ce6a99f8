import Glibc
import HTTP
package import Sockets
import Synchronization
import Threads

/// One line per request, written by a thread of its own, so that a slow disk delays no answer.
///
/// Lines wait in a bounded queue; when it is full they are dropped and counted. A line has the path without its query,
/// in which tokens may stand, and no control characters.
package final class AccessLog: Sendable {
    /// How a line looks.
    package enum Format: Sendable {
        /// `2026-01-02T03:04:05.678Z 127.0.0.1 GET /path 200 512 1.234ms id`
        case text
        /// One JSON object per line.
        case json
    }

    /// Where lines go.
    package enum Destination: Sendable {
        case standardError
        /// A file that is made if need be and appended to.
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
    }

    private let format: Format
    private let queue = Monitor(Queue())
    private let capacity: Int
    private let threshold: UInt64
    private let counter = Atomic<UInt64>(0)
    private let droppedLines = Atomic<UInt64>(0)

    /// Opens the destination and starts the thread.
    ///
    /// - Parameters:
    ///   - sampleRate: The share of requests that are logged, 0 to 1; answers from 500 on always are.
    ///   - capacity: The most lines that wait.
    /// - Throws: `SocketError.system` if the file cannot be opened.
    package init(
        format: Format, destination: Destination, sampleRate: Double = 1, capacity: Int = 8192
    ) throws(SocketError) {
        self.format = format
        self.capacity = capacity
        threshold = UInt64(min(max(sampleRate, 0), 1) * 4_294_967_296)
        let raw: Int32
        switch destination {
        case .standardError: raw = dup(STDERR_FILENO)
        case .file(let path): raw = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
        }
        guard raw >= 0 else { throw .system(call: "open", errno: errno) }
        let queue = queue
        SystemThread.start(name: "access-log") {
            Self.write(queue, to: FileDescriptor(owning: raw), format)
        }
    }

    deinit {
        queue.withLock { $0.isEnding = true }
        queue.broadcast()
    }

    /// Lines that found the queue full.
    package var dropped: UInt64 { droppedLines.load(ordering: .relaxed) }

    /// Whether everything recorded so far has been written.
    package var isIdle: Bool {
        queue.withLock { $0.lines.isEmpty && !$0.isWriting }
    }

    /// Blocks until everything recorded so far has been written, or `patience` is over: a pipe that nobody reads must not
    /// keep a server from stopping.
    ///
    /// - Returns: Whether everything has been written.
    @discardableResult
    package func flush(within patience: Duration = .seconds(2)) -> Bool {
        queue.wait(
            until: { $0.lines.isEmpty && !$0.isWriting }, orUntil: .after(patience),
            then: { $0.lines.isEmpty && !$0.isWriting })
    }

    /// Whether a request is among those that are logged.
    func wants(_ summary: HTTPRequestSummary) -> Bool {
        if summary.status.code >= 500 || threshold == 1 << 32 { return true }
        // Evenly spread: every time the share adds up to another whole.
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

    /// How long lines wait for others to be written with them.
    private static let gathering = Duration.milliseconds(5)

    private static func write(_ queue: Monitor<Queue>, to file: consuming FileDescriptor, _ format: Format) {
        var output: [UInt8] = []
        while true {
            queue.wait(
                until: { queue in
                    let isReady = !queue.lines.isEmpty || queue.isEnding
                    queue.isWaiting = !isReady
                    return isReady
                }, then: { _ in })
            // The first line is there; others are about to come. Waking up for each costs more than writing it.
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
            // A full disk loses lines; the server goes on.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
