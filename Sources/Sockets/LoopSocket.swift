import CLinux
import Glibc
package import Threads

/// A connected stream socket on an event loop. Every call is made on the loop's thread.
///
/// It is registered once, edge triggered, for reading; for writing only after the first write that would have blocked. So a
/// request costs one `recv`, one `send` and its share of an `epoll_wait`. A read that filled less than its buffer has
/// emptied the socket (epoll(7), question 9), and the next one waits for an event without asking.
package final class LoopSocket: LoopHandle, @unchecked Sendable {
    /// How a wait ended.
    package enum Wake: Sendable {
        case ready
        case timeout
        /// The socket was closed, or asked to stop waiting.
        case cancelled
    }

    /// What a read brought.
    package enum ReadResult: Sendable {
        case bytes(Int)
        case wouldBlock
        case end
        case failed(SocketError)
    }

    /// What a write took.
    package enum WriteResult: Sendable {
        case wrote(Int)
        case wouldBlock
        case failed(SocketError)
    }

    /// Called when the peer has gone altogether (reset, or closed in both directions); not for a half-close.
    package var hangUpDidCome: (() -> Void)?
    /// Called when the peer has said that it sends no more: by a half-close, or by a close like any other.
    package var inputDidEnd: (() -> Void)?
    /// Whether the peer has said so. What it sent before may still be there to be read.
    package private(set) var hasInputEnded = false
    /// Whether no answer can reach the peer any more.
    package private(set) var isHungUp = false
    /// Whether `close` was called.
    package var isClosed: Bool { raw < 0 }

    private var raw: Int32
    private var mayRead = false
    private var mayWrite = true
    private var watchesWrites = false
    private var reader: UnsafeContinuation<Wake, Never>?
    /// Who waits without a task.
    private var resting: ((Wake) -> Void)?
    private var writer: UnsafeContinuation<Wake, Never>?
    private var readDeadline = Deadline.never
    private var writeDeadline = Deadline.never

    /// Takes over a connected, non-blocking descriptor.
    package init(_ descriptor: consuming FileDescriptor, on loop: EventLoop) throws(SocketError) {
        raw = -1
        super.init(loop: loop)
        try loop.add(self, descriptor: descriptor.raw, events: fogbase_stream_events(0))
        raw = descriptor.release()
    }

    deinit {
        assert(raw < 0, "A socket was dropped without being closed")
        if raw >= 0 { _ = Glibc.close(raw) }
    }

    /// Sends small answers at once instead of waiting for the peer's acknowledgement; without effect on a Unix socket.
    package func disableDelay() {
        var one: Int32 = 1
        _ = setsockopt(raw, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Lets the kernel keep no more than about `count` bytes that it has not sent yet, besides those that are on their way;
    /// without effect on a Unix socket.
    ///
    /// Not SO_SNDBUF: that bounds what is on its way, too, so it would slow down a transfer over a long path, and would end
    /// the kernel's own tuning.
    package func limitUnsent(_ count: Int32) {
        var count = count
        _ = setsockopt(
            raw, Int32(IPPROTO_TCP), Int32(TCP_NOTSENT_LOWAT), &count, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Reads what is there, at most the size of `buffer`.
    ///
    /// What a peer sent before it reset the connection can still be had from the kernel, but nobody waits for what comes of
    /// it: it counts as never sent.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        isHungUp ? .end : receive(into: buffer, flags: 0)
    }

    /// Passes over what is there, at most the size of `buffer`, which is left with anything: TCP frees such bytes without
    /// copying them (tcp(7), MSG_TRUNC), other sockets copy them. Also after a hang-up, which two ends that have both said
    /// their last look like: what is not taken then resets the peer, who may not have read its answer yet.
    package func discard(through buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        receive(into: buffer, flags: Int32(MSG_TRUNC))
    }

    private func receive(into buffer: UnsafeMutableRawBufferPointer, flags: Int32) -> ReadResult {
        guard raw >= 0 else { return .end }
        while true {
            let count = recv(raw, buffer.baseAddress, buffer.count, flags)
            if count > 0 {
                // An end that came together with these bytes gets no event of its own.
                if count < buffer.count, !hasInputEnded { mayRead = false }
                return .bytes(count)
            }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                mayRead = false
                return .wouldBlock
            default: return .failed(.last("recv"))
            }
        }
    }

    /// Writes what the socket takes of `bytes`.
    ///
    /// - Parameter moreFollows: More will be written at once, which may share the last packet with these bytes.
    package func write(_ bytes: UnsafeRawBufferPointer, moreFollows: Bool = false) -> WriteResult {
        guard raw >= 0 else { return .failed(.system(call: "send", errno: EPIPE)) }
        let flags = Int32(MSG_NOSIGNAL) | (moreFollows ? Int32(MSG_MORE) : 0)
        while true {
            let count = send(raw, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return .wrote(count) }
            if errno != EINTR { return failure(of: "send") }
        }
    }

    /// Writes what the socket takes of two runs of bytes, in one system call.
    package func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> WriteResult {
        guard raw >= 0 else { return .failed(.system(call: "sendmsg", errno: EPIPE)) }
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { vectors in
            vectors[0] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count)
            vectors[1] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
            var message = msghdr()
            message.msg_iov = vectors.baseAddress
            message.msg_iovlen = 2
            while true {
                let count = sendmsg(raw, &message, Int32(MSG_NOSIGNAL))
                if count >= 0 { return .wrote(count) }
                if errno != EINTR { return failure(of: "sendmsg") }
            }
        }
    }

    /// Writes what the socket takes of a file, without a copy in this process; the file's own position stays where it is.
    ///
    /// The process must ignore SIGPIPE: this call knows no MSG_NOSIGNAL.
    ///
    /// - Parameters:
    ///   - descriptor: A regular file, open for reading.
    ///   - count: The most bytes to write; not 0.
    /// - Returns: `.wrote(0)` if the file ends at or before `offset`.
    package func sendFile(_ descriptor: Int32, at offset: Int, count: Int) -> WriteResult {
        guard raw >= 0 else { return .failed(.system(call: "sendfile", errno: EPIPE)) }
        var position = off_t(offset)
        while true {
            let sent = sendfile(raw, descriptor, &position, count)
            if sent >= 0 { return .wrote(sent) }
            if errno != EINTR { return failure(of: "sendfile") }
        }
    }

    private func failure(of call: String) -> WriteResult {
        guard errno == EAGAIN else { return .failed(.last(call)) }
        mayWrite = false
        if !watchesWrites {
            watchesWrites = true
            // Re-arming reports a state that is already there, so nothing is lost in between (epoll_ctl(2), EPOLL_CTL_MOD).
            loop.change(self, descriptor: raw, events: fogbase_stream_events(1))
        }
        return .wouldBlock
    }

    /// Suspends until something may be read.
    package func waitReadable(until deadline: Deadline) async -> Wake {
        if raw < 0 { return .cancelled }
        if mayRead { return .ready }
        return await withUnsafeContinuation { continuation in
            precondition(reader == nil && resting == nil, "Two readers wait on one socket")
            reader = continuation
            readDeadline = deadline
            if deadline != .never { loop.arm(self, at: deadline.nanoseconds) }
        }
    }

    /// Calls `body` once, when something may be read: at once, if that is so already. It takes far less memory than a task
    /// that waits, which keeps what the deepest of its calls needed.
    package func whenReadable(until deadline: Deadline, _ body: @escaping (Wake) -> Void) {
        precondition(reader == nil && resting == nil, "Two readers wait on one socket")
        if raw < 0 { return body(.cancelled) }
        if mayRead { return body(.ready) }
        resting = body
        readDeadline = deadline
        if deadline != .never { loop.arm(self, at: deadline.nanoseconds) }
    }

    /// Suspends until something may be written, after a write that would have blocked.
    package func waitWritable(until deadline: Deadline) async -> Wake {
        if raw < 0 { return .cancelled }
        if mayWrite { return .ready }
        return await withUnsafeContinuation { continuation in
            precondition(writer == nil, "Two writers wait on one socket")
            writer = continuation
            writeDeadline = deadline
            if deadline != .never { loop.arm(self, at: deadline.nanoseconds) }
        }
    }

    /// Suspends whoever writes until `deadline`, or until something happens that a writer should know.
    package func pauseWriting(until deadline: Deadline) async {
        if raw < 0 { return }
        _ = await withUnsafeContinuation { (continuation: UnsafeContinuation<Wake, Never>) in
            precondition(writer == nil, "Two writers wait on one socket")
            writer = continuation
            writeDeadline = deadline
            if deadline != .never { loop.arm(self, at: deadline.nanoseconds) }
        }
    }

    /// Wakes a waiting reader with `.cancelled`, such as one that idles between requests at a shutdown.
    package func cancelRead() {
        resumeReader(.cancelled)
    }

    /// Says that nothing more will be written; the peer reads what was, then the end.
    package func finishWriting() {
        if raw >= 0 { _ = Glibc.shutdown(raw, Int32(SHUT_WR)) }
    }

    /// Closes the socket; whoever waits resumes with `.cancelled`. A second call does nothing.
    package func close() {
        guard raw >= 0 else { return }
        loop.remove(self)
        _ = Glibc.close(raw)
        raw = -1
        hangUpDidCome = nil
        inputDidEnd = nil
        resumeReader(.cancelled)
        resumeWriter(.cancelled)
    }

    /// Closes the socket so that the peer gets a reset, and nothing stays in the kernel's queues.
    package func reset() {
        guard raw >= 0 else { return }
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(raw, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }

    override func eventsDidCome(_ events: UInt32) {
        let gone = events & UInt32(FOGBASE_HUNG_UP | FOGBASE_ERROR) != 0
        let hadInputEnded = hasInputEnded
        if events & UInt32(FOGBASE_READ_HUNG_UP) != 0 || gone { hasInputEnded = true }
        if events & UInt32(FOGBASE_READABLE | FOGBASE_READ_HUNG_UP) != 0 || gone {
            mayRead = true
            resumeReader(.ready)
        }
        if events & UInt32(FOGBASE_WRITABLE) != 0 || gone {
            mayWrite = true
            resumeWriter(.ready)
        }
        if gone, !isHungUp {
            isHungUp = true
            hangUpDidCome?()
        } else if hasInputEnded, !hadInputEnded {
            inputDidEnd?()
        }
    }

    override func timerDidFire(at now: UInt64) {
        if readDeadline.hasPassed(at: now) { resumeReader(.timeout) }
        if writeDeadline.hasPassed(at: now) { resumeWriter(.timeout) }
        let next = min(readDeadline, writeDeadline)
        if next != .never { loop.arm(self, at: next.nanoseconds) }
    }

    override func loopDidStop() {
        close()
    }

    private func resumeReader(_ wake: Wake) {
        readDeadline = .never
        if let body = resting {
            resting = nil
            return body(wake)
        }
        guard let waiting = reader else { return }
        reader = nil
        waiting.resume(returning: wake)
    }

    private func resumeWriter(_ wake: Wake) {
        writeDeadline = .never
        guard let waiting = writer else { return }
        writer = nil
        waiting.resume(returning: wake)
    }
}
