import Compression
import Glibc
import HTTP
import Sockets
import Synchronization
import Threads

/// The state that all connections of one event loop share.
///
/// Unchecked: all state except for the constants and `load` is used on the loop's thread only.
final class ServerLoop: @unchecked Sendable {
    let loop: EventLoop
    let configuration: HTTPServerConfiguration
    let ledger: ConnectionCounter
    let budget: BodyBudget
    let metrics: MetricsShard
    let handshakes: HandshakeQueue
    /// The number of connections of the loop. New connections go to the loop with the lowest number.
    let load = Atomic<Int>(0)

    /// The handler with the context of this loop. It is type-erased once instead of for each call.
    let respond: @Sendable (HTTPRequest) async -> HTTPResponse
    let reject: @Sendable (HTTPRejection, HTTPRequest) async -> HTTPResponse
    let didFinish: @Sendable (HTTPRequestSummary) -> Void

    /// The maximum number of unsent bytes that the kernel queues for one client. By default, the kernel keeps up to 4
    /// MiB for each client that does not read. A thousand such clients use up the limit for all connections of the
    /// machine. A client that reads causes a wake-up at half of this limit.
    private static let maxUnsentBytes: Int32 = 128 << 10

    /// The buffer for reads from all sockets of the loop. Data that must survive the next suspension is copied out of
    /// it. Most requests need no such copy, so an idle connection has no buffer.
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    var requestIDs = RequestIDs()
    private(set) var isDraining = false
    private var connections: [HTTPConnection] = []
    /// The bytes of responses that wait for clients, and the limit of this loop in bytes.
    var heldBytes = 0
    let maxHeldBytes: Int
    /// The initial value of the timeout of a request body.
    let bodyTimeout: TransferTimeout
    /// The initial value of the timeout of a response.
    let writeTimeout: TransferTimeout
    private var listeners: [LoopListener] = []
    /// The number of connections beyond a limit that wait for their requests.
    private var waitingRejections = 0
    private static let maxWaitingRejections = 64
    private static let rejectedRequestTime = Duration.seconds(1)
    private var graceAlarm: LoopTimer?
    /// The sources of open event streams, and the timer that calls their `tick`.
    private var eventSources: [ObjectIdentifier: any HTTPEventSource] = [:]
    private var eventTimer: LoopTimer?
    private var outputs: [[UInt8]] = []
    /// One encoder that is kept for reuse, and the number of all encoders.
    private var idleEncoder: GzipEncoder?
    private var encoderCount = 0
    /// The maximum number of encoders; each uses 280 KB. If all are in use, a response is sent uncompressed, because
    /// more encoders would only delay all of them.
    private static let maxEncoders = 8
    private var dateText: [UInt8] = []
    private var dateSecond: Int64 = .min

    init(
        loop: EventLoop, configuration: HTTPServerConfiguration, ledger: ConnectionCounter, budget: BodyBudget,
        respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
        reject: @escaping @Sendable (HTTPRejection, HTTPRequest) async -> HTTPResponse,
        didFinish: @escaping @Sendable (HTTPRequestSummary) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.ledger = ledger
        self.budget = budget
        self.respond = respond
        self.reject = reject
        self.didFinish = didFinish
        // With many loops, each share must still be large enough for the largest responses.
        let share = max(configuration.maxResponseBytesInFlight / max(1, configuration.loops), 64 << 20)
        maxHeldBytes = min(configuration.maxResponseBytesInFlight, share)
        let timeout = { (allowance: Duration) in
            TransferTimeout(
                allowance: allowance.clampedNanoseconds, bytesPerSecond: configuration.minimumBytesPerSecond)
        }
        bodyTimeout = timeout(configuration.deadlines.body)
        writeTimeout = timeout(configuration.deadlines.write)
        metrics = configuration.metrics.makeShard()
        handshakes = HandshakeQueue(on: loop)
    }

