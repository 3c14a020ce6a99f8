internal import Compression
public import HTTP
package import RecordEngine
internal import RecordModel
internal import Threads

/// The native interface of the record database over HTTP: routes in, answers out, errors translated.
///
/// It knows no sockets: the transport calls `respond`, and so do tests. It owns the life of a request, which is the same for
/// every route: match, count, authenticate, admit, answer, translate errors.
public final class RecordAPI: Sendable {
    let registry: DatabaseRegistry
    let configuration: RecordAPIConfiguration
    let table: RouteTable
    /// Counts requests; `nil` if nothing is limited.
    let limiter: RateLimiter?
    let cookie: ConsoleCookie
    /// What stands before the paths of routes for clients, if a proxy serves the server below a path; else empty.
    let basePath: String
    /// The body of `/limits`.
    let limitsDocument: [UInt8]
    /// The body of `/openapi.json`.
    let description: HTTPResponseBody

    package init(registry: DatabaseRegistry, configuration: RecordAPIConfiguration) {
        cookie = ConsoleCookie(configuration.publicURL) { WallClock.seconds }
        basePath = configuration.publicURL?.basePath ?? ""
        limiter = configuration.rateLimits.map { RateLimiter($0) }
        self.registry = registry
        self.configuration = configuration
        table = RouteTable.native
        limitsDocument = OperationRoutes.limitsDocument(registry.configuration.limits, configuration.rateLimits)
        let document = OpenAPI.document(
            table.routes, version: configuration.version, server: configuration.publicURL?.text ?? "/")
        description = .prepared(identity: document, gzip: try? GzipEncoder.encode(document, level: .smallest))
    }

    /// Makes what one event loop owns. Readers open with the first request that needs them.
    public func makeContext() -> RecordAPIContext {
        RecordAPIContext(self, readerThreads: configuration.readerThreads)
    }

