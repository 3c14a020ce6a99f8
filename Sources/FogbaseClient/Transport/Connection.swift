internal import Foundation
internal import RecordWire

/// Sends the calls of one container's clients: address, credentials, attempts, errors.
struct Connection: Sendable {
    var url: URL
    var transport: any Transport
    var tokens: any TokenStore
    var retry: RetryPolicy
    /// Which container and environment every request names.
    var scope: [(name: String, value: String)]
    /// How much the server takes at once.
    var known = KnownSizes()

    /// Sends a call until it is answered or there is no hope.
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

    /// Sends a call whose answer's body is read as it comes.
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
        // Why the token was dropped with which the call was sent first.
        var dropped: Refusal?
        while true {
            let request = try request(for: call, token: token)
            attempts += 1
            do {
                try Task.checkCancellation()
                return try await send(request)
            } catch {
                let error = Self.translate(error)
                if let ended = token, case .authenticationFailed(let refusal)? = error as? FogbaseError {
                    await tokens.forgetToken(ended)
                    token = await tokens.token()
                    // Another call may have changed the token while this one was on its way with the old one.
                    if token != nil, token != ended { continue }
                    // Reading what everybody may read goes on as a guest.
                    guard call.isForGuests, isPublic, dropped == nil else {
                        throw FogbaseError.notAuthenticated(refusal)
                    }
                    (token, dropped) = (nil, refusal)
                    continue
                }
                // A guest is denied what the user might have been allowed.
                if let dropped, let refusal = (error as? FogbaseError)?.refusal,
                    [401, 403, 404].contains(refusal.status) || refusal.cause == .tokenInvalid
                {
                    throw FogbaseError.notAuthenticated(dropped)
                }
                guard let failure = error as? FogbaseError, call.mayRepeat(after: failure) else { throw error }
                if failure.refusal?.cause == .indexBuilding, let asked = failure.retryAfter {
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

    /// Whether it is about the public database.
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
            // Whole where the server knows by which name it is called. A token goes nowhere but to the app's own address.
            let isWhole = address.hasPrefix("https://") || address.hasPrefix("http://")
            if isWhole, !call.needsToken { return address }
            // A server that knows below which path a proxy serves it names that path, others do not.
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

    /// Writes a segment of a path, or a part of a query, with nothing but unreserved characters (RFC 3986, section 2.3).
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
