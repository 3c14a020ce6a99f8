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
        /// By the number of binary digits of their lengths; in each the first that came is the first.
        var waiting: [Int: Deque] = [:]

        mutating func takeShortest() -> (@Sendable () -> Void)? {
            guard let length = waiting.keys.min() else { return nil }
            let work = waiting[length]?.takeFirst()
            if waiting[length]?.isEmpty ?? true { waiting[length] = nil }
            return work
        }
    }

    /// Work in the order in which it came.
    private struct Deque {
        private var works: [@Sendable () -> Void] = []
        private var first = 0

        var count: Int { works.count - first }
        var isEmpty: Bool { count == 0 }

        mutating func append(_ work: @escaping @Sendable () -> Void) { works.append(work) }

        mutating func takeFirst() -> (@Sendable () -> Void)? {
            guard !isEmpty else { return nil }
            defer {
                first += 1
                if first > 64, 2 * first > works.count {
                    works.removeFirst(first)
                    first = 0
                }
            }
            return works[first]
        }
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
    package var waits: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

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
            state.withLock { $0.waiting[Int.bitWidth - bytes.leadingZeroBitCount, default: Deque()].append(work) }
            // As many turns of the thread as there is work, each for what is the shortest by then.
            Task.detached(executorPreference: executor) { self.state.withLock { $0.takeShortest() }?() }
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
