package import Threads

/// A timer that calls a closure once on the loop's thread. Create and cancel it on that thread.
///
/// A timer needs no descriptor and no other thread, so it works if the process has run out of both.
package final class LoopTimer: LoopHandle, @unchecked Sendable {
    private var body: (() -> Void)?

    /// Starts the timer. The timer calls `body` at `deadline`, or never if `deadline` is `.never`.
    package init(on loop: EventLoop, at deadline: Deadline, _ body: @escaping () -> Void) {
        self.body = body
        super.init(loop: loop)
        if deadline != .never { loop.arm(self, at: deadline.nanoseconds) }
    }

    /// Cancels the timer and releases the closure.
    package func cancel() {
        body = nil
        loop.remove(self)
    }

    override func timerDidFire(at now: UInt64) {
        let body = body
        self.body = nil
        body?()
    }
}
