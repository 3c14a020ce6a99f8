/// The handler that an HTTP server calls for each request.
public protocol HTTPHandler: Sendable {
    associatedtype LoopContext: HTTPLoopContext

    /// Creates the state of one event loop, such as its database readers. The server calls this once per loop, on the
    /// loop's thread.
    ///
    /// - Parameter executor: The executor of the loop's thread.
    /// - Throws: Any error that prevents the handler from working; the server then does not start.
    func makeLoopContext(on executor: any TaskExecutor) throws -> LoopContext

    /// Returns the response to a request. Runs on the event loop's thread: the handler may suspend but must not block.
    func respond(to request: HTTPRequest, in context: LoopContext) async -> HTTPResponse

    /// Returns the response to a message that did not reach `respond` because of a malformed head, an exceeded limit or
    /// a timeout. The transport closes the connection after sending the response.
    ///
    /// - Parameter request: What is known of the message, without its body; see `RejectedHead`. The target is `*` if it
    ///   is unknown.
    func rejection(
        _ rejection: HTTPRejection, of request: HTTPRequest, in context: LoopContext
    ) async -> HTTPResponse
}

/// The handler's state for one event loop, used only on the loop's thread.
public protocol HTTPLoopContext: Sendable {
    /// Called when the loop is about to wait for events. Release resources that must not be held during the wait.
    func loopWillBlock()

    /// Called when the transport has passed a whole response to the socket.
    func requestDidFinish(_ summary: HTTPRequestSummary)
}

extension HTTPLoopContext {
    /// Does nothing.
    public func loopWillBlock() {}
    /// Does nothing.
    public func requestDidFinish(_ summary: HTTPRequestSummary) {}
}

/// The facts about one request that metrics and the access log use.
public struct HTTPRequestSummary: Sendable {
    /// The request method.
    public var method: HTTPMethod
    /// The name of the matched route.
    public var route: StaticString
    /// The response status.
    public var status: HTTPStatus
    /// The time from the last byte of the head to the last response byte passed to the socket, in nanoseconds.
    public var nanoseconds: UInt64
    /// The size of the request body as received, before decoding, in bytes.
    public var requestBytes: Int
    /// The size of the response including its head, in bytes.
    public var responseBytes: Int

    /// Creates a summary of one request.
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

/// A rejection by the HTTP engine: a status, and a sentence that describes the error and its fix.
public struct HTTPRejection: Error, Hashable, Sendable {
    /// The response status.
    public var status: HTTPStatus
    /// The sentence for the client.
    public var reason: String

    /// Creates a rejection from a status and a sentence.
    public init(_ status: HTTPStatus, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}
