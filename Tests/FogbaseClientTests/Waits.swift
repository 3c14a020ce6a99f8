import Foundation

/// A clock that counts instead of waiting.
///
/// Unchecked: what changes is behind a lock.
final class Waits: @unchecked Sendable {
    private let lock = NSLock()
    private var waits: [Duration] = []
    private var deeds: [Int: @Sendable () async throws -> Void] = [:]

    /// All waits so far.
    var all: [Duration] { lock.withLock { waits } }

    /// Does something while somebody waits for the given time, counted from 1.
    func before(_ number: Int, _ deed: @escaping @Sendable () async throws -> Void) {
        lock.withLock { deeds[number] = deed }
    }

    func sleep(_ duration: Duration) async throws {
        let deed = lock.withLock {
            waits.append(duration)
            return deeds.removeValue(forKey: waits.count)
        }
        try await deed?()
        try Task.checkCancellation()
    }
}
