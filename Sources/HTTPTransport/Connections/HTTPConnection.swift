import HTTP
import Sockets
import TLS
import Threads

/// One connection: a task on its loop's thread, written like blocking code. A connection without requests for
/// `Deadlines.rest` has no task.
///
/// Unchecked: all state is confined to the loop's thread.
final class HTTPConnection: @unchecked Sendable {
    let socket: LoopSocket
    let server: ServerLoop
    let ledgerPeer: ConnectionCounter.Peer
    /// The peer's address as text, for requests and logs.
    let peer: String
    /// The peer's address in binary form, for comparison and limits; `nil` on a Unix socket.
    let peerAddress: IPAddress?
    /// The connection's index in the list of the server loop; -1 after removal.
    var index = -1
    var task: Task<Void, Never>?

    var input = InputBuffer()
    let writer: ResponseWriter
    private(set) var receivedBytes = 0
    /// Whether the connection closes after the current response.
    var mustClose = false
    /// Whether the peer may still be sending. Such a peer gets time to read the response before the connection is
    /// closed.
    var lingers = false

    private var parser: RequestParser
    private var headStart: UInt64 = 0
    /// Whether the connection ends without loss when the server stops.
    var isIdle = false
    /// The TLS handshake that the connection begins with; `nil` for none.
    private var pendingTLS: TLSServer?
    /// Whether the task is about to end while the connection stays open.
    private var isResting = false
    /// The event that ended the last rest, for the next task.
    private var wake: LoopSocket.Wake?
    private var isStopping = false

    init(_ socket: LoopSocket, peer: SocketAddress, on server: ServerLoop) {
        self.socket = socket
        self.server = server
        self.peer = peer.host
        peerAddress = peer.ipAddress
        ledgerPeer = ConnectionCounter.Peer(peer)
        writer = ResponseWriter(socket, on: server)
        parser = RequestParser(limits: server.configuration.headLimits)
        isStopping = server.isDraining
        pendingTLS = server.isEncrypted(peer) ? server.configuration.tls : nil
        socket.hangUpDidCome = { [weak self] in self?.task?.cancel() }
        socket.inputDidEnd = { [weak writer = self.writer] in writer?.inputDidEnd() }
    }

    func start() {
        task = Task(executorPreference: server.loop) { [self] in await run() }
    }

    /// Handles requests until the connection ends or its task rests.
    private func run() async {
        var isOpen = true
        if let tls = pendingTLS.take() { isOpen = await shakeHands(as: tls) }
        while isOpen, let head = await nextHead() {
            isOpen = await respond(head)
        }
        if isResting { return rest() }
        if !socket.isClosed, await writer.flush(), lingers { await linger() }
        finish()
    }

    /// Called when the server stops. An idle connection ends now; an active connection ends after its current response.
    func serverWillStop() {
        isStopping = true
        if isIdle { socket.cancelRead() }
        writer.events?.serverWillStop()
    }

    /// Ends the connection immediately.
    func abort() {
        task?.cancel()
        socket.reset()
        server.remove(self)
    }

    /// Whether the current response is the last one.
    var isLastResponse: Bool {
        mustClose || isStopping
    }

    /// Waits without a task until input arrives. The task of an idle connection that has sent responses would use about
    /// 8 KB.
    private func rest() {
        isResting = false
        isIdle = true
        task = nil
        if isStopping {
            wake = .cancelled
            return start()
        }
        let deadlines = server.configuration.deadlines
        server.metrics.connectionDidRest()
        // The deadline counts from now, not from the start of the loop turn. So no connection is closed early.
        socket.whenReadable(until: .after(deadlines.idle - deadlines.rest, from: server.loop.time)) { [self] wake in
            server.metrics.connectionDidWake()
            self.wake = wake
            start()
        }
    }

    private func finish() {
        socket.close()
        input.removeAll()
        writer.output = []
        task = nil
        server.remove(self)
    }

    // MARK: - Reading

    /// Returns the head of the next request; `nil` if the connection ends or its task rests.
    private func nextHead() async -> RequestHead? {
        if !input.isEmpty, server.loop.isTimeSliceOver {
            guard await writer.flush() else { return nil }
            await Task.yield()
        }
        if !input.isEmpty {
            headStart = server.loop.now
            switch parseInput() {
            case .head(let head, _):
                // If the handler suspends, the output so far is sent at the end of the loop turn.
                writer.flushAtEndOfTurn()
                return head
            case .rejected(let rejection):
                await reject(rejection)
                return nil
            case .needMore: break
            }
        }
        guard await writer.flush() else { return nil }
        return await receiveHead()
    }

    /// Writes the output to the socket. If a pipelined request has arrived and the output is small, keeps the output
    /// until the next response.
    func flushUnlessPipelined() async -> Bool {
        if input.isEmpty { return await writer.flush() }
        if writer.pendingBytes < server.configuration.maxGatheredBytes { return true }
        guard await writer.flush() else { return false }
        await Task.yield()
        return true
    }

