internal import Containers
package import RecordModel
internal import RecordStorage
internal import Synchronization
internal import Threads

/// The thread that reads long bodies: eight megabytes of JSON take up to 300 milliseconds, for which everybody else on an
/// event loop would wait.
///
/// One is enough, since it reads faster than the writer behind it writes. It has no bound of its own on what waits: the
/// transport counts the bytes of every body until its request is answered, and refuses what is too much. Of what waits the
/// shortest comes first: somebody's 40 KiB once waited for seconds behind strangers' megabytes.
package final class InputWorker: Sendable {
    /// Bodies of so many bytes are read here. A loop reads a smaller one in a millisecond at most: short numbers with
    /// exponents are what costs most, 35 nanoseconds a byte.
    package static let minimumBytes = 32 << 10

    private struct State {
        var executor: ThreadExecutor?
        var isClosed = false
        var waiting = Heap<Work>()
        /// How many have come.
        var turns = 0
    }

    private struct Work {
        /// The binary digits of the body's length.
        let digits: Int
        /// Among bodies of one length the first that came is the first.
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

    /// The bodies that were read here.
    package var reads: Int { count.load(ordering: .relaxed) }

    /// The bodies that wait for their turn.
    package var waits: Int { state.withLock { $0.waiting.count } }

    /// Runs `read` on the thread, which starts with the first call.
    ///
    /// - Parameter bytes: How long the body is.
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
            // As many turns of the thread as there is work, each for what is the shortest by then.
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

    /// Takes no more work and waits for what runs.
    func close() async {
        let executor = state.withLock { state in
            state.isClosed = true
            defer { state.executor = nil }
            return state.executor
        }
        await executor?.end()
    }
}
