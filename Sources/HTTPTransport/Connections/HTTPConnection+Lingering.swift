import Sockets
import Threads

/// The end of a connection whose client may still be sending.
extension HTTPConnection {
    /// What one client may bring before it is reset, however fast it sends.
    private static let maxLateBytes = 16 << 20
    private static let pauseWithoutBytes = Duration.milliseconds(10)

    /// Lets the peer read the last answer: closing over unread bytes would reset the connection and take the answer with it
    /// (RFC 9112 §9.6).
    func linger() async {
        socket.finishWriting()
        let deadline = Deadline.after(server.configuration.deadlines.linger, from: server.loop.now)
        var left = Self.maxLateBytes
        var isWaiting = false
        while left > 0, !deadline.hasPassed(at: server.loop.now), await socket.waitReadable(until: deadline) == .ready {
            // What came before an end is bounded by the kernel, and whoever has sent one is gone as soon as it is found.
            let isRationed = !socket.hasInputEnded
            let wanted = server.input.count
            let ration = isRationed ? server.stragglers.takeBytes(atMost: wanted, now: server.loop.now) : wanted
            guard ration > 0 else {
                if !isWaiting { server.stragglers.letStay(socket) }
                isWaiting = true
                await socket.pauseWriting(until: min(deadline, .after(Self.pauseWithoutBytes, from: server.loop.now)))
                continue
            }
            var count = 0
            switch socket.discard(through: UnsafeMutableRawBufferPointer(rebasing: server.input[..<ration])) {
            case .bytes(let read): count = read
            case .wouldBlock: break
            case .end, .failed: left = 0
            }
            if isRationed { server.stragglers.giveBack(ration - count) }
            left -= count
            if isWaiting, count < ration {
                // All that it had sent is read.
                server.stragglers.didLeave(socket)
                isWaiting = false
            }
            await Task.yield()
        }
        if isWaiting { server.stragglers.didLeave(socket) }
    }
}
