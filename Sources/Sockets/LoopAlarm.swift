package import Threads

/// Calls a closure on the loop's thread at a moment, once, unless it is cancelled before. Made and cancelled on the thread.
///
/// It needs no descriptor and no other thread, so that it works when the process is out of both.
package final class LoopAlarm: LoopHandle, @unchecked Sendable {
    private var body: (() -> Void)?

    package init(on loop: EventLoop, at deadline: Deadline, _ body: @escaping () -> Void) {
        self.body = body
        super.init(loop: loop)
        if deadline != .never { loop.arm(self, at: deadline.nanoseconds) }
    }

    /// Forgets the closure.
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
