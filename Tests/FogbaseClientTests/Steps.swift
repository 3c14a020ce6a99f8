import FogbaseClient
import Foundation

/// What a handler of progress was told.
///
/// Unchecked: what changes is behind a lock.
final class Steps: @unchecked Sendable {
    private let lock = NSLock()
    private var steps: [TransferProgress] = []

    var all: [TransferProgress] { lock.withLock { steps } }

    @Sendable func take(_ step: TransferProgress) { lock.withLock { steps.append(step) } }
}
