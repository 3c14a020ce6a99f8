import Compression
import Glibc
import HTTP
import Sockets
import Synchronization
import Threads

/// What the connections of one event loop share.
///
/// Unchecked: touched on the loop's thread only, apart from the constants and `load`.
final class ServerLoop: @unchecked Sendable {
    let loop: EventLoop
    let configuration: HTTPServerConfiguration
    let ledger: ConnectionLedger
    let budget: BodyBudget
    let metrics: MetricsShard
    /// How many connections the loop has, so that new ones go where there are fewest.
    let load = Atomic<Int>(0)

    /// The handler with this loop's context, its types erased once instead of at each call.
    let respond: @Sendable (HTTPRequest) async -> HTTPResponse
    let refuse: @Sendable (HTTPRefusal, String) -> HTTPResponse
    let didFinish: @Sendable (HTTPRequestSummary) -> Void

    /// What the kernel keeps for a client that has not been sent yet. Left to itself it keeps up to 4 MiB for each client that
    /// reads nothing, a thousand of whom then use up what all connections of the machine may have together. A client that
    /// reads is woken for at half of it.
    private static let maxUnsentBytes: Int32 = 128 << 10

    /// Where sockets are read into. What must outlive the next suspension is copied out, which for most requests is
    /// nothing; so an idle connection has no buffer.
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    var requestIDs = RequestIDs()
    private(set) var isDraining = false
    private var connections: [HTTPConnection] = []
    /// Bytes of answers that wait for clients, and their bound: this loop's share.
    var heldBytes = 0
    let maxHeldBytes: Int
    /// How long a body is waited for.
    let bodyTimeout: TransferTimeout
    /// How long a client is waited for that takes an answer.
    let writeTimeout: TransferTimeout
    private var listeners: [LoopListener] = []
    private var graceAlarm: LoopAlarm?
    private var outputs: [[UInt8]] = []
    /// An encoder that nobody has is kept, and how many there are in all.
    private var idleEncoder: GzipEncoder?
    private var encoderCount = 0
    /// Each holds 280 KB. One more answer goes out as it is: compressing it would only make all of them later.
    private static let maxEncoders = 8
    private var dateText: [UInt8] = []
    private var dateSecond: Int64 = .min

    init(
        loop: EventLoop, configuration: HTTPServerConfiguration, ledger: ConnectionLedger, budget: BodyBudget,
        respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
        refuse: @escaping @Sendable (HTTPRefusal, String) -> HTTPResponse,
        didFinish: @escaping @Sendable (HTTPRequestSummary) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.ledger = ledger
        self.budget = budget
        self.respond = respond
        self.refuse = refuse
        self.didFinish = didFinish
        // On many cores a share must still hold the largest answers.
        let share = max(configuration.maxAnswerBytesInFlight / max(1, configuration.loops), 64 << 20)
        maxHeldBytes = min(configuration.maxAnswerBytesInFlight, share)
        let timeout = { (allowance: Duration) in
            TransferTimeout(
                allowance: allowance.clampedNanoseconds, bytesPerSecond: configuration.minimumBytesPerSecond)
        }
        bodyTimeout = timeout(configuration.deadlines.body)
        writeTimeout = timeout(configuration.deadlines.write)
        metrics = configuration.metrics.makeShard()
    }

    deinit {
        input.deallocate()
    }

    // MARK: Connections

    /// Starts to accept from `socket`; each connection goes to `place`.
    func listen(on socket: ListeningSocket, place: @escaping (consuming FileDescriptor, SocketAddress) -> Void)
        throws(SocketError)
    {
        listeners.append(try LoopListener(socket, on: loop, accept: place))
    }

    /// Serves a connection that the ledger has counted.
    func adopt(_ descriptor: consuming FileDescriptor, from peer: SocketAddress) {
        guard let socket = try? LoopSocket(descriptor, on: loop) else {
            load.subtract(1, ordering: .relaxed)
            ledger.close(ConnectionLedger.Peer(peer))
            return
        }
        if case .unix = peer {
        } else {
            socket.disableDelay()
            socket.limitUnsent(Self.maxUnsentBytes)
        }
        let connection = HTTPConnection(socket, peer: peer, on: self)
        connection.index = connections.count
        connections.append(connection)
        metrics.connectionDidOpen()
        connection.start()
    }

    /// Answers 503 to a connection too many, as cheaply as it can be done, and closes it.
    func turnAway(_ descriptor: consuming FileDescriptor) {
        metrics.connectionWasRefused()
        var response = refuse(HTTPRefusal(.serviceUnavailable, "Too many connections; try again later."), "")
        response.closesConnection = true
        var output: [UInt8] = []
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        ResponseEncoder.appendHead(
            response, contentLength: body.count, date: date, requestID: "", keepAlive: false, version: .http11,
            to: &output)
        output += body
        let raw = descriptor.raw
        _ = output.withUnsafeBytes { send(raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        shutdown(raw, Int32(SHUT_WR))
        // What has come of the request is read: closing over unread bytes resets the connection, and the answer with it.
        _ = recv(raw, input.baseAddress, input.count, 0)
    }

    /// Forgets a connection that has ended. A second call does nothing.
    func remove(_ connection: HTTPConnection) {
        let index = connection.index
        guard index >= 0 else { return }
        connection.index = -1
        let last = connections.removeLast()
        if last !== connection {
            connections[index] = last
            last.index = index
        }
        load.subtract(1, ordering: .relaxed)
        metrics.connectionDidClose()
        ledger.close(connection.ledgerPeer)
    }

    /// The writers that hold answers.
    func holders(besides writer: ResponseWriter) -> [ResponseWriter] {
        connections.compactMap { $0.writer.heldBytes > 0 && $0.writer !== writer ? $0.writer : nil }
    }

    /// Stops accepting once those have been taken who waited already, and sends idle connections home; at the deadline the
    /// others, too.
    func drain(until deadline: Deadline) {
        isDraining = true
        graceAlarm = LoopAlarm(on: loop, at: deadline) { [weak self] in self?.abort() }
        for listener in listeners {
            listener.stop()
            listener.acceptWaiting(limit: configuration.maxConnections)
        }
        // Their closures hold all loops.
        listeners = []
        for connection in connections { connection.serverWillStop() }
    }

    /// Ends every connection now.
    private func abort() {
        for connection in connections { connection.abort() }
    }

    // MARK: What answers need

    /// The time for `Date`, made once per second.
    var date: [UInt8] {
        let second = WallClock.seconds
        if second != dateSecond {
            dateSecond = second
            dateText = HTTPDate.text(unixSeconds: second)
        }
        return dateText
    }

    /// An empty buffer for answers, with capacity from its last use.
    func takeOutput() -> [UInt8] {
        outputs.popLast() ?? []
    }

    /// Keeps a buffer for the next connection that answers, unless it has grown large.
    func giveBack(_ buffer: inout [UInt8]) {
        if buffer.capacity <= 128 << 10, outputs.count < 16 {
            buffer.removeAll(keepingCapacity: true)
            outputs.append(buffer)
        }
        buffer = []
    }

    /// An encoder for an answer; `nil` if all are in use.
    func takeEncoder() -> GzipEncoder? {
        if let idle = idleEncoder.take() { return idle }
        guard encoderCount < Self.maxEncoders, let new = try? GzipEncoder(level: configuration.compressionLevel) else {
            return nil
        }
        encoderCount += 1
        return new
    }

    /// Takes back an encoder that is at the beginning of a member.
    func giveBack(_ encoder: GzipEncoder) {
        if idleEncoder == nil { idleEncoder = encoder } else { encoderCount -= 1 }
    }
}
