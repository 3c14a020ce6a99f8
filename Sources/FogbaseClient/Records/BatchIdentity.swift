internal import Foundation

/// The idempotency key of a batch. All copies of the batch share the key.
///
/// The server executes a request with the same key only once, even if the batch is performed again after a lost
/// response.
///
/// Sendable is unchecked, because a lock protects the state.
final class BatchIdentity: @unchecked Sendable {
    private let lock = NSLock()
    private var current = RecordNames.make()

    var key: String { lock.withLock { current } }

    /// Generates a new key, so that the server executes the next request with this batch.
    func renew() {
        lock.withLock { current = RecordNames.make() }
    }
}
