import HTTP
import Sockets
import Threads

/// One connection from its first byte to its last: a task on its loop's thread that reads like blocking code. While it idles
/// for long it has none.
///
/// Unchecked: confined to the loop's thread.
final class HTTPConnection: @unchecked Sendable {
    let socket: LoopSocket
    let server: ServerLoop
    let ledgerPeer: ConnectionLedger.Peer
    /// The peer's address as requests and logs show it.
    let peer: String
    /// The same to compare and to count by; `nil` on a Unix socket.
    let peerAddress: IPAddress?
    /// The place in the server loop's list; -1 once it has been taken out.
    var index = -1
    var task: Task<Void, Never>?

    var input = InputBuffer()
    let writer: ResponseWriter
    private(set) var receivedBytes = 0
    /// The connection ends with the answer that is under way.
    var mustClose = false
    /// The peer may still be sending: it gets time to read the answer before the connection goes.
    var lingers = false

    private var parser: RequestParser
    private var headStart: UInt64 = 0
    private var isIdle = false
    /// The task ends, and the connection does not.
    private var isResting = false
    /// What has ended a rest.
    private var wake: LoopSocket.Wake?
    private var isStopping = false

    init(_ socket: LoopSocket, peer: SocketAddress, on server: ServerLoop) {
        self.socket = socket
        self.server = server
        self.peer = peer.host
        peerAddress = peer.ipAddress
        ledgerPeer = ConnectionLedger.Peer(peer)
        writer = ResponseWriter(socket, on: server)
        parser = RequestParser(limits: server.configuration.headLimits)
        isStopping = server.isDraining
        socket.hangUpDidCome = { [weak self] in self?.task?.cancel() }
        socket.inputDidEnd = { [weak writer = self.writer] in writer?.probe() }
    }

    func start() {
        task = Task(executorPreference: server.loop) { [self] in await run() }
    }

    /// Serves requests until the connection ends or rests.
    private func run() async {
        while let head = await nextHead() {
            guard await answer(head) else { break }
        }
        if isResting { return rest() }
        if !socket.isClosed, await writer.flush(), lingers { await linger() }
        finish()
    }

    /// The server stops: an idle connection ends now, another with its present answer.
    func serverWillStop() {
        isStopping = true
        if isIdle { socket.cancelRead() }
    }

    /// Ends the connection now, whatever it does.
    func abort() {
        task?.cancel()
        socket.reset()
        server.remove(self)
    }

    /// Whether the answer under way is the last one.
    var isLastAnswer: Bool {
        mustClose || isStopping
    }

    /// Goes on without a task until something comes: that of an idle connection holds some 8 KB, in which answers were made.
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
        // From now, not from when the turn began: nobody is sent home before its time.
        socket.whenReadable(until: .after(deadlines.idle - deadlines.rest)) { [self] wake in
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

    /// The next request's head; `nil` when the connection is over.
    private func nextHead() async -> RequestHead? {
        if !input.isEmpty, server.loop.isTimeSliceOver {
            guard await writer.flush() else { return nil }
            await Task.yield()
        }
        if !input.isEmpty {
            headStart = server.loop.now
            switch parseInput() {
            case .head(let head, _):
                // If the handler suspends, the answers so far go out at the end of the loop's turn.
                writer.flushAtEndOfTurn()
                return head
            case .refused(let refusal):
                await refuse(refusal)
                return nil
            case .needMore: break
            }
        }
        guard await writer.flush() else { return nil }
        return await receiveHead()
    }

    /// Writes the output, or leaves it to the next answer if a pipelined request waits and the output is not large.
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
                // A stopping server looks once more, without waiting, whether a request has come meanwhile.
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
                await refuse(HTTPRefusal(.requestTimeout, "The request head did not arrive in time."))
                return nil
            }
            // Also when an idle connection's time has ended: what came before, the loop may not have seen yet.
            switch socket.read(into: server.input) {
            case .bytes(let count):
                if wasIdle { headStart = server.loop.now }
                switch take(count) {
                case .needMore: continue
                case .head(let head, _): return head
                case .refused(let refusal):
                    await refuse(refusal)
                    return nil
                }
            case .wouldBlock:
                if wasIdle ? wake != .ready : wake == .cancelled && socket.isClosed { return nil }
            case .end, .failed:
                return nil
            }
        }
    }

    /// Counts bytes that were read into the loop's buffer.
    func didReceive(_ count: Int) {
        receivedBytes += count
        server.metrics.didReceive(count)
    }

    /// Parses what lies in the loop's buffer behind the input that waits; keeps what is left.
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
        case .needMore: input.append(bytes)
        case .refused: break
        }
        return verdict
    }

    private func parseInput() -> RequestParser.Verdict {
        let verdict = input.withBytes { parser.parse($0) }
        if case .head(_, let consumed) = verdict { input.consume(consumed) }
        return verdict
    }

    // MARK: - The end

    /// What a client may still send after its last answer before the connection is closed.
    private static let maxLingerBytes = 16 << 20

    /// A lingering close: closing over unread bytes would reset the connection and take the answer with it (RFC 9112 §9.6), so
    /// what still comes is read and discarded for a moment.
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
