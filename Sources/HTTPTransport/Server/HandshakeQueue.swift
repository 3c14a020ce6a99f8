import Sockets

/// The connections of a loop that wait to compute a step of their TLS handshake, first come, first served.
///
/// There is one step per round of the loop's jobs. A signature takes as long as many requests, so a crowd of new clients
/// would otherwise delay those that have a connection.
///
/// Unchecked: all state is confined to the loop's thread.
final class HandshakeQueue: LoopIterationObserver, @unchecked Sendable {
    private let loop: EventLoop
    /// The waiting connections, from index `start` on.
    private var waiting: [UnsafeContinuation<Void, Never>] = []
    private var start = 0
    /// Whether a step has been computed in this round.
    private var isTaken = false

    /// How many connections that have had their turn stay in the list before they are removed together.
    private static let maxStale = 64

    init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Suspends until the caller may compute a step.
    func turn() async {
        guard isTaken else { return take() }
        await withUnsafeContinuation { waiting.append($0) }
    }

    private func take() {
        isTaken = true
        loop.callAtEndOfIteration(self)
    }

    func iterationDidEnd() {
        isTaken = false
        guard start < waiting.count else { return }
        let next = waiting[start]
        start += 1
        if start >= Self.maxStale, 2 * start >= waiting.count {
            waiting.removeFirst(start)
            start = 0
        }
        // The next round runs at once, since it has this job.
        take()
        next.resume()
    }
}
