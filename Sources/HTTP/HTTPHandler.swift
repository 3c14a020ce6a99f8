/// What an HTTP server calls for each request.
public protocol HTTPHandler: Sendable {
    associatedtype LoopContext: HTTPLoopContext

    /// Makes what one event loop owns, such as its database readers. Called once per loop, on the loop's own thread.
    func makeLoopContext() throws -> LoopContext

    /// Answers a request. Runs on the event loop's thread: it may suspend, and must not block.
    func respond(to request: HTTPRequest, in context: LoopContext) async -> HTTPResponse

    /// The answer to a request that never reached `respond`: a malformed head, a limit, a timeout. The transport
    /// closes the connection after it.
    func refusal(_ refusal: HTTPRefusal, id: String) -> HTTPResponse
}

/// The state that belongs to one event loop and is touched on its thread only.
public protocol HTTPLoopContext: Sendable {
    /// The loop has nothing to do and is about to wait: whatever should not outlive a moment of idleness ends here.
    func loopWillBlock()

    /// An answer has been handed to the socket.
    func requestDidFinish(_ summary: HTTPRequestSummary)
}

extension HTTPLoopContext {
    public func loopWillBlock() {}
    public func requestDidFinish(_ summary: HTTPRequestSummary) {}
}

/// What metrics and the access log want to know of one request.
public struct HTTPRequestSummary: Sendable {
    public var method: HTTPMethod
    public var route: StaticString
    public var status: HTTPStatus
    /// From the last byte of the head to the answer's last byte handed to the socket, in nanoseconds.
    public var nanoseconds: UInt64
    public var requestBytes: Int
    public var responseBytes: Int

    public init(
        method: HTTPMethod, route: StaticString, status: HTTPStatus, nanoseconds: UInt64, requestBytes: Int,
        responseBytes: Int
    ) {
        self.method = method
        self.route = route
        self.status = status
        self.nanoseconds = nanoseconds
        self.requestBytes = requestBytes
        self.responseBytes = responseBytes
    }
}

/// A refusal by the HTTP engine itself: the status and a sentence that says what was wrong and what to do.
public struct HTTPRefusal: Error, Hashable, Sendable {
    public var status: HTTPStatus
    public var reason: String

    public init(_ status: HTTPStatus, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}
