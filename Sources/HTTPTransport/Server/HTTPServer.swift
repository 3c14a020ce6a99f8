import Glibc
package import HTTP
package import Sockets
import Synchronization
import Threads

/// An HTTP/1.1 server that passes the requests from its sockets to a handler.
///
/// The server runs one event loop per core, each with its own thread and context. Each connection has one task, which
/// stays on the loop's thread.
package final class HTTPServer<Handler: HTTPHandler>: Sendable {
    private struct State {
        var listening: [ListeningSocket] = []
        var loops: [ServerLoop] = []
        var hasStarted = false
    }

    private let configuration: HTTPServerConfiguration
    private let handler: Handler
    private let ledger: ConnectionCounter
    private let budget: BodyBudget
    private let state = Locked(State())

    /// Creates a server that is not started.
    package init(configuration: HTTPServerConfiguration, handler: Handler) {
        self.configuration = configuration
        self.handler = handler
        ledger = ConnectionCounter(
            maxTotal: configuration.maxConnections, maxPerPeer: configuration.maxConnectionsPerAddress)
        budget = BodyBudget(limit: configuration.maxBodyBytesInFlight)
    }

    /// The number of open connections.
    package var openConnections: Int { ledger.total }

    /// How many bytes of request bodies handlers use now.
    package var bodyBytesInFlight: Int { budget.inUse }

    /// Binds all addresses, starts the loops and begins to accept connections. Call this once.
    ///
    /// - Returns: The bound addresses in order, with the actual ports for addresses with port 0.
    /// - Throws: `ListeningFailure`, `SocketError`, or the error of the handler's `makeLoopContext`. The server then stops everything it
    ///   has started.
    package func start() throws -> [SocketAddress] {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        precondition(isFirst, "A server starts once")
        // A disconnected client must make one write fail, not end the process. The server's own writes use
        // MSG_NOSIGNAL, but the writes of libraries may not.
        signal(SIGPIPE, SIG_IGN)
        if let log = configuration.accessLog { configuration.metrics.include(log) }
        if let tls = configuration.tls { configuration.metrics.include(tls) }
        var listening: [ListeningSocket] = []
        var loops: [ServerLoop] = []
        do {
            for address in configuration.addresses {
                do throws(SocketError) {
                    listening.append(
                        try ListeningSocket(
                            address, backlog: configuration.backlog, unixMode: configuration.unixSocketMode))
                } catch {
                    throw ListeningFailure(address: address, error: error)
                }
            }
            for index in 0..<max(1, configuration.loops) { loops.append(try makeLoop(index)) }
            for loop in loops { try listen(loop, on: listening, among: loops) }
        } catch {
            for loop in loops {
                loop.loop.perform { loop.drain(within: .zero) }
                loop.loop.requestStop()
            }
            for socket in listening { socket.close() }
            throw error
        }
        state.withLock { state in
            state.listening = listening
            state.loops = loops
        }
        return listening.map(\.address)
    }

    /// Stops the server. It accepts no new connections, closes idle connections at once, and completes current requests
    /// with `Connection: close`.
    ///
    /// - Parameter grace: The time for current responses to complete. After this time, the remaining connections are
    ///   reset and their tasks are cancelled.
    package func shutdown(grace: Duration) async {
        let (listening, loops) = state.withLock { state in
            defer { (state.listening, state.loops) = ([], []) }
            return (state.listening, state.loops)
        }
        for loop in loops { await onThread(of: loop) { loop.drain(within: grace) } }
        for socket in listening { socket.close() }
        await ledger.waitUntilEmpty()
        for loop in loops { await loop.loop.stop() }
        configuration.accessLog?.flush()
    }

    private func makeLoop(_ index: Int) throws -> ServerLoop {
        let loop = try EventLoop(name: "http-\(index)", timeSlice: configuration.timeSlice, clock: configuration.clock)
        let made = Monitor<Result<ServerLoop, any Error>?>(nil)
        loop.perform { [self] in
            let result = Result {
                let context = try handler.makeLoopContext(on: loop)
                loop.beforeBlocking = { context.loopWillBlock() }
                let handler = handler
                return ServerLoop(
                    loop: loop, configuration: configuration, ledger: ledger, budget: budget,
                    respond: { await handler.respond(to: $0, in: context) },
                    reject: { await handler.rejection($0, of: $1, in: context) },
                    didFinish: { context.requestDidFinish($0) })
            }
            made.withLock { $0 = result }
            made.signal()
        }
        let result = made.wait(until: { $0 != nil }, then: { $0 })
        do {
            // The wait guarantees that `result` is set.
            guard let loop = try result?.get() else { preconditionFailure("A loop's context was not made") }
            return loop
        } catch {
            loop.requestStop()
            throw error
        }
    }

    private func listen(_ loop: ServerLoop, on sockets: [ListeningSocket], among loops: [ServerLoop]) throws {
        let failure = Monitor<SocketError??>(nil)
        let ledger = ledger
        loop.loop.perform {
            var result: SocketError?
            for socket in sockets where result == nil {
                do throws(SocketError) {
                    try loop.listen(on: socket) { [weak loop] descriptor, peer in
                        guard let loop else { return }
                        Self.place(descriptor, peer, acceptedOn: loop, among: loops, ledger)
                    }
                } catch {
                    result = error
                }
            }
            failure.withLock { $0 = .some(result) }
            failure.signal()
        }
        let result = failure.wait(until: { $0 != nil }, then: { $0 })
        if case .some(.some(let error)) = result { throw error }
    }

    /// Assigns a new connection to the loop with the fewest connections. Without this, connections would stay on the
    /// loop that accepts them. With few clients, that is always the loop that wakes up first.
    ///
    /// Idle connections count too. Round-robin is worse for short connections: a slow loop would get as many
    /// connections as before and keep them longer (measured: one loop at 84 % of a core while another was at 37 %).
    private static func place(
        _ descriptor: consuming FileDescriptor, _ peer: SocketAddress, acceptedOn loop: ServerLoop,
        among loops: [ServerLoop], _ ledger: ConnectionCounter
    ) {
        guard ledger.open(ConnectionCounter.Peer(peer)) else {
            loop.rejectConnection(descriptor, from: peer)
            return
        }
        var target = loop
        var fewest = loop.load.load(ordering: .relaxed)
        for other in loops {
            let count = other.load.load(ordering: .relaxed)
            if count < fewest { (target, fewest) = (other, count) }
        }
        target.load.add(1, ordering: .relaxed)
        if target === loop {
            loop.adopt(descriptor, from: peer)
        } else {
            let raw = descriptor.release()
            target.loop.perform { [target] in target.adopt(FileDescriptor(owning: raw), from: peer) }
        }
    }

    private func onThread(of loop: ServerLoop, _ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            loop.loop.perform {
                body()
                continuation.resume()
            }
        }
    }
}

/// Why the server cannot listen on an address.
package struct ListeningFailure: Error, Hashable, Sendable {
    /// The address.
    package let address: SocketAddress
    /// The failed system call.
    package let error: SocketError
}
