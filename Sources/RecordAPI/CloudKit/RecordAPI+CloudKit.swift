internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire
internal import Threads

/// The steps that are the same for every request of CloudKit Web Services: match, count, authenticate, admit, call the
/// handler, translate errors, and add the fields of the response.
extension RecordAPI {
    /// Returns the response to a request whose path belongs to CloudKit Web Services.
    func respondToCloudKit(
        _ request: HTTPRequest, _ context: RecordAPIContext, _ note: inout RequestNote
    ) async -> HTTPResponse {
        var exchange = CloudKitExchange(request)
        var response: HTTPResponse
        // These paths name no records and no zones.
        note.isPrivate = false
        switch cloudKit.match(request.method, request.target) {
        case .found(let number, let name, let parameters):
            let route = cloudKit.routes[number]
            exchange.isForAnyOrigin = route.callers == .holders
            var rate = RateTicket(limiter, route.rate, from: request.client)
            do {
                response = try await respond(route, request, parameters, context, &rate, &exchange, &note)
            } catch {
                note.error(error)
                response = cloudKitErrorResponse(
                    error, id: request.id, redirectURL: exchange.signInURL(baseURL(for: request)))
                // The URL was wrong, so the API token has not been read.
                if exchange.path == nil { await exchange.findOrigins(in: context) }
            }
            rate.append(to: &response.fields, of: response.status)
            response.route = name
            response.hidesPath = route.callers == .holders
        case .methodNotAllowed(let methods):
            await exchange.findOrigins(in: context)
            if request.method == .options {
                response = exchange.preflight(methods)
            } else {
                response = cloudKitErrorResponse(
                    note.error(APIError.methodNotAllowed(methods)), id: request.id, redirectURL: nil)
            }
        case .notFound:
            let error = RecordError(.notFound, CloudKitReason.noHandler)
            response = await exchange.reject(in: context) {
                cloudKitErrorResponse(note.error(error), id: request.id, redirectURL: nil)
            }
        case .badEncoding:
            response = await exchange.reject(in: context) {
                cloudKitErrorResponse(note.error(APIError.badEncoding), id: request.id, redirectURL: nil)
            }
        }
        exchange.finish(&response)
        return response
    }

    /// Handles a request that matches a route.
    ///
    /// - Throws: Any error. The caller converts it with `cloudKitErrorResponse`.
    private func respond(
        _ route: CloudKitRoute, _ request: HTTPRequest, _ parameters: RouteParameters, _ context: RecordAPIContext,
        _ rate: inout RateTicket, _ exchange: inout CloudKitExchange, _ note: inout RequestNote
    ) async throws -> HTTPResponse {
        let path = try CloudKitPath(parameters, of: route)
        let reader = try await context.reader(opening: path.id)
        note.database = path.id
        exchange.path = path
        try reader.refresh()
        let (credential, body) = try await counting(&rate, reader) {
            try await authenticate(route, request, reader, &exchange)
        }
        let caller = try counting(&rate, reader) { () throws(RecordError) in try credential.caller(reader) }
        note.caller = caller
        exchange.nextWebAuthToken = credential.nextWebAuthToken(reader)
        try rate.admit(caller, of: reader.database)
        try route.admit(caller, to: path.database)
        guard
            route.callers == .holders
                || Authorization.authorize(
                    caller, entering: reader.database.environment, isDevelopmentOpen: configuration.isDevelopmentOpen)
                    == .allowed
        else { throw RecordError.cloudKitUserNeeded }
        var call = CloudKitCall(
            request: request, path: path, parameters: parameters, context: context, reader: reader,
            credential: credential, caller: caller,
            rightsVersion: reader.rightsVersion, rate: rate, operation: route.id, receivedBody: body)
        defer { rate = call.rate }
        do {
            return try await route.handler(&call)
        } catch {
            if case .service(let key) = call.caller, let error = error as? RecordError,
                error.isBeyondScope(of: key, nil)
            {
                call.noteOutOfScope(key, nil)
            }
            throw error
        }
    }

    /// Verifies the credentials of a request.
    ///
    /// - Returns: The credential, and the body if it had to be read.
    /// - Throws: AUTHENTICATION_FAILED; AUTHENTICATION_REQUIRED for a web auth token that is not valid; the errors of
    ///   reading the body.
    private func authenticate(
        _ route: CloudKitRoute, _ request: HTTPRequest, _ reader: RecordReader, _ exchange: inout CloudKitExchange
    ) async throws -> (CloudKitCredential, body: [UInt8]?) {
        guard route.callers != .holders else { return (.url, nil) }
        let credentials = CloudKitRequestCredentials(request)
        guard credentials.isSigned else {
            let token = try credentials.apiToken(reader)
            exchange.token = token
            try exchange.requireOrigin()
            guard credentials.namesUser else { return (.token(token), nil) }
            guard let credential = credentials.user(token, reader) else {
                throw RecordError.cloudKitUserNeeded
            }
            return (credential, nil)
        }
        let (signature, key) = try credentials.signature(reader, now: WallClock.milliseconds)
        // The signature covers the bytes of the body, so it is verified before the body is decoded.
        let body = try await request.body.collect(upTo: reader.database.limits.bodyBytes)
        guard signature.isValid(body: body, target: request.target, basePath: basePath, key: key.publicKey) else {
            throw RecordError.cloudKitSignatureRejected
        }
        // Reading the body may have suspended. `CloudKitCredential.caller` looks the key up again.
        try reader.refresh()
        return (.key(signature.keyID), body)
    }

    /// Runs an authentication and counts a failure by the client's address, as the native interface does.
    ///
    /// - Throws: The error of `body`, or THROTTLED after too many failures.
    private func counting<Value>(
        _ rate: inout RateTicket, _ reader: RecordReader, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as RecordError {
            try Self.count(error, &rate)
            throw error
        }
    }

    private func counting<Value>(
        _ rate: inout RateTicket, _ reader: RecordReader, _ body: () throws(RecordError) -> Value
    ) throws(RecordError) -> Value {
        do throws(RecordError) {
            return try body()
        } catch {
            try Self.count(error, &rate)
            throw error
        }
    }

    /// Counts a failed credential: one that is wrong, and a web auth token whose session has ended.
    private static func count(_ error: RecordError, _ rate: inout RateTicket) throws(RecordError) {
        guard error.code == .authenticationFailed || error.code == .authenticationRequired else { return }
        try rate.countFailedCredential()
    }

    /// Returns the URL of the server as a client uses it, without a trailing slash: the public URL, or else the host
    /// of the request.
    func baseURL(for request: HTTPRequest) -> String {
        if let url = configuration.publicURL { return url.text }
        return (configuration.isEncrypted ? "https://" : "http://") + (request.fields[.host] ?? "localhost")
    }
}
