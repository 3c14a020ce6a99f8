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
        var hasWaited = false
        while left > 0, !deadline.hasPassed(at: server.loop.now), await socket.waitReadable(until: deadline) == .ready {
            guard let ration = lateBytesNow() else {
                if !hasWaited { server.stragglers.letStay(socket) }
                hasWaited = true
                await socket.pauseWriting(until: min(deadline, .after(Self.pauseWithoutBytes, from: server.loop.now)))
                continue
            }
            switch socket.discard(through: UnsafeMutableRawBufferPointer(rebasing: server.input[..<ration])) {
            case .bytes(let count): left -= count
            case .wouldBlock: continue
            case .end, .failed: left = 0
            }
            await Task.yield()
        }
        if hasWaited { server.stragglers.didLeave(socket) }
    }

    /// How much may be read now of what nobody wants; `nil` for nothing yet.
    private func lateBytesNow() -> Int? {
        // What came before an end is not much, and whoever has sent one is gone as soon as it is found.
        if socket.hasInputEnded { return server.input.count }
        let ration = server.stragglers.takeBytes(atMost: server.input.count, now: server.loop.now)
        return ration > 0 ? ration : nil
    }
}
