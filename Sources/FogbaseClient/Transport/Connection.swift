internal import Foundation
internal import RecordWire

/// The connection of a client to its server. It adds the address and the token to calls, retries calls, and translates
/// errors.
struct Connection: Sendable {
    var url: URL
    var transport: any Transport
    var tokens: any TokenStore
    var retry: RetryPolicy
    var streaming = StreamPolicy()
    /// The query parameters for the container and environment, sent with every request.
    var scope: [(name: String, value: String)]
    /// The cached request sizes of the server.
    var known = RequestSizeCache()

    /// Sends a call, with retries.
    ///
    /// - Throws: `FogbaseError`, or `CancellationError`.
    func send(_ call: Call) async throws -> TransportResponse {
        try await attempt(call) { request in
            let response = try await transport.send(request)
            guard (200..<300).contains(response.status) || call.accepts.contains(response.status) else {
                throw FogbaseError(response)
            }
            return response
        }
    }

    /// Sends a call and streams the body of the response.
    ///
    /// - Throws: `FogbaseError` or `CancellationError`. The stream throws `TransportError`.
    func stream(_ call: Call) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
        try await attempt(call) { request in
            let (head, parts) = try await transport.stream(request)
            guard (200..<300).contains(head.status) || call.accepts.contains(head.status) else {
                var response = head
                for try await part in parts { response.body.append(part) }
                throw FogbaseError(response)
            }
            return (head, parts)
        }
    }

    private func attempt<Value: Sendable>(
        _ call: Call, _ send: (TransportRequest) async throws -> Value
    ) async throws -> Value {
        var attempts = 0
        var indexWaits: [Duration] = []
        var token = call.needsToken ? await tokens.token() : nil
        // The error for the call's first token, if the client repeats the call without a token.
        var dropped: ServerError?
        while true {
            let request = try request(for: call, token: token)
            attempts += 1
            do {
                try Task.checkCancellation()
                return try await send(request)
            } catch {
                let error = Self.translate(error)
                if let ended = token, case .authenticationFailed(let rejection)? = error as? FogbaseError {
                    await tokens.forgetToken(ended)
                    token = await tokens.token()
                    // Another call can have replaced the token while this call was running. Then repeat this call with
                    // the new token.
                    if token != nil, token != ended { continue }
                    // Reads of public records continue without a token.
                    guard call.isForGuests, isPublic, dropped == nil else {
                        throw FogbaseError.notAuthenticated(rejection)
                    }
                    (token, dropped) = (nil, rejection)
                    continue
                }
                // If the server denies the request because of the missing token, report the end of the session instead.
                if let dropped, let rejection = (error as? FogbaseError)?.serverError,
                    [401, 403, 404].contains(rejection.status) || rejection.cause == .tokenInvalid
                {
                    throw FogbaseError.notAuthenticated(dropped)
                }
                guard let failure = error as? FogbaseError, call.mayRepeat(after: failure) else { throw error }
                if failure.serverError?.cause == .indexBuilding, let asked = failure.retryAfter {
                    let spent = indexWaits.reduce(.zero, +)
                    guard let delay = retry.delay(forIndex: indexWaits.count, spent: spent, asked: asked) else {
                        throw error
                    }
                    indexWaits.append(delay)
                    attempts -= 1
                    try await retry.sleep(delay)
                } else {
                    guard let delay = retry.delay(after: attempts, asked: failure.retryAfter) else { throw error }
                    try await retry.sleep(delay)
                }
            }
        }
    }

    /// Whether the connection is for the public database.
    private var isPublic: Bool { !scope.contains { $0.name == "database" } }

    private static func translate(_ error: any Error) -> any Error {
        switch error as? TransportError {
        case .unreachable(let why): FogbaseError.unreachable(why)
        case .responseLost(let why): FogbaseError.responseLost(why)
        case nil: error
        }
    }

    private func request(for call: Call, token: String?) throws -> TransportRequest {
        let text = address(of: call)
        guard let url = URL(string: text) else { throw FogbaseError.invalidArgument("'\(text)' is no address") }
        var request = TransportRequest(method: call.method, url: url, fields: call.fields, body: call.body)
        if let timeout = call.timeout { request.timeout = timeout }
        if let type = call.contentType { request.fields.append(("Content-Type", type)) }
        if let key = call.idempotencyKey { request.fields.append(("Idempotency-Key", key)) }
        if let token { request.fields.append(("Authorization", "Bearer \(token)")) }
        return request
    }

    private func address(of call: Call) -> String {
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        if let address = call.address {
            // A server that knows its own name sends a complete URL. The client sends the token only to the address
            // that the app gave.
            let isWhole = address.hasPrefix("https://") || address.hasPrefix("http://")
            if isWhole, !call.needsToken { return address }
            // A server includes its proxy path in `address` only if the server knows the path.
            let base = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
            if !base.isEmpty, address.hasPrefix(base + "/"), text.hasSuffix(base) { text.removeLast(base.count) }
            return text + address
        }
        text += "/" + call.path.map(Self.encode).joined(separator: "/")
        let query = scope + call.query
        if !query.isEmpty {
            text += "?" + query.map { Self.encode($0.name) + "=" + Self.encode($0.value) }.joined(separator: "&")
        }
        return text
    }

    /// Returns a path segment or query part with all but unreserved characters percent-encoded (RFC 3986, section 2.3).
    static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }
}