    deinit {
        input.deallocate()
    }

    // MARK: Connections

    /// Starts to accept connections from `socket` and passes them to `place`.
    ///
    /// - Throws: `SocketError` if the loop cannot watch the socket.
    func listen(on socket: ListeningSocket, place: @escaping (consuming FileDescriptor, SocketAddress) -> Void)
        throws(SocketError)
    {
        listeners.append(try LoopListener(socket, on: loop, accept: place))
    }

    /// Serves a connection that is already counted.
    func adopt(_ descriptor: consuming FileDescriptor, from peer: SocketAddress) {
        guard let socket = try? LoopSocket(descriptor, on: loop) else {
            load.subtract(1, ordering: .relaxed)
            ledger.close(ConnectionCounter.Peer(peer))
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

    /// Sends 503 to a connection that exceeds a limit, and closes the connection.
    ///
    /// The request is read first, because closing a socket with unread bytes would reset the connection and destroy the
    /// response. It also tells which page has sent it. Few connections may wait for their requests, and not for long.
    func rejectConnection(_ descriptor: consuming FileDescriptor, from peer: SocketAddress) {
        metrics.connectionWasRejected()
        // Over TLS, the response would cost more than the request.
        guard !isEncrypted(peer) else { return }
        guard let socket = try? LoopSocket(descriptor, on: loop) else { return }
        let count = receive(from: socket)
        guard count == 0, waitingRejections < Self.maxWaitingRejections else {
            return respondRejecting(socket, from: peer, request: count)
        }
        waitingRejections += 1
        socket.whenReadable(until: .after(Self.rejectedRequestTime, from: loop.time)) { [self] _ in
            waitingRejections -= 1
            respondRejecting(socket, from: peer, request: receive(from: socket))
        }
    }

    /// Whether a connection from `peer` begins with a TLS handshake.
    func isEncrypted(_ peer: SocketAddress) -> Bool {
        if case .unix = peer { return false }
        return configuration.tls != nil
    }

    /// Reads what has arrived into `input`, and returns the number of bytes.
    private func receive(from socket: LoopSocket) -> Int {
        if case .bytes(let count) = socket.read(into: input) { return count }
        return 0
    }

    /// For a browser's `EventSource` each status but 200 is final, and a lost connection is not. So a request for
    /// server-sent events gets no response.
    private func respondRejecting(_ socket: LoopSocket, from peer: SocketAddress, request count: Int) {
        var head = RejectedHead()
        head.read(UnsafeRawBufferPointer(rebasing: input[..<count]))
        guard !head.fields.acceptsEventStream else { return socket.close() }
        let request = self.request(
            rejected: head, from: (peer.host, peer.ipAddress), id: requestIDs.id(for: head.fields))
        Task(executorPreference: loop) { [self] in
            let rejection = HTTPRejection(.serviceUnavailable, "Too many connections; try again later.")
            respond(on: socket, with: await reject(rejection, request), to: request)
        }
    }

    private func respond(on socket: LoopSocket, with response: HTTPResponse, to request: HTTPRequest) {
        defer { socket.close() }
        var response = response
        response.closesConnection = true
        if !response.ownsOrigins { configuration.cors.apply(to: &response, for: request) }
        var output: [UInt8] = []
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        ResponseEncoder.appendHead(
            response, contentLength: body.count, date: date, requestID: request.id, keepAlive: false, version: .http11,
            to: &output)
        output += body
        _ = output.withUnsafeBytes { socket.write($0) }
        socket.finishWriting()
        _ = socket.discard(through: input)
    }

    /// Removes a connection that has ended. A second call does nothing.
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

    /// Returns all writers except `writer` that hold response bodies.
    func holders(besides writer: ResponseWriter) -> [ResponseWriter] {
        connections.compactMap { $0.writer.heldBytes > 0 && $0.writer !== writer ? $0.writer : nil }
    }

    /// Accepts the connections that already wait, then stops accepting. Closes idle connections. After the grace
    /// period, aborts all other connections.
    func drain(within grace: Duration) {
        isDraining = true
        graceAlarm = LoopTimer(on: loop, at: .after(grace, from: loop.time)) { [weak self] in self?.abort() }
        for listener in listeners {
            listener.stop()
            listener.acceptWaiting(limit: configuration.maxConnections)
        }
        // The closures of the listeners retain all loops.
        listeners = []
        for connection in connections { connection.serverWillStop() }
    }

    /// Ends all connections immediately.
    private func abort() {
        for connection in connections { connection.abort() }
    }

    // MARK: Event streams

    /// Adds the source of an event stream, which gets a tick each second.
    func didOpen(_ source: any HTTPEventSource) {
        eventSources[ObjectIdentifier(source)] = source
        if eventTimer == nil { armEventTimer() }
        if isDraining { source.serverWillStop() }
    }

    /// Removes the source of an event stream that has ended.
    func didClose(_ source: any HTTPEventSource) {
        eventSources[ObjectIdentifier(source)] = nil
    }

    private func armEventTimer() {
        eventTimer = LoopTimer(on: loop, at: .after(.seconds(1), from: loop.time)) { [weak self] in
            guard let self else { return }
            eventTimer = nil
            let now = loop.time
            for source in eventSources.values { source.tick(now: now) }
            if !eventSources.isEmpty { armEventTimer() }
        }
    }

    // MARK: Resources for responses

    /// The value of the `Date` field, updated once per second.
    var date: [UInt8] {
        let second = WallClock.seconds
        if second != dateSecond {
            dateSecond = second
            dateText = HTTPDate.text(unixSeconds: second)
        }
        return dateText
    }

    /// Returns an empty buffer for responses. A reused buffer keeps its capacity.
    func takeOutput() -> [UInt8] {
        outputs.popLast() ?? []
    }

    /// Keeps a response buffer for reuse, unless the buffer has grown large.
    func giveBack(_ buffer: inout [UInt8]) {
        if buffer.capacity <= 128 << 10, outputs.count < 16 {
            buffer.removeAll(keepingCapacity: true)
            outputs.append(buffer)
        }
        buffer = []
    }

    /// Returns a gzip encoder for a response; `nil` if all are in use.
    func takeEncoder() -> GzipEncoder? {
        if let idle = idleEncoder.take() { return idle }
        guard encoderCount < Self.maxEncoders, let new = try? GzipEncoder(level: configuration.compressionLevel) else {
            return nil
        }
        encoderCount += 1
        return new
    }

    /// Makes an encoder available for the next response. The encoder must be reset to the start of a gzip member.
    func giveBack(_ encoder: GzipEncoder) {
        if idleEncoder == nil { idleEncoder = encoder } else { encoderCount -= 1 }
    }
}

// MARK: - Requests

extension ServerLoop {
    /// Creates the request that handlers get. Its client is the address that a trusted proxy reports, or else the peer.
    func request(
        _ method: HTTPMethod, _ target: RequestTarget, _ fields: HTTPFields, _ body: HTTPRequestBody,
        from peer: (text: String, address: IPAddress?), id: String
    ) -> HTTPRequest {
        var client = peer
        let proxies = configuration.trustedProxies
        if !proxies.isEmpty, let named = proxies.client(of: fields, peer: peer.address) {
            client = ("\(named)", named)
        }
        let base = configuration.basePath
        return HTTPRequest(
            method: method, target: base.isEmpty ? target : target.below(base), fields: fields, body: body,
            remoteAddress: client.text, client: client.address, id: id)
    }

    /// Creates the request that stands for a rejected head.
    func request(
        rejected head: RejectedHead, from peer: (text: String, address: IPAddress?), id: String
    ) -> HTTPRequest {
        request(head.method, head.target ?? .server, head.fields, .empty, from: peer, id: id)
    }
}
