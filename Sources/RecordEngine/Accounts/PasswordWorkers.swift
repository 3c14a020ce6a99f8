package import Cryptography
internal import RecordModel
internal import Synchronization
internal import Threads

/// Threads that hash passwords: slow and hungry for memory on purpose, so few at once and a short queue.
package final class PasswordWorkers: Sendable {
    private let pool: WorkerPool
    private let waiting = Atomic<Int>(0)
    private let begun = Locked<[PasswordScheme: Int]>([:])
    private let queueLength: Int
    private let scheme: PasswordScheme
    /// What passwords of unknown accounts are checked against.
    private let dummy: String

    /// - Parameters:
    ///   - threads: How many passwords are hashed at once: no more than there are cores.
    ///   - queueLength: Beyond it sign-ins are refused with 503 rather than left waiting.
    ///   - scheme: What passwords are hashed with; others are hashed anew when they are next used.
    package init(threads: Int = 2, queueLength: Int = 64, scheme: PasswordScheme = .preferred) {
        pool = WorkerPool(name: "fog-password", threads: threads, niceness: SystemThread.longWork)
        self.queueLength = queueLength
        self.scheme = scheme
        dummy = PasswordHash.dummy(scheme)
    }

    /// The hashes that were begun since the start, by what they cost: their time is that of a sign-in. For tests.
    package var hashesBegun: [PasswordScheme: Int] { begun.withLock { $0 } }

    /// - Parameter password: As it was typed; what is hashed is `preparedPassword`.
    func hash(_ password: String) async throws(RecordError) -> String {
        try await run { [self] in hash(Array(password.preparedPassword.utf8)) }
    }

    private func hash(_ password: [UInt8]) -> String? {
        begun.withLock { $0[scheme, default: 0] += 1 }
        return try? PasswordHash.hash(password, scheme: scheme)
    }

    private func judge(_ password: [UInt8], against stored: String) -> PasswordHash.Verdict? {
        if let scheme = PasswordHash.scheme(of: stored) { begun.withLock { $0[scheme, default: 0] += 1 } }
        return try? PasswordHash.verify(password, against: stored, current: scheme)
    }

    /// Checks a password as it is prepared, and then, if that is something else, as it was typed: hashes from before
    /// passwords were prepared are of that. How many hashes a wrong one takes depends on itself alone, and says nothing
    /// of accounts.
    ///
    /// - Parameter stored: The hash to check against; `nil` for an unknown account, which takes as long.
    /// - Returns: Whether the password is right, and a better hash if its parameters are out of date or it is of what was
    ///   typed.
    func verify(
        _ password: String, against stored: String?
    ) async throws(RecordError) -> (isRight: Bool, better: String?) {
        try await run { [self] () -> (isRight: Bool, better: String?)? in
            let (prepared, typed) = (Array(password.preparedPassword.utf8), Array(password.utf8))
            for bytes in prepared == typed ? [prepared] : [prepared, typed] {
                guard let stored else {
                    _ = judge(bytes, against: dummy)
                    continue
                }
                switch judge(bytes, against: stored) {
                case .no: continue
                case .yes(let needsRehash): return (true, needsRehash || bytes != prepared ? hash(prepared) : nil)
                case nil: return nil
                }
            }
            return (false, nil)
        }
    }

    private func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value?
    ) async throws(RecordError) -> Value {
        guard waiting.add(1, ordering: .relaxed).newValue <= queueLength else {
            waiting.subtract(1, ordering: .relaxed)
            throw RecordError(
                .tryAgainLater, "Too many sign-ins at once. Try again shortly", cause: .unavailable, retryAfter: 2)
        }
        let value = await Task.detached(executorPreference: pool.next()) { work() }.value
        waiting.subtract(1, ordering: .relaxed)
        guard let value else { throw RecordError(.internalError, "The password could not be hashed. Try again") }
        return value
    }
}
