import Threads

/// Runs asynchronous work from a thread that may block, such as the main thread of a command.
enum Blocking {
    /// Blocks until `body` has returned. `body` runs on its own thread, so it completes even if callers block every
    /// thread of Swift's pool.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
        let result = Monitor<Value?>(nil)
        let executor = ThreadExecutor(name: "fog-command")
        defer { executor.shutdown() }
        Task.detached(executorPreference: executor) {
            let value = await body()
            result.withLock { $0 = value }
            result.signal()
        }
        return result.wait(until: { $0 != nil }) { value in
            guard let value else { preconditionFailure("The wait ends when there is a value") }
            return value
        }
    }
}
