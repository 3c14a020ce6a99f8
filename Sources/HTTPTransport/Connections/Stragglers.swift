import Sockets

/// The clients of a loop that go on sending after their last answer.
///
/// Nobody wants what they send: it is read only so that their end of the connection is not reset before they have read the
/// answer (RFC 9112 §9.6). A few of them are served at once. A crowd that never stops shares so little of the loop, and of the
/// machine, that those who are still to be answered notice it hardly, and only so many may stay, because behind the same
/// address there may be others who need its connections.
package struct Stragglers {
    private let limits: HTTPServerConfiguration.StragglerLimits
    private var bytesLeft: Int
    private var refilledAt: UInt64
    private var waiting: [LoopSocket] = []

    /// - Parameter now: In nanoseconds on `MonotonicClock`.
    package init(_ limits: HTTPServerConfiguration.StragglerLimits, now: UInt64) {
        self.limits = limits
        bytesLeft = limits.burst
        refilledAt = now
    }

    /// Takes from what may be read now.
    ///
    /// - Returns: At most `wanted` bytes; 0 if there is nothing left at this moment.
    package mutating func takeBytes(atMost wanted: Int, now: UInt64) -> Int {
        // Parts of a millisecond add up until there is a whole one.
        if now > refilledAt, now - refilledAt >= 1_000_000 {
            let milliseconds = (now - refilledAt) / 1_000_000
            let earned = Int(min(milliseconds, 1_000_000)) * limits.bytesPerSecond / 1000
            bytesLeft = min(limits.burst, bytesLeft + earned)
            refilledAt += milliseconds * 1_000_000
        }
        let taken = min(wanted, bytesLeft)
        bytesLeft -= taken
        return taken
    }

    /// Gives back what was taken, but had not come: who sends byte by byte uses up no more than that.
    package mutating func giveBack(_ unused: Int) {
        bytesLeft += unused
    }

    /// Lets a client stay for whom there was nothing left. If they are too many, one is reset: whoever has stayed for the
    /// longest of those whose system has confirmed the answer, or of all if none has.
    mutating func letStay(_ socket: LoopSocket) {
        waiting.append(socket)
        guard waiting.count > limits.count else { return }
        waiting.remove(at: waiting.firstIndex { $0.isAllConfirmed } ?? 0).reset()
    }

    /// The client has left, or has sent nothing more: then it is no burden.
    mutating func didLeave(_ socket: LoopSocket) {
        waiting.removeAll { $0 === socket }
    }
}
