import Foundation
import Testing

/// A proxy that cuts connections where a test says so.
///
/// Unchecked: mutable state is behind a lock; each connection has two threads of its own.
final class CuttingProxy: @unchecked Sendable {
    /// The fate of the next request that has a text in its head.
    enum RequestedAction {
        /// The connection is reset after the given number of bytes following the text has gone to the server.
        case cutRequest(after: Int)
        /// The connection is reset after this many bytes of the response.
        case cutAnswer(after: Int)
        /// The server gets nothing and the client waits.
        case hold
        /// The client gets this response.
        case respond(String)
    }

    private struct State {
        var actions: [(text: Data, action: RequestedAction)] = []
        var done = 0
        var connections = 0
        var requests = Data()
        var heads: [String] = []
        var isOpen = true
    }

    private let listener: Int32
    private let server: UInt16
    let port: UInt16
    /// Says each time that a request is held.
    let held: AsyncStream<Void>
    /// Yields each time that a client has closed a connection whose request is held.
    let closed: AsyncStream<Void>
    private let hold: AsyncStream<Void>.Continuation
    private let close: AsyncStream<Void>.Continuation
    private let lock = NSLock()
    private var state = State()

    /// - Parameter server: The port to which connections lead.
    init(to server: UInt16) throws {
        self.server = server
        (held, hold) = AsyncStream.makeStream(of: Void.self)
        (closed, close) = AsyncStream.makeStream(of: Void.self)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(listener >= 0)
        var address = Self.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 128) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { break }
                guard let self, self.isOpen else {
                    Foundation.close(client)
                    break
                }
                self.serve(client)
            }
            Foundation.close(descriptor)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    var url: URL { LiveServer.local(port) }
    /// How many deeds were done.
    var done: Int { lock.withLock { state.done } }
    /// How many connections have come.
    var connections: Int { lock.withLock { state.connections } }
    /// All that clients have sent.
    var requests: String { lock.withLock { String(decoding: state.requests, as: UTF8.self) } }
    /// The heads of requests, in the order in which they have come.
    var heads: [String] { lock.withLock { state.heads } }
    private var isOpen: Bool { lock.withLock { state.isOpen } }

    /// Applies an action to the next request that has a text in its head. Actions are applied in the order of their
    /// registration.
    func next(_ text: String, _ action: RequestedAction) {
        lock.withLock { state.actions.append((Data(text.utf8), action)) }
    }

    private func serve(_ client: Int32) {
        lock.withLock { state.connections += 1 }
        let upstream = server == 0 ? -1 : Self.connect(server)
        let connection = ProxyConnection(client: client, server: upstream)
        if upstream >= 0 {
            Thread.detachNewThread { connection.pumpAnswers() }
        }
        Thread.detachNewThread { [weak self] in
            while let part = connection.receive(from: client) {
                guard let self else { break }
                let action = self.lock.withLock { () -> (RequestedAction, Int)? in
                    self.state.requests.append(part)
                    if let head = Self.head(part) { self.state.heads.append(head) }
                    guard let next = self.state.actions.first, let range = part.range(of: next.text) else { return nil }
                    self.state.actions.removeFirst()
                    self.state.done += 1
                    return (next.action, range.lowerBound - part.startIndex)
                }
                switch action {
                case nil: connection.pass(part)
                case (.cutRequest(let count), let start)?: connection.pass(part, until: start + count)
                case (.cutAnswer(let count), _)?:
                    connection.cutAnswer(after: count)
                    connection.pass(part)
                case (.respond(let text), _)?: connection.send(Data(text.utf8), to: client)
                case (.hold, _)?:
                    self.hold.yield()
                    while connection.receive(from: client) != nil {}
                    self.close.yield()
                }
            }
            connection.end()
        }
    }

    /// The head of the request that begins with a part of the received bytes: clients wait for a response before the
    /// next request, and send a head in one write.
    private static func head(_ part: Data) -> String? {
        guard let end = part.range(of: Data("\r\n\r\n".utf8)),
            let head = String(data: part[..<end.lowerBound], encoding: .utf8),
            head.prefix(while: { $0 != "\r\n" }).hasSuffix(" HTTP/1.1")
        else { return nil }
        return head
    }

    private static func connect(_ port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = address(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        Foundation.close(descriptor)
        return -1
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// A connection through the proxy.
///
/// Unchecked: mutable state is behind a lock.
private final class ProxyConnection: @unchecked Sendable {
    private let client: Int32
    private let server: Int32
    private let lock = NSLock()
    /// The number of bytes of the request or the response that may still pass; `nil` is any number.
    private var requestLeft: Int?
    private var answerLeft: Int?
    private var isEnded = false

    init(client: Int32, server: Int32) {
        (self.client, self.server) = (client, server)
    }

    deinit {
        close(client)
        if server >= 0 { close(server) }
    }

    func receive(from descriptor: Int32) -> Data? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Data(buffer[..<count]) : nil
    }

    @discardableResult
    func send(_ data: Data, to descriptor: Int32) -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends a part of the request on.
    ///
    /// - Parameter end: How much of what begins here may pass.
    func pass(_ part: Data, until end: Int? = nil) {
        let (allowed, isLast) = lock.withLock { () -> (Int, Bool) in
            if let end { requestLeft = end }
            guard let left = requestLeft else { return (part.count, false) }
            requestLeft = max(0, left - part.count)
            return (min(left, part.count), left <= part.count)
        }
        if !send(part.prefix(allowed), to: server) || isLast { reset() }
    }

    func cutAnswer(after count: Int) {
        lock.withLock { answerLeft = count }
    }

    func pumpAnswers() {
        while let part = receive(from: server) {
            let (allowed, isLast) = lock.withLock { () -> (Int, Bool) in
                guard let left = answerLeft else { return (part.count, false) }
                answerLeft = max(0, left - part.count)
                return (min(left, part.count), left <= part.count)
            }
            if !send(part.prefix(allowed), to: client) { break }
            if isLast { return reset() }
        }
        end()
    }

    /// Ends the connection by RST, as a computer does after a restart. With FIN in the middle of a head
    /// FoundationNetworking ends the program (swift-corelibs-foundation, issue 5285).
    private func reset() {
        var nowhere = sockaddr()
        nowhere.sa_family = sa_family_t(AF_UNSPEC)
        for descriptor in [client, server] where descriptor >= 0 {
            // On Linux that disconnects, and wakes the reader.
            _ = Foundation.connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
        }
        end()
    }

    func end() {
        let isFirst = lock.withLock {
            defer { isEnded = true }
            return !isEnded
        }
        guard isFirst else { return }
        shutdown(client, Int32(SHUT_RDWR))
        if server >= 0 { shutdown(server, Int32(SHUT_RDWR)) }
    }
}
