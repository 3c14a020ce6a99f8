import CLinux
import Threads

/// A listening socket as one of several loops sees it.
///
/// Level triggered with EPOLLEXCLUSIVE: a new connection wakes one of the loops that sleep, not all of them, and one that
/// is not taken wakes again. Out of descriptors, it looks away for a moment instead of spinning; clients wait in the queue.
package final class LoopListener: LoopHandle, @unchecked Sendable {
    private let socket: ListeningSocket
    private let accept: (consuming FileDescriptor, SocketAddress) -> Void
    private var isWatching = false
    private var isStopped = false
    private static let acceptsPerTurn = 48
    private static let pause = Duration.milliseconds(50)

    /// Starts to accept; `accept` is called on the loop's thread for each connection.
    package init(
        _ socket: ListeningSocket, on loop: EventLoop,
        accept: @escaping (consuming FileDescriptor, SocketAddress) -> Void
    ) throws(SocketError) {
        self.socket = socket
        self.accept = accept
        super.init(loop: loop)
        try watch()
    }

    /// Stops accepting, for good.
    package func stop() {
        isStopped = true
        lookAway()
        loop.remove(self)
    }

    /// Accepts whoever waits now; a stopped listener does so too, for those who came before its end.
    package func acceptWaiting(limit: Int) {
        for _ in 0..<limit {
            switch socket.accept() {
            case .connection(let descriptor, let peer): accept(descriptor, peer)
            case .none: return
            case .exhausted:
                if !isStopped {
                    lookAway()
                    loop.arm(self, at: Deadline.after(Self.pause).nanoseconds)
                }
                return
            }
        }
    }

    override func eventsDidCome(_ events: UInt32) {
        acceptWaiting(limit: Self.acceptsPerTurn)
    }

    override func timerDidFire(at now: UInt64) {
        if !isStopped, !isWatching { try? watch() }
        if !isStopped, !isWatching { loop.arm(self, at: Deadline.after(Self.pause, from: now).nanoseconds) }
    }

    override func loopDidStop() {
        stop()
    }

    private func watch() throws(SocketError) {
        guard let raw = socket.raw else { return }
        try loop.add(self, descriptor: raw, events: fogbase_listener_events())
        isWatching = true
    }

    private func lookAway() {
        guard isWatching, let raw = socket.raw else { return }
        isWatching = false
        loop.remove(self, descriptor: raw)
    }
}
