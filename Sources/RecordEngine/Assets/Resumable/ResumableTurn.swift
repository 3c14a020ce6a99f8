internal import RecordModel
internal import Threads

/// Whose turn it is to work on an upload. The newest session has the upload: a client whose connection was lost comes
/// back at once, while the server may still wait for bytes of the connection that is dead. The older session learns of it
/// at its next step, and a step that is under way is finished first.
final class ResumableTurn: Sendable {
    private struct State {
        /// The newest session's number.
        var session: UInt64 = 0
        var isTaken = false
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Begins a session and ends the one before. The turn is taken when this returns, until `leave`.
    func takeOver() async throws(RecordError) -> UInt64 {
        let session: UInt64 = state.withLock { state in
            state.session += 1
            return state.session
        }
        try await enter(session)
        return session
    }

    /// Takes the turn.
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
        // A newer one may have come during the wait.
        guard isNewest(session) else {
            leave()
            throw .uploadTakenOver
        }
    }

    /// Passes the turn on.
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

    /// Works for a session, unless there is a newer one.
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
    static let uploadTakenOver = RecordError(
        .conflict, "Another request has gone on with this upload. Ask for its offset with HEAD before you send more")
}
