internal import Foundation

/// The idempotency key of a batch, which its copies share: the server does what comes with one key once, also when an answer
/// was lost and the batch is performed again.
///
/// Unchecked: what changes is behind a lock.
final class BatchIdentity: @unchecked Sendable {
    private let lock = NSLock()
    private var current = RecordNames.make()

    var key: String { lock.withLock { current } }

    /// Makes the next request one of its own.
    func renew() {
        lock.withLock { current = RecordNames.make() }
    }
}
