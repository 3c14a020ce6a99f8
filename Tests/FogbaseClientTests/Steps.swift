import FogbaseClient
import Foundation

/// The steps that a progress handler received.
///
/// Unchecked: mutable state is behind a lock.
final class Steps: @unchecked Sendable {
    private let lock = NSLock()
    private var steps: [TransferProgress] = []

    var all: [TransferProgress] { lock.withLock { steps } }

    @Sendable func take(_ step: TransferProgress) { lock.withLock { steps.append(step) } }
}
