import Foundation

/// A clock that counts instead of waiting.
///
/// Unchecked: mutable state is behind a lock.
final class Waits: @unchecked Sendable {
    private let lock = NSLock()
    private var waits: [Duration] = []
    private var actions: [Int: @Sendable () async throws -> Void] = [:]

    /// All waits so far.
    var all: [Duration] { lock.withLock { waits } }

    /// Runs code during a wait of the given time, counted from 1.
    func before(_ number: Int, _ action: @escaping @Sendable () async throws -> Void) {
        lock.withLock { actions[number] = action }
    }

    func sleep(_ duration: Duration) async throws {
        let action = lock.withLock {
            waits.append(duration)
            return actions.removeValue(forKey: waits.count)
        }
        try await action?()
        try Task.checkCancellation()
    }
}
