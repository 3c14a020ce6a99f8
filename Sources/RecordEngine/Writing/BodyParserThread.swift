internal import Containers
package import RecordModel
internal import RecordStorage
internal import Synchronization
internal import Threads

/// The thread that parses long request bodies. Parsing 8 MB of JSON takes up to 300 ms, which would block all other
/// connections of an event loop.
///
/// One thread suffices, since parsing a request is faster than writing its records. The queue has no limit of its own:
/// the transport counts the bytes of all unanswered requests, and rejects bodies above its limit. The shortest body in
/// the queue goes first, so that short bodies do not wait for long bodies.
package final class BodyParserThread: Sendable {
    /// The smallest body that this thread parses, in bytes. Event loops parse smaller bodies themselves, in at most
    /// about 1 ms: the slowest input, short numbers with exponents, takes 35 ns per byte.
    package static let minimumBytes = 32 << 10

    private struct State {
        var executor: ThreadExecutor?
        var isClosed = false
        var waiting = Heap<Work>()
        /// The number of bodies that have arrived.
        var turns = 0
    }

    private struct Work {
        /// The bit width of the body's length.
        let digits: Int
        /// The arrival number of the body. Among bodies of the same bit width, the first to arrive goes first.
        let turn: Int
        let run: @Sendable () -> Void

        func precedes(_ other: Work) -> Bool { (digits, turn) < (other.digits, other.turn) }
    }

    private let state = Locked(State())
    private let count = Atomic<Int>(0)

    init() {}

    deinit {
        state.withLock { $0.executor }?.shutdown()
    }

    /// The number of bodies that this thread has taken from the queue.
    package var reads: Int { count.load(ordering: .relaxed) }

    /// The number of bodies in the queue.
    package var waits: Int { state.withLock { $0.waiting.count } }

    /// Runs `read` on the thread. The first call starts the thread.
    ///
    /// - Parameter bytes: The length of the body in bytes. Shorter bodies are parsed first.
    /// - Throws: Any error of `read`; `RecordError.databaseUnavailable` after `close`.
    package func run<Value: Sendable>(
        bytes: Int, _ read: @escaping @Sendable () throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        guard let executor = executor() else { throw .databaseUnavailable }
        count.add(1, ordering: .relaxed)
        let result: Result<Value, RecordError> = await withUnsafeContinuation { continuation in
            let work: @Sendable () -> Void = {
                let result: Result<Value, RecordError>
                do throws(RecordError) { result = .success(try read()) } catch { result = .failure(error) }
                continuation.resume(returning: result)
            }
            state.withLock { state in
                state.turns += 1
                state.waiting.insert(
                    Work(digits: Int.bitWidth - bytes.leadingZeroBitCount, turn: state.turns, run: work)
                ) { $0.precedes($1) }
            }
            // Start one task per body. Each task parses the shortest body in the queue, not necessarily its own.
            Task.detached(executorPreference: executor) {
                self.state.withLock { $0.waiting.popMin { $0.precedes($1) } }?.run()
            }
        }
        return try result.get()
    }

    private func executor() -> ThreadExecutor? {
        state.withLock { state in
            if state.executor == nil, !state.isClosed { state.executor = ThreadExecutor(name: "fog-input") }
            return state.executor
        }
    }

    /// Rejects new bodies, and waits until the current body is parsed.
    func close() async {
        let executor = state.withLock { state in
            state.isClosed = true
            defer { state.executor = nil }
            return state.executor
        }
        await executor?.end()
    }
}
