import HTTP
import Sockets
import Threads

/// One connection from its first byte to its last: a task on its loop's thread that reads like blocking code. While it idles
/// for long it has none.
///
/// Unchecked: confined to the loop's thread.
final class HTTPConnection: @unchecked Sendable, EndOfTurn {
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

    /// What has come and has not been consumed, from `pendingStart` on. Empty while idle.
    var pending: [UInt8] = []
    var pendingStart = 0
    /// Answers that have not been handed to the socket, from `outputStart` on. Empty while idle.
    var output: [UInt8] = []
    var outputStart = 0
    /// How long the peer may still take nothing of the present output.
    var writePatience: Patience
    /// The peer has taken so much of an answer that more was wanted.
    var isKnownReader = false
    /// Bytes of an answer's body that wait for the peer, as the server loop counts them, and when it last took some.
    var heldBytes = 0
    var lastTaken: UInt64 = 0
    private(set) var receivedBytes = 0
    var sentBytes = 0
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
    private var answeredInTurn = 0
    /// When the first answer of the turn was begun; 0 before.
    private var turnStart: UInt64 = 0
    private var lastAnswered: UInt64 = 0
    private var bytesAtTurnStart = 0
    private var awaitsEndOfTurn = false
    /// A handler works on an answer to a client that understands interim ones, and everything that it works on has come: the
    /// reset that a probe may bring takes away what was not read, such as the last bytes of an upload that broke off.
    var mayProbe = false

    init(_ socket: LoopSocket, peer: SocketAddress, on server: ServerLoop) {
        self.socket = socket
        self.server = server
        self.peer = peer.host
        peerAddress = peer.ipAddress
        ledgerPeer = ConnectionLedger.Peer(peer)
        writePatience = server.writePatience
        parser = RequestParser(limits: server.configuration.headLimits)
        isStopping = server.isDraining
        socket.hangUpDidCome = { [weak self] in self?.task?.cancel() }
        socket.inputDidEnd = { [weak self] in self?.probe() }
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
        if !socket.isClosed, await flush(), lingers { await linger() }
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

    /// Bytes that have come and have not been consumed.
    var pendingCount: Int {
        pending.count - pendingStart
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
        pending = []
        output = []
        task = nil
        server.remove(self)
    }

    // MARK: - Reading

    /// The next request's head; `nil` when the connection is over.
    private func nextHead() async -> RequestHead? {
        if pendingCount > 0, hasHadItsTurn {
            guard await flush() else { return nil }
            beginTurn()
            await Task.yield()
        }
        if pendingCount > 0 {
            headStart = server.loop.now
            switch parsePending() {
            case .head(let head, _):
                answeredInTurn += 1
                // If the handler suspends, the answers so far go out at the end of the loop's turn.
                flushAtEndOfTurn()
                return head
            case .refused(let refusal):
                await refuse(refusal)
                return nil
            case .needMore: break
            }
        }
        guard await flush() else { return nil }
        beginTurn()
        return await receiveHead()
    }

    /// Whether others have waited long enough.
    private var hasHadItsTurn: Bool {
        if answeredInTurn >= server.loop.share(of: server.configuration.maxPipelinedRequests, atLeast: 1) {
            return true
        }
        if answeredBytes - bytesAtTurnStart >= server.configuration.maxGatheredBytes { return true }
        // If an answer was waited for, others have had their turns since.
        let start = max(turnStart, server.loop.now)
        return lastAnswered &- start >= UInt64(server.loop.share(of: server.pipelinedNanoseconds, atLeast: 0))
    }

    /// Counts the time of an answer, which has been read from the clock anyway.
    func didAnswer(from start: UInt64, to end: UInt64) {
        if turnStart == 0 { turnStart = start }
        lastAnswered = end
    }

    private func beginTurn() {
        answeredInTurn = 0
        turnStart = 0
        bytesAtTurnStart = answeredBytes
    }

    /// Bytes of all answers so far, whether or not the socket has taken them.
    private var answeredBytes: Int {
        sentBytes + output.count - outputStart
    }

    private func receiveHead() async -> RequestHead? {
        let deadlines = server.configuration.deadlines
        let rest = min(deadlines.rest, deadlines.idle)
        while true {
            isIdle = pendingCount == 0
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

    /// Parses what lies in the loop's buffer behind what is pending; keeps what is left.
    private func take(_ count: Int) -> RequestParser.Verdict {
        didReceive(count)
        let bytes = UnsafeRawBufferPointer(rebasing: server.input[..<count])
        guard pendingCount == 0 else {
            keep(bytes)
            return parsePending()
        }
        let verdict = parser.parse(bytes)
        switch verdict {
        case .head(_, let consumed):
            if consumed < count { keep(UnsafeRawBufferPointer(rebasing: bytes[consumed...])) }
        case .needMore: keep(bytes)
        case .refused: break
        }
        return verdict
    }

    private func parsePending() -> RequestParser.Verdict {
        let verdict = pending.withUnsafeBytes { parser.parse(UnsafeRawBufferPointer(rebasing: $0[pendingStart...])) }
        if case .head(_, let consumed) = verdict { consume(consumed) }
        return verdict
    }

    /// Takes `count` bytes off the front of what is pending.
    func consume(_ count: Int) {
        pendingStart += count
        if pendingStart == pending.count {
            pending = []
            pendingStart = 0
        }
    }

    /// Adds to what is pending.
    func keep(_ bytes: UnsafeRawBufferPointer) {
        if pendingStart > 0 {
            pending.removeFirst(pendingStart)
            pendingStart = 0
        }
        pending.append(contentsOf: bytes)
    }

    // MARK: - Writing at the end of a turn

    private func flushAtEndOfTurn() {
        guard !output.isEmpty else { return }
        registerForEndOfTurn()
    }

    private func registerForEndOfTurn() {
        guard !awaitsEndOfTurn else { return }
        awaitsEndOfTurn = true
        server.loop.callAtEndOfTurn(self)
    }

    /// Registers for the end of the turn: something will be written, and what comes next may suspend.
    func outputDidGrow() {
        flushAtEndOfTurn()
    }

    func turnDidEnd() {
        awaitsEndOfTurn = false
        if output.isEmpty { probe() } else { _ = writeOutput() }
    }

    /// Finds out whether a client that sends no more still reads, while its answer is being made.
    ///
    /// A client that gave its request up and closed looks as one does that has only half-closed, until something is sent to
    /// it: the kernel of the first answers with a reset, which cancels the handler. So it gets an interim answer, which any
    /// client must be able to read at any time (RFC 9110 §15.2).
    private func probe() {
        guard mayProbe, socket.hasInputEnded, output.isEmpty else { return }
        output += ResponseEncoder.continueHead
        _ = writeOutput()
    }

    /// The same if the answer takes longer than this turn. Only for jobs: without one, no turn ends.
    func probeAtEndOfTurn() {
        if mayProbe, socket.hasInputEnded { registerForEndOfTurn() }
    }
}
