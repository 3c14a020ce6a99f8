package import Cryptography
internal import RecordModel
internal import Synchronization
internal import Threads

/// The worker pool that hashes passwords. Hashing is slow and needs much memory by design, so the pool has few threads
/// and a short queue.
package final class PasswordWorkers: Sendable {
    private let pool: WorkerPool
    private let waiting = Atomic<Int>(0)
    private let begun = Locked<[PasswordScheme: Int]>([:])
    private let queueLength: Int
    private let scheme: PasswordScheme
    /// The hash to check passwords of unknown accounts against, so that the check takes the same time.
    private let dummy: String

    /// Creates a pool without queued passwords.
    ///
    /// - Parameters:
    ///   - threads: The number of threads, limited to the number of cores.
    ///   - queueLength: The maximum number of running and queued hashes. Further requests are rejected with 503.
    ///   - scheme: The scheme for new hashes. Passwords with hashes of other schemes are rehashed at the next sign-in.
    package init(threads: Int = 2, queueLength: Int = 64, scheme: PasswordScheme = .preferred) {
        pool = WorkerPool(name: "fog-password", threads: threads, niceness: SystemThread.longWork)
        self.queueLength = queueLength
        self.scheme = scheme
        dummy = PasswordHash.dummy(scheme)
    }

    /// The number of hashes begun since the start of the pool, by scheme. For tests.
    package var hashesBegun: [PasswordScheme: Int] { begun.withLock { $0 } }

    /// Hashes a password.
    ///
    /// - Parameter password: The password as typed. The function hashes `preparedPassword`.
    /// - Throws: TRY_AGAIN_LATER if the queue is full; INTERNAL_ERROR.
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

    /// Checks a password against a stored hash. Checks the prepared form and, if different, the typed form, because an
    /// old hash may be a hash of the typed form. The number of checks of a wrong password depends only on the password,
    /// so the time reveals nothing about accounts.
    ///
    /// - Parameter stored: The hash to check against; `nil` for an unknown account. A check against `nil` takes as
    ///   long.
    /// - Returns: Whether the password is right, and a new hash if the stored hash has outdated parameters or is a hash
    ///   of the typed form.
    /// - Throws: TRY_AGAIN_LATER if the queue is full; INTERNAL_ERROR.
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
