internal import RecordStorage
internal import Threads

/// Tests one backup after the other in the background, on a thread of low priority.
package final class BackupTester: Sendable {
    /// The state of the current or last test.
    package enum State: Hashable, Sendable {
        /// The backup was not tested.
        case none
        /// The total is 0 if unknown.
        case running(activity: String, done: Int, total: Int)
        case done(RememberedBackup.Test)
    }

    private struct Current {
        /// The number of the test. A cancelled test must not change the state of the next one.
        var number = 0
        /// The time of the backup that is or was tested.
        var created: Int64?
        var state = State.none
        var task: Task<Void, Never>?
        var isClosed = false
    }

    private let status = Locked(Current())

    /// Returns the state of the test of a backup; `nil` if this object has not tested it.
    func state(of created: Int64) -> State? {
        status.withLock { $0.created == created ? $0.state : nil }
    }

    /// Starts the test of a backup, and cancels the test before. Does nothing after `close`.
    ///
    /// - Parameters:
    ///   - directory: The directory of the backup.
    ///   - created: The time of the backup's manifest.
    ///   - remember: Called with the result, unless the test is cancelled.
    func start(
        _ directory: String, created: Int64, remember: @escaping @Sendable (RememberedBackup.Test) async -> Void
    ) {
        status.withLock { current in
            guard !current.isClosed else { return }
            let former = current.task
            former?.cancel()
            current.number += 1
            let number = current.number
            (current.created, current.state) = (created, .running(activity: "", done: 0, total: 0))
            let executor = ThreadExecutor(name: "fog-backup-test", niceness: 5)
            current.task = Task.detached(executorPreference: executor) { [self] in
                await former?.value
                let test = Self.test(directory) { state in self.change(number) { $0.state = state } }
                if let test { await remember(test) }
                change(number) { current in
                    current.state = test.map(State.done) ?? .none
                    current.task = nil
                }
                executor.shutdown()
            }
        }
    }

    /// Runs on the thread of the test.
    ///
    /// - Returns: `nil` if the test was cancelled. A test is cancelled before its backup is deleted, so a file that is
    ///   then missing is no problem of the backup.
    private static func test(_ directory: String, _ report: @escaping (State) -> Void) -> RememberedBackup.Test? {
        let problems: [String]
        do throws(BackupProblem) {
            let found = try BackupVerification(of: directory) { activity, done, total in
                report(.running(activity: activity, done: done, total: total))
            }
            problems = found.problems
        } catch {
            problems = [error.description]
        }
        guard !Task.isCancelled else { return nil }
        return RememberedBackup.Test(tested: WallClock.milliseconds, problems: problems, in: directory)
    }

    private func change(_ number: Int, _ body: (inout Current) -> Void) {
        status.withLock { current in
            if current.number == number { body(&current) }
        }
    }

    /// Cancels the test without waiting for its end, so that its result is not remembered, and forgets the last result.
    func cancel() {
        status.withLock { current in
            current.task?.cancel()
            (current.created, current.state) = (nil, .none)
        }
    }

    /// Cancels the test, and returns after its end.
    func end() async {
        cancel()
        await status.withLock { $0.task }?.value
    }

    /// Cancels the test, and starts no other.
    func close() async {
        status.withLock { $0.isClosed = true }
        await end()
    }
}
