public import HTTP
internal import RecordModel
internal import RecordWire

extension RecordError {
    static let consoleSessionEnded = RecordError(
        .authenticationFailed,
        "The console's session has ended: the server was started again, or 12 hours are over. Sign in again")
}

/// `/_/session`, the route that signs the console in and out. It uses `GET /users/me`, so that tokens are checked and
/// counted as on every other route.
extension RecordAPI {
    /// Returns the response to a request for `/_/session`.
    public func respondToConsole(_ request: HTTPRequest, in context: RecordAPIContext) async -> HTTPResponse {
        var response: HTTPResponse
        do {
            response = try await serveConsole(request, context)
        } catch {
            response = errorResponse(error, id: request.id)
        }
        response.fields.set(.cacheControl, "no-store")
        response.route = Self.consoleRoute
        return response
    }

    private static let consoleRoute: StaticString = "/_/session"

    private func serveConsole(_ request: HTTPRequest, _ context: RecordAPIContext) async throws -> HTTPResponse {
        guard cookie.isFromConsole(request) else {
            throw RecordError(.accessDenied, "Only the console's own page may do this")
        }
        switch request.method {
        case .get, .head:
            // For the console, which only checks its state, an anonymous caller is not an error.
            guard cookie.open(request) != nil else { return HTTPResponse(.noContent, fields: .bodyless) }
            return await who(request, request.fields, context)
        case .post:
            try requireJSONBody(request.fields)
            let bytes = try await request.body.collect(upTo: 8_192)
            let body: JSONValue
            do throws(JSONError) { body = try JSONValue.parse(bytes) } catch { throw RecordError(error) }
            guard let token = body["token"]?.string, (1...4_096).contains(token.utf8.count),
                token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { throw RecordError.badRequest("The body needs 'token', visible ASCII characters") }
            var fields = request.fields
            fields.remove(.authorization)
            fields.append(.authorization, "Bearer " + token)
            var response = await who(request, fields, context)
            if response.status == .ok { response.fields.append(.setCookie, cookie.issue(Array(token.utf8))) }
            return response
        case .delete:
            var response = HTTPResponse(.noContent, fields: .bodyless)
            response.fields.append(.setCookie, cookie.end)
            return response
        default: throw APIError.methodNotAllowed([.get, .head, .post, .delete])
        }
    }

    private func who(_ request: HTTPRequest, _ fields: HTTPFields, _ context: RecordAPIContext) async -> HTTPResponse {
        let query = request.target.rawQuery.map { "?" + $0 } ?? ""
        guard let target = RequestTarget("/users/me" + query) else {
            return errorResponse(APIError.badEncoding, id: request.id)
        }
        var asked = request
        asked.method = .get
        asked.target = target
        asked.fields = fields
        asked.body = .empty
        return await respond(to: asked, in: context)
    }
}