    private func receiveHead() async -> RequestHead? {
        let deadlines = server.configuration.deadlines
        let rest = min(deadlines.rest, deadlines.idle)
        while true {
            isIdle = input.isEmpty
            let wake: LoopSocket.Wake
            if let ended = self.wake.take() {
                wake = ended
            } else if isIdle {
                // If the server is stopping, check once more, without waiting, whether a request has arrived.
                wake = isStopping ? .cancelled : await socket.waitReadable(until: .after(rest, from: server.loop.now))
                if wake == .timeout, rest < deadlines.idle {
                    isResting = true
                    return nil
                }
            } else {
                wake = await socket.waitReadable(until: .after(deadlines.head, from: headStart))
            }
            let wasIdle = isIdle
            isIdle = false
            if wake == .timeout, !wasIdle {
                await reject(HTTPRejection(.requestTimeout, "The request head did not arrive in time."))
                return nil
            }
            // Read after the idle timeout too: bytes may have arrived just before it, and the loop may not have seen
            // them.
            switch socket.read(into: server.input) {
            case .bytes(let count):
                if wasIdle { headStart = server.loop.now }
                switch take(count) {
                case .needMore: continue
                case .head(let head, _): return head
                case .rejected(let rejection):
                    await reject(rejection)
                    return nil
                }
            case .wouldBlock:
                if wasIdle ? wake != .ready : wake == .cancelled && socket.isClosed { return nil }
            case .end, .failed:
                return nil
            }
        }
    }

    /// Counts bytes read into the loop's buffer.
    func didReceive(_ count: Int) {
        receivedBytes += count
        server.metrics.didReceive(count)
    }

    /// Parses earlier input and `count` bytes in the loop's buffer. Keeps the bytes after the head.
    private func take(_ count: Int) -> RequestParser.Verdict {
        didReceive(count)
        let bytes = UnsafeRawBufferPointer(rebasing: server.input[..<count])
        guard input.isEmpty else {
            input.append(bytes)
            return parseInput()
        }
        let verdict = parser.parse(bytes)
        switch verdict {
        case .head(_, let consumed):
            if consumed < count { input.append(UnsafeRawBufferPointer(rebasing: bytes[consumed...])) }
        case .needMore, .rejected: input.append(bytes)
        }
        return verdict
    }

    private func parseInput() -> RequestParser.Verdict {
        let verdict = input.withBytes { parser.parse($0) }
        if case .head(_, let consumed) = verdict { input.consume(consumed) }
        return verdict
    }

    // MARK: - Rejected heads

    /// The maximum number of bytes, and the time, in which to look for the end of a rejected head.
    private static let maxRejectedBytes = 1 << 20
    private static let rejectedHeadTime = Duration.seconds(1)

    /// Returns what a rejected head tells about its sender.
    ///
    /// - Parameter waits: Whether to read the rest of the head if a page may be the sender. Browsers send it at once.
    func readRejectedHead(waits: Bool) async -> RejectedHead {
        var head = RejectedHead()
        input.withBytes { head.read($0) }
        let deadline = Deadline.after(
            min(Self.rejectedHeadTime, server.configuration.deadlines.linger), from: server.loop.now)
        var left = waits && mayAdmitOrigin(of: head) ? Self.maxRejectedBytes : 0
        while left > 0, !head.isComplete, await socket.waitReadable(until: deadline) == .ready {
            switch socket.read(into: server.input) {
            case .bytes(let count):
                didReceive(count)
                head.read(UnsafeRawBufferPointer(rebasing: server.input[..<count]))
                left -= count
            case .wouldBlock: break
            case .end, .failed: return head
            }
            await Task.yield()
        }
        return head
    }

    private func mayAdmitOrigin(of head: RejectedHead) -> Bool {
        let configuration = server.configuration
        if configuration.cors.isEnabled { return true }
        return head.target.map { configuration.handlesOwnPreflights($0.below(configuration.basePath)) } ?? false
    }

    // MARK: - Closing

    /// The maximum number of bytes to discard during a lingering close.
    private static let maxLingerBytes = 16 << 20

    /// Does a lingering close: reads and discards input for a limited time. Without it, closing a socket with unread
    /// bytes would reset the connection and could destroy the response (RFC 9112 §9.6).
    private func linger() async {
        socket.finishWriting()
        let deadline = Deadline.after(server.configuration.deadlines.linger, from: server.loop.now)
        var left = Self.maxLingerBytes
        while left > 0, !deadline.hasPassed(at: server.loop.now), await socket.waitReadable(until: deadline) == .ready {
            switch socket.discard(through: server.input) {
            case .bytes(let count): left -= count
            case .wouldBlock: break
            case .end, .failed: return
            }
            await Task.yield()
        }
    }
}
