import CLinux
import Glibc
import TLS
package import Threads

/// A connected stream socket on an event loop. All calls are made on the loop's thread.
///
/// The socket is registered once, edge triggered, for reading. After the first write that would block, it is also
/// registered for writing. So a request costs one `recv`, one `send` and a share of an `epoll_wait`. A read that fills
/// less than its buffer has emptied the socket (epoll(7), question 9). The next read then waits for an event without a
/// system call.
package final class LoopSocket: LoopHandle, @unchecked Sendable {
    /// The reason why a wait for the socket ended.
    package enum Wake: Sendable {
        case ready
        case timeout
        /// The socket was closed, or `cancelRead` was called.
        case cancelled
    }

    /// The result of an attempt to read.
    package enum ReadResult: Sendable {
        case bytes(Int)
        case wouldBlock
        case end
        case failed(SocketError)
    }

    /// The result of an attempt to write.
    package enum WriteResult: Sendable {
        case wrote(Int)
        case wouldBlock
        case failed(SocketError)
    }

    /// Called when the connection was reset or closed in both directions. Not called for a half-close.
    package var hangUpDidCome: (() -> Void)?
    /// Called when the peer has ended its output, by a half-close or a close.
    package var inputDidEnd: (() -> Void)?
    /// Whether the peer has ended its output. Earlier input may still be unread.
    package private(set) var hasInputEnded = false
    /// Whether the connection was reset or closed in both directions. No response can reach the peer then.
    package private(set) var isHungUp = false
    /// Whether `close` was called.
    package var isClosed: Bool { raw < 0 }

    private(set) var raw: Int32
    /// The encryption of the connection; `nil` for a plain one.
    var tls: TLSSession?
    var mayRead = false
    private var mayWrite = true
    private var watchesWrites = false
    private var reader: UnsafeContinuation<Wake, Never>?
    /// The callback of a reader that waits without a task.
    private var resting: ((Wake) -> Void)?
    private var writer: UnsafeContinuation<Wake, Never>?
    private var readDeadline = Deadline.never
    private var writeDeadline = Deadline.never

    /// Takes ownership of a connected, non-blocking descriptor.
    ///
    /// - Throws: `SocketError.system` if epoll cannot watch the socket. The descriptor is then closed.
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

    /// Sets TCP_NODELAY, so that small responses do not wait for the peer's acknowledgment. No effect on a Unix socket.
    package func disableDelay() {
        var one: Int32 = 1
        _ = setsockopt(raw, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Limits the kernel's queue of unsent data to about `count` bytes (TCP_NOTSENT_LOWAT). Bytes in flight are not
    /// counted. No effect on a Unix socket.
    ///
    /// SO_SNDBUF would also limit the bytes in flight. This would slow down transfers over long paths and disable the
    /// kernel's tuning.
    package func limitUnsent(_ count: Int32) {
        var count = count
        _ = setsockopt(
            raw, Int32(IPPROTO_TCP), Int32(TCP_NOTSENT_LOWAT), &count, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Reads received bytes from the kernel, at most the size of `buffer`.
    ///
    /// After a reset, the kernel may still have data that the peer sent before. This data is ignored, because the peer
    /// no longer waits for a response.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        if isHungUp { return .end }
        if let tls { return decrypt(tls, into: buffer) }
        return receive(into: buffer, flags: 0)
    }

    /// Drops received data, at most the size of `buffer`, without decrypting it. The buffer's content is undefined
    /// afterwards.
    ///
    /// TCP drops the bytes without copying them (tcp(7), MSG_TRUNC); other sockets copy them. This works after a
    /// hang-up too. If both sides have half-closed, unread data would cause a reset, and the peer might lose a response
    /// that it has not read.
    package func discard(through buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        receive(into: buffer, flags: Int32(MSG_TRUNC))
    }

    private func receive(into buffer: UnsafeMutableRawBufferPointer, flags: Int32) -> ReadResult {
        guard raw >= 0 else { return .end }
        while true {
            let count = recv(raw, buffer.baseAddress, buffer.count, flags)
            if count > 0 {
                // An end of the stream that arrived together with these bytes causes no separate event.
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

    /// Writes as many of `bytes` as the socket accepts.
    ///
    /// - Parameter moreFollows: Whether the caller writes more next. The last packet can then contain later bytes too
    ///   (MSG_MORE).
    package func write(_ bytes: UnsafeRawBufferPointer, moreFollows: Bool = false) -> WriteResult {
        guard raw >= 0 else { return .failed(.system(call: "send", errno: EPIPE)) }
        if let tls { return encrypt(tls, bytes, moreFollows: moreFollows) }
        let flags = Int32(MSG_NOSIGNAL) | (moreFollows ? Int32(MSG_MORE) : 0)
        while true {
            let count = send(raw, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return .wrote(count) }
            if errno != EINTR { return failure(of: "send") }
        }
    }

    /// Writes as much of two buffers as the socket accepts, in one system call.
    package func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> WriteResult {
        guard raw >= 0 else { return .failed(.system(call: "sendmsg", errno: EPIPE)) }
        if let tls { return encrypt(tls, first, second) }
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

    /// Writes as much of a file as the socket accepts, without a copy in this process unless it is encrypted. The
    /// descriptor's file position does not change.
    ///
    /// The process must ignore SIGPIPE, because `sendfile` has no MSG_NOSIGNAL.
    ///
    /// - Parameters:
    ///   - descriptor: A regular file, open for reading.
    ///   - count: The maximum number of bytes to write; not 0.
    /// - Returns: `.wrote(0)` if the file ends at or before `offset`.
    package func sendFile(_ descriptor: Int32, at offset: Int, count: Int) -> WriteResult {
        guard raw >= 0 else { return .failed(.system(call: "sendfile", errno: EPIPE)) }
        if let tls { return encryptFile(tls, descriptor, at: offset, count: count) }
        var position = off_t(offset)
        while true {
            let sent = sendfile(raw, descriptor, &position, count)
            if sent >= 0 { return .wrote(sent) }
            if errno != EINTR { return failure(of: "sendfile") }
        }
    }

    private func failure(of call: String) -> WriteResult {
        guard errno == EAGAIN else { return .failed(.last(call)) }
        watchWrites()
        return .wouldBlock
    }

    /// Called after a write that would block: the next one waits for an event.
    func watchWrites() {
        mayWrite = false
        guard !watchesWrites else { return }
        watchesWrites = true
        // EPOLL_CTL_MOD reports a condition that is already true (epoll_ctl(2)), so no event is lost.
        loop.change(self, descriptor: raw, events: fogbase_stream_events(1))
    }

    /// Suspends until the socket is readable.
    ///
    /// - Precondition: No other reader waits.
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

    /// Calls `body` once when the socket is readable, or immediately if it already is. This needs far less memory than
    /// a waiting task, which keeps the memory of its deepest call.
    ///
    /// - Precondition: No other reader waits.
    package func whenReadable(until deadline: Deadline, _ body: @escaping (Wake) -> Void) {
        precondition(reader == nil && resting == nil, "Two readers wait on one socket")
        if raw < 0 { return body(.cancelled) }
        if mayRead { return body(.ready) }
        resting = body
        readDeadline = deadline
        if deadline != .never { loop.arm(self, at: deadline.nanoseconds) }
    }

    /// Suspends until the socket is writable. Call this after a write that would block.
    ///
    /// - Precondition: No other writer waits.
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

    /// Suspends the writer until `deadline`, or until the socket becomes writable or is closed.
    package func pauseWriting(until deadline: Deadline) async {
        if raw < 0 { return }
        _ = await withUnsafeContinuation { (continuation: UnsafeContinuation<Wake, Never>) in
            precondition(writer == nil, "Two writers wait on one socket")
            writer = continuation
            writeDeadline = deadline
            if deadline != .never { loop.arm(self, at: deadline.nanoseconds) }
        }
    }

    /// Resumes a waiting reader with `.cancelled`, such as the reader of an idle connection at shutdown.
    package func cancelRead() {
        resumeReader(.cancelled)
    }

    /// Ends the output (half-close). The peer reads all written bytes, then the end of the stream.
    package func finishWriting() {
        guard raw >= 0 else { return }
        tls?.finish()
        _ = Glibc.shutdown(raw, Int32(SHUT_WR))
    }

    /// Closes the socket. Waiting readers and writers resume with `.cancelled`. A second call does nothing.
    package func close() {
        guard raw >= 0 else { return }
        if !isHungUp { tls?.finish() }
        tls = nil
        loop.remove(self)
        _ = Glibc.close(raw)
        raw = -1
        hangUpDidCome = nil
        inputDidEnd = nil
        resumeReader(.cancelled)
        resumeWriter(.cancelled)
    }

    /// Closes the socket with a reset, which discards the data in the kernel's queues.
    package func reset() {
        guard raw >= 0 else { return }
        tls = nil
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
