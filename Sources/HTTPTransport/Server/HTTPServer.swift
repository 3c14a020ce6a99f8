import Glibc
package import HTTP
package import Sockets
import Synchronization
import Threads

/// An HTTP/1.1 server: sockets on one side, a handler on the other.
///
/// One event loop per core, each with a thread and a context of its own; one task per connection, which stays on its
/// loop's thread for life.
package final class HTTPServer<Handler: HTTPHandler>: Sendable {
    private struct State {
        var listening: [ListeningSocket] = []
        var loops: [ServerLoop] = []
        var hasStarted = false
    }

    private let configuration: HTTPServerConfiguration
    private let handler: Handler
    private let ledger: ConnectionLedger
    private let budget: BodyBudget
    private let state = Locked(State())

    /// Takes everything over and does nothing yet.
    package init(configuration: HTTPServerConfiguration, handler: Handler) {
        self.configuration = configuration
        self.handler = handler
        ledger = ConnectionLedger(
            maxTotal: configuration.maxConnections, maxPerPeer: configuration.maxConnectionsPerAddress)
        budget = BodyBudget(limit: configuration.maxBodyBytesInFlight)
    }

    /// Open connections at this moment.
    package var openConnections: Int { ledger.total }

    /// Bytes of request bodies in handlers' hands at this moment.
    package var bodyBytesInFlight: Int { budget.inUse }

    /// Binds every address, starts the loops and begins to accept. To be called once.
    ///
    /// - Returns: The bound addresses, in order, with the ports that the system chose.
    /// - Throws: `SocketError`, or what the handler's `makeLoopContext` throws; nothing is left running then.
    package func start() throws -> [SocketAddress] {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        precondition(isFirst, "A server starts once")
        // A client that has gone must be an error of one write, not the end of the process. Ours say MSG_NOSIGNAL; the
        // libraries below may not.
        signal(SIGPIPE, SIG_IGN)
        if let log = configuration.accessLog { configuration.metrics.include(log) }
        var listening: [ListeningSocket] = []
        var loops: [ServerLoop] = []
        do {
            for address in configuration.addresses {
                listening.append(try ListeningSocket(address, backlog: configuration.backlog))
            }
            for index in 0..<max(1, configuration.loops) { loops.append(try makeLoop(index)) }
            for loop in loops { try listen(loop, on: listening, among: loops) }
        } catch {
            for loop in loops {
                loop.loop.perform { loop.drain(until: .after(.zero)) }
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

    /// Stops: no new connections, idle ones are closed at once, requests in flight are answered with `Connection: close`.
    ///
    /// - Parameter grace: How long answers may take; what is left then is cut off, and its tasks are cancelled.
    package func shutdown(grace: Duration) async {
        let (listening, loops) = state.withLock { state in
            defer { (state.listening, state.loops) = ([], []) }
            return (state.listening, state.loops)
        }
        for loop in loops { await onThread(of: loop) { loop.drain(until: .after(grace)) } }
        for socket in listening { socket.close() }
        await ledger.waitUntilEmpty()
        for loop in loops { await loop.loop.stop() }
        configuration.accessLog?.flush()
    }

    private func makeLoop(_ index: Int) throws -> ServerLoop {
        let loop = try EventLoop(name: "http-\(index)", timeSlice: configuration.timeSlice)
        let made = Monitor<Result<ServerLoop, any Error>?>(nil)
        loop.perform { [self] in
            let result = Result {
                let context = try handler.makeLoopContext()
                loop.beforeBlocking = { context.loopWillBlock() }
                let handler = handler
                return ServerLoop(
                    loop: loop, configuration: configuration, ledger: ledger, budget: budget,
                    respond: { await handler.respond(to: $0, in: context) },
                    refuse: { handler.refusal($0, id: $1) },
                    didFinish: { context.requestDidFinish($0) })
            }
            made.withLock { $0 = result }
            made.signal()
        }
        let result = made.wait(until: { $0 != nil }, then: { $0 })
        do {
            // The wait has seen that it is there.
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

    /// Gives a new connection to the loop that has the fewest: whichever loop wakes first accepts, and with few clients
    /// that is always the same one.
    ///
    /// Connections that idle count like others. Loops that take turns instead are worse where connections come and go: one
    /// that falls behind gets as many as before, and keeps them for longer (measured: 84 % of a core beside 37 %).
    private static func place(
        _ descriptor: consuming FileDescriptor, _ peer: SocketAddress, acceptedOn loop: ServerLoop,
        among loops: [ServerLoop], _ ledger: ConnectionLedger
    ) {
        guard ledger.open(ConnectionLedger.Peer(peer)) else {
            loop.turnAway(descriptor)
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
