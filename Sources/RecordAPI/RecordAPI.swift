internal import Compression
public import HTTP
package import RecordEngine
internal import RecordModel
internal import RecordWire
internal import Synchronization
internal import Threads

/// The HTTP interface of the record database: routes requests, calls handlers, and translates errors.
///
/// The interface uses no sockets: the transport or a test calls `respond`. It executes the steps that are the same for
/// every route: match, count, authenticate, authorize, call the handler, translate errors.
public final class RecordAPI: Sendable {
    let registry: DatabaseRegistry
    let configuration: RecordAPIConfiguration
    let table: RouteTable
    /// The routes of CloudKit Web Services.
    let cloudKit = RouteTable.cloudKit
    /// The rate limiter; `nil` if no rate limits are configured.
    let limiter: RateLimiter?
    let cookie: ConsoleCookie
    let tickets = FeedTickets()
    /// The latest requests.
    let requests: RequestLog
    /// The last day of some metrics.
    let history = MetricsHistory()
    /// The number of responses that asked to wait for an index. Their status is 503, and nothing has failed.
    let indexWaits = Atomic<Int>(0)
    /// The path prefix that clients see before each route, if a proxy serves the server below a path; otherwise empty.
    let basePath: String
    /// The response body of `/limits`.
    let limitsDocument: [UInt8]
    /// The response body of `/openapi.json`.
    let description: Once<HTTPResponseBody>

    /// Creates the interface to the databases of a registry.
    package init(registry: DatabaseRegistry, configuration: RecordAPIConfiguration) {
        cookie = ConsoleCookie(configuration.publicURL, isEncrypted: configuration.isEncrypted) { WallClock.seconds }
        basePath = configuration.publicURL?.basePath ?? ""
        limiter = configuration.rateLimits.map { RateLimiter($0) }
        registry.configuration.writeLimits.limiter = limiter
        requests = RequestLog(size: configuration.requestLogSize)
        self.registry = registry
        self.configuration = configuration
        table = RouteTable.native
        limitsDocument = OperationRoutes.limitsDocument(registry.configuration.limits, configuration.rateLimits)
        description = Once { [table] in
            let document = OpenAPI.document(
                table.routes, version: configuration.version, server: configuration.publicURL?.text ?? "/")
            return .prepared(identity: document, gzip: try? GzipEncoder.encode(document, level: .smallest))
        }
    }

    /// Creates the state of one event loop. Each reader is opened by the first request that needs it.
    ///
    /// - Parameter executor: The executor of the loop's thread; `nil` if the context is not bound to a thread.
    public func makeContext(on executor: (any TaskExecutor)? = nil) -> RecordAPIContext {
        RecordAPIContext(self, on: executor, readerThreads: configuration.readerThreads)
    }

