import CLinux
import Threads

/// Accepts connections from a listening socket on one of several loops.
///
/// The socket is level triggered with EPOLLEXCLUSIVE. A new connection wakes one of the sleeping loops, not all; if no
/// loop accepts the connection, it causes another wake-up. If descriptors run out, the listener pauses for 50 ms
/// instead of spinning. Clients then wait in the kernel's queue.
package final class LoopListener: LoopHandle, @unchecked Sendable {
    private let socket: ListeningSocket
    private let accept: (consuming FileDescriptor, SocketAddress) -> Void
    private var isWatching = false
    private var isStopped = false
    private static let acceptsPerTurn = 48
    private static let pause = Duration.milliseconds(50)

    /// Starts to accept. `accept` is called on the loop's thread for each connection.
    ///
    /// - Throws: `SocketError.system` if epoll cannot watch the socket.
    package init(
        _ socket: ListeningSocket, on loop: EventLoop,
        accept: @escaping (consuming FileDescriptor, SocketAddress) -> Void
    ) throws(SocketError) {
        self.socket = socket
        self.accept = accept
        super.init(loop: loop)
        try watch()
    }

    /// Stops accepting permanently.
    package func stop() {
        isStopped = true
        stopWatching()
        loop.remove(self)
    }

    /// Accepts at most `limit` waiting connections. A stopped listener can still accept connections that arrived before
    /// the stop.
    package func acceptWaiting(limit: Int) {
        for _ in 0..<limit {
            switch socket.accept() {
            case .connection(let descriptor, let peer): accept(descriptor, peer)
            case .none: return
            case .exhausted:
                if !isStopped {
                    stopWatching()
                    loop.arm(self, at: Deadline.after(Self.pause, from: loop.time).nanoseconds)
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

    private func stopWatching() {
        guard isWatching, let raw = socket.raw else { return }
        isWatching = false
        loop.remove(self, descriptor: raw)
    }
}
