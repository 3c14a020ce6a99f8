import HTTP

/// A request that an operator's command sends to the HTTP interface.
struct OperatorRequest {
    let method: HTTPMethod
    /// The path with percent-encoded segments, and the query.
    var target: String
    /// The body; `nil` for none.
    var body: [UInt8]?
    /// The media type of the body.
    var contentType = "application/json"
    /// The media types that the response may have; `nil` for any.
    var accept: String?
    /// A token to use instead of the operator's token.
    var token: String?
    /// Whether to send `If-None-Match: *`.
    var ifAbsent = false

    init(_ method: HTTPMethod, _ target: String, body: [UInt8]? = nil, token: String? = nil) {
        self.method = method
        self.target = target
        self.body = body
        self.token = token
    }
}