    /// Returns the response to a request. Once the loop's reader is open, reads of single records and short queries do
    /// not suspend. Writes suspend until their commit.
    public func respond(to request: HTTPRequest, in context: RecordAPIContext) async -> HTTPResponse {
        // The console's cookie is no credential of CloudKit Web Services.
        guard request.fields.contains(.cookie), !CloudKitRouteTable.owns(request.target) else {
            return await route(request, context)
        }
        guard let opened = cookie.open(request) else {
            guard cookie.hasEnded(request) else { return await route(request, context) }
            return errorResponse(RecordError.consoleSessionEnded, id: request.id)
        }
        var response = await route(opened, context)
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// Handles a request on a thread where readers may block: the loop's own thread or one of its workers.
    private func route(_ request: HTTPRequest, _ loop: RecordAPIContext) async -> HTTPResponse {
        guard let worker = loop.worker() else { return await respondOnThisThread(request, loop) }
        return await withTaskExecutorPreference(worker.executor) {
            defer { worker.context.loopWillBlock() }
            return await respondOnThisThread(request, worker.context)
        }
    }

    /// Inlined, because each asynchronous function takes a frame of its own.
    @inline(__always)
    private func respondOnThisThread(_ request: HTTPRequest, _ context: RecordAPIContext) async -> HTTPResponse {
        let start = requests.isOn ? MonotonicClock.now : 0
        var note = RequestNote(request)
        let response = await respond(to: request, context, &note)
        if let error = note.error, error.cause == .indexBuilding { indexWaits.add(1, ordering: .relaxed) }
        if requests.isOn, note.isLogged, !response.isUnlogged {
            requests.add(request, response, note, since: start, to: context.requests)
        }
        return response
    }

    private func respond(
        to request: HTTPRequest, _ context: RecordAPIContext, _ note: inout RequestNote
    ) async -> HTTPResponse {
        switch table.match(request.method, request.target) {
        case .found(let number, let name, let parameters):
            let (options, authentication) = (table.routes[number].options, table.routes[number].authentication)
            var response: HTTPResponse
            var rate = RateTicket(limiter, table.routes[number].rate, from: request.client)
            do {
                response = try await respond(number, request, parameters, context, &rate, &note)
            } catch {
                note.error(error)
                response = errorResponse(options.contains(.tus) ? Tus.rejection(error) : error, id: request.id)
                if options.contains(.streams), request.fields.acceptsEventStream,
                    let retry = HTTPResponse.streamRetry(after: response)
                {
                    response = retry
                    // A browser tries again with the same URL.
                    if let ticket = note.ticket { tickets.restore(ticket, now: WallClock.milliseconds) }
                }
            }
            if options.contains(.tus) { response.fields.append(.tusResumable, literal: Tus.version) }
            // RFC 6750 §3: a wrong password is not an invalid token. So the error attribute is sent only if the request
            // had a token.
            if response.status == .unauthorized, !request.fields.contains(.authorization) {
                response.fields.set(.wwwAuthenticate, "Bearer")
            }
            rate.append(to: &response.fields, of: response.status)
            if authentication == .url { CORSPolicy.openToAll(&response) }
            response.route = name
            response.hidesPath = authentication.hidesPath
            note.isLogged = !options.contains(.unlogged) || note.error != nil
            return response
        case .methodNotAllowed(let methods):
            note.isPrivate = request.target.mayNamePrivateDatabase
            var error: APIError = request.method == .options ? .options(methods) : .methodNotAllowed(methods)
            if Tus.isMeant(by: request.target) { error.fields.append(.tusResumable, literal: Tus.version) }
            note.error(error)
            return AssetRoutes.opening(errorResponse(error, id: request.id), to: request, allow: methods)
        case .notFound where CloudKitRouteTable.owns(request.target),
            .badEncoding where CloudKitRouteTable.owns(request.target):
            return await respondToCloudKit(request, context, &note)
        case .notFound:
            note.isPrivate = request.target.mayNamePrivateDatabase
            let asksAboutServer = request.target.isAsterisk && request.method == .options
            let wrong = WrongPath(request, table)
            if let wrong, wrong.isRedirected { return wrong.redirection(request, basePath: basePath) }
            return errorResponse(
                note.error(
                    asksAboutServer ? .options(nil) : wrong?.rejection(basePath: basePath) ?? APIError.unknownRoute),
                id: request.id)
        case .badEncoding:
            return errorResponse(note.error(APIError.badEncoding), id: request.id)
        }
    }

    /// Returns the response to an HTTP message that was rejected before it became a request, and logs it.
    ///
    /// - Parameter request: What is known of the message.
    public func rejection(
        _ rejection: HTTPRejection, of request: HTTPRequest, in context: RecordAPIContext
    ) async -> HTTPResponse {
        await RejectedMessage(rejection, request, self).respond(in: context)
    }

    /// Handles a request that matches a route.
    ///
    /// - Parameter number: The index of the route in the table.
    /// - Throws: Any error. The caller converts it to a response with `errorResponse`.
    private func respond(
        _ number: Int, _ request: HTTPRequest, _ parameters: RouteParameters, _ context: RecordAPIContext,
        _ rate: inout RateTicket, _ note: inout RequestNote
    ) async throws -> HTTPResponse {
        switch table.routes[number].handler {
        case .open(let open):
            try rate.take(1)
            return try await open(request, self)
        case .openIf(let isOpen, let open, _) where isOpen(request, self):
            try rate.take(1)
            return try await open(request, self)
        case .database, .immediate, .immediateIf, .openIf: break
        }
        switch table.routes[number].content {
        case .json: try requireJSONAccepted(request.fields)
        case .any: break
        case .tus: try Tus.requireVersion(request.fields)
        }
        let options = table.routes[number].options
        var request = request
        var query =
            request.target.hasQuery
            ? try RequestQuery(request.target, names: table.routes[number].query, options) : RequestQuery()
        if let ticket = query["ticket"] {
            note.ticket = try tickets.redeem(ticket, for: table.routes[number].name, in: &request, &query)
        }
        note.isPrivate = query.namesPrivateDatabase
        let id = try query.databaseID(default: configuration.defaultDatabase)
        let reader: RecordReader
        if let open = context.reader(id) { reader = open } else { reader = try await context.openReader(id) }
        note.database = id ?? configuration.defaultDatabase
        let authentication = table.routes[number].authentication
        if options.contains(.readsNoRecords) { reader.refreshRights() } else { try reader.refresh() }
        let sender =
            authentication.ignoresCredentials
            ? .anonymous : try Self.authenticate(request.fields, with: reader, &rate)
        note.caller = sender
        try rate.admit(sender, of: reader.database, provesLater: authentication == .signIn)
        if !authentication.admitsAnonymousCallers { try admit(sender, to: reader.database.environment) }
        var caller = sender
        if query.isShared || query.namesCaller {
            // Writes need no snapshot for anything else.
            if options.contains(.readsNoRecords) { try reader.refresh() }
            caller = try query.caller(of: sender, reader)
        }
        // Routes that need no zone reject an unknown one too.
        if query.namesCustomZone { _ = try query.address(for: caller, reader) }
        var call = RecordCall(
            request: request, parameters: parameters, query: query, context: context, reader: reader, caller: caller,
            rightsVersion: reader.rightsVersion, rate: rate, operation: table.routes[number].id,
            right: table.routes[number].right)
        if query.namesCaller { call.administrator = sender }
        defer { rate = call.rate }
        do {
            try call.requireRight()
            switch table.routes[number].handler {
            case .immediate(let handle): return try handle(&call)
            case .immediateIf(let isImmediate, let handle, let other):
                return isImmediate(call) ? try handle(&call) : try await other(&call)
            case .database(let handle), .openIf(_, _, else: let handle): return try await handle(&call)
            case .open: preconditionFailure("An open route has responded")
            }
        } catch {
            // A key that an administrator reads as has sent nothing.
            if case .service(let key) = sender, let error = error as? RecordError {
                let type = options.contains(.typeInPath) ? RecordTypeName(parameters[0]) : nil
                if error.isBeyondScope(of: key, type) { call.noteOutOfScope(key, type) }
            }
            throw error
        }
    }

    /// Denies anonymous callers in development databases if these are only for members.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED.
    private func admit(_ caller: Caller, to environment: RecordEnvironment) throws(RecordError) {
        let decision = Authorization.authorize(
            caller, entering: environment, isDevelopmentOpen: configuration.isDevelopmentOpen)
        guard decision != .allowed else { return }
        throw RecordError(
            .authenticationRequired,
            "The development environment of this server is for its members. Sign in, or ask for production")
    }

    /// Returns the caller. Failed authentications are counted; see `RateTicket`.
    ///
    /// - Throws: AUTHENTICATION_FAILED, or THROTTLED after too many failures.
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
