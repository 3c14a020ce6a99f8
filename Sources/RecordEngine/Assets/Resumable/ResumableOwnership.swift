package import RecordModel
internal import Threads

/// Decides which of several concurrent requests owns an upload.
///
/// Each request is a session, and the newest session owns the upload. A client that lost its connection can therefore
/// continue at once, while the server still waits for bytes of the dead connection. An older session finishes its
/// current step and fails at its next step.
final class ResumableOwnership: Sendable {
    private struct State {
        /// The number of the newest session.
        var session: UInt64 = 0
        var isTaken = false
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Begins a session, and ends the previous session. When this function returns, the session holds the lock until
    /// `leave`.
    ///
    /// - Throws: CONFLICT if a newer session began while this session waited for the lock.
    func takeOver() async throws(RecordError) -> UInt64 {
        let session: UInt64 = state.withLock { state in
            state.session += 1
            return state.session
        }
        try await enter(session)
        return session
    }

    /// Acquires the lock for a session, after waiting if another session holds the lock.
    ///
    /// - Throws: CONFLICT if there is a newer session.
    func enter(_ session: UInt64) async throws(RecordError) {
        guard isNewest(session) else { throw .uploadTakenOver }
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isFree: Bool = state.withLock { state in
                if state.isTaken {
                    state.waiting.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFree { continuation.resume() }
        }
        // A newer session may have begun during the wait.
        guard isNewest(session) else {
            leave()
            throw .uploadTakenOver
        }
    }

    /// Releases the lock, and resumes the next waiting session.
    func leave() {
        let next: UnsafeContinuation<Void, Never>? = state.withLock { state in
            if state.waiting.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }

    /// Runs work for a session with the lock held.
    ///
    /// - Throws: CONFLICT if there is a newer session; any error of `work`.
    func step<Value>(
        _ session: UInt64, _ work: () async throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        try await enter(session)
        defer { leave() }
        return try await work()
    }

    private func isNewest(_ session: UInt64) -> Bool {
        state.withLock { $0.session == session }
    }
}

extension RecordError {
    /// The error for a request whose upload another request has taken over.
    package static let uploadTakenOver = RecordError(
        .conflict, "Another request has gone on with this upload. Ask for its offset with HEAD before you send more")
}