    /// Answers a request. Reads of single records do not suspend, once the loop's reader is open, nor do queries and pages
    /// that a loop has the time for; writes wait for their commit.
    public func respond(to request: HTTPRequest, in context: RecordAPIContext) async -> HTTPResponse {
        guard request.fields.contains(.cookie) else { return await route(request, context) }
        guard let opened = cookie.open(request) else {
            guard cookie.hasEnded(request) else { return await route(request, context) }
            return errorResponse(RecordError.consoleSessionEnded, id: request.id)
        }
        var response = await route(opened, context)
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// Answers where readers may wait: on the loop's own thread, or on one of its workers.
    private func route(_ request: HTTPRequest, _ loop: RecordAPIContext) async -> HTTPResponse {
        guard let worker = loop.worker() else { return await answerHere(request, loop) }
        return await withTaskExecutorPreference(worker.executor) {
            defer { worker.context.loopWillBlock() }
            return await answerHere(request, worker.context)
        }
    }

    private func answerHere(_ request: HTTPRequest, _ context: RecordAPIContext) async -> HTTPResponse {
        switch table.match(request.method, request.target) {
        case .found(let number, let name, let parameters):
            let (options, authentication) = (table.routes[number].options, table.routes[number].authentication)
            var response: HTTPResponse
            var rate = RateTicket(limiter, table.routes[number].rate, from: request.client)
            do {
                response = try await answer(number, request, parameters, context, &rate)
            } catch {
                response = errorResponse(options.contains(.tus) ? Tus.refusal(error) : error, id: request.id)
            }
            if options.contains(.tus) { response.fields.append(.tusResumable, literal: Tus.version) }
            // A wrong password is no dead token: only where a token was sent, it is what was wrong (RFC 6750 §3).
            if response.status == .unauthorized, !request.fields.contains(.authorization) {
                response.fields.set(.wwwAuthenticate, "Bearer")
            }
            rate.append(to: &response.fields, of: response.status)
            response.route = name
            response.hidesPath = authentication.hidesPath
            return response
        case .methodNotAllowed(let methods):
            var error: APIError = request.method == .options ? .options(methods) : .methodNotAllowed(methods)
            if Tus.isMeant(by: request.target) { error.fields.append(.tusResumable, literal: Tus.version) }
            return errorResponse(error, id: request.id)
        case .notFound:
            let asksAboutServer = request.target.isAsterisk && request.method == .options
            let wrong = WrongPath(request, table)
            var response =
                if let wrong, wrong.isRedirected {
                    wrong.redirection(request, basePath: basePath)
                } else {
                    errorResponse(
                        asksAboutServer ? .options(nil) : wrong?.refusal(basePath: basePath) ?? APIError.unknownRoute,
                        id: request.id)
                }
            response.hidesPath = table.mayHoldSecret(request.target)
            return response
        case .badEncoding:
            return errorResponse(APIError.badEncoding, id: request.id)
        }
    }

    /// The answer to a request that was refused before it became one.
    public func refusal(_ refusal: HTTPRefusal, id: String) -> HTTPResponse {
        errorResponse(refusal, id: id)
    }

    /// - Parameter number: Of the route in the table.
    private func answer(
        _ number: Int, _ request: HTTPRequest, _ parameters: RouteParameters, _ context: RecordAPIContext,
        _ rate: inout RateTicket
    ) async throws -> HTTPResponse {
        switch table.routes[number].handler {
        case .open(let open):
            try rate.take(1)
            return try await open(request, self)
        case .openIf(let isOpen, let open, _) where isOpen(request, self):
            try rate.take(1)
            return try await open(request, self)
        case .database, .immediate, .openIf: break
        }
        switch table.routes[number].content {
        case .json: try requireJSONAccepted(request.fields)
        case .any: break
        case .tus: try Tus.requireVersion(request.fields)
        }
        let options = table.routes[number].options
        let query =
            request.target.hasQuery
            ? try RequestQuery(request.target, names: table.routes[number].query, options) : RequestQuery()
        let id = try query.databaseID(default: configuration.defaultDatabase)
        let reader: RecordReader
        if let open = context.reader(id) { reader = open } else { reader = try await context.openReader(id) }
        let authentication = table.routes[number].authentication
        if options.contains(.readsNoRecords) { reader.refreshRights() } else { try reader.refresh() }
        let caller = authentication == .url ? .anonymous : try Self.authenticate(request.fields, with: reader, &rate)
        try rate.admit(caller, of: reader.database, provesLater: authentication == .signIn)
        if !authentication.admitsStrangers { try admit(caller, to: reader.database.environment) }
        var call = RecordCall(
            request: request, parameters: parameters, query: query, context: context, reader: reader, caller: caller,
            rightsVersion: reader.rightsVersion, rate: rate, operation: table.routes[number].id,
            right: table.routes[number].right)
        defer { rate = call.rate }
        do {
            try call.requireRight()
            switch table.routes[number].handler {
            case .immediate(let handle): return try handle(&call)
            case .database(let handle), .openIf(_, _, else: let handle): return try await handle(&call)
            case .open: preconditionFailure("An open route has answered")
            }
        } catch {
            if case .service(let key) = caller, let error = error as? RecordError {
                let type = options.contains(.typeInPath) ? RecordTypeName(parameters[0]) : nil
                if error.isBeyondScope(of: key, type) { call.noteOutOfScope(key, type) }
            }
            throw error
        }
    }

    /// Refuses strangers in development, once the server is for production.
    private func admit(_ caller: Caller, to environment: RecordEnvironment) throws(RecordError) {
        let decision = Authorization.authorize(
            caller, entering: environment, isDevelopmentOpen: configuration.isDevelopmentOpen)
        guard decision != .allowed else { return }
        throw RecordError(
            .authenticationRequired,
            "The development environment of this server is for its members. Sign in, or ask for production")
    }

    /// Who asks. Failures are counted: see `RateTicket`.
    private static func authenticate(
        _ fields: HTTPFields, with reader: RecordReader, _ rate: inout RateTicket
    ) throws(RecordError) -> Caller {
        do throws(RecordError) {
            return try Bearer.authenticate(fields, with: reader)
        } catch {
            if error.code == .authenticationFailed { try rate.countFailedCredential() }
            throw error
        }
    }
}
