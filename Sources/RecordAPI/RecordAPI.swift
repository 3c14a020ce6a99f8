internal import Compression
public import HTTP
package import RecordEngine
internal import RecordModel
internal import Threads

/// The native interface of the record database over HTTP: routes in, answers out, errors translated.
///
/// It knows no sockets: the transport calls `respond`, and so do tests.
public struct RecordAPI: Sendable {
    let registry: DatabaseRegistry
    let configuration: RecordAPIConfiguration
    let router: Router<Endpoint>
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
        var router = Router<Endpoint>()
        for (route, endpoint) in Endpoint.routes { router.add(route, endpoint) }
        self.router = router
        limitsDocument = Self.limitsDocument(registry.configuration.limits, configuration.rateLimits)
        let document = OpenAPI.document(
            version: configuration.version, server: configuration.publicURL?.text ?? "/")
        description = .prepared(identity: document, gzip: try? GzipEncoder.encode(document, level: .smallest))
    }

    /// Makes what one event loop owns. Readers open with the first request that needs them.
    public func makeContext() -> RecordAPIContext {
        RecordAPIContext(defaultDatabase: configuration.defaultDatabase)
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

    private func route(_ request: HTTPRequest, _ context: RecordAPIContext) async -> HTTPResponse {
        switch router.match(request.method, request.target) {
        case .found(.live, let route, _):
            return HTTPResponse(.ok, fields: .json, body: .bytes(Self.healthy), route: route)
        case .found(let endpoint, let route, let parameters):
            var response: HTTPResponse
            var rate = RateTicket(limiter, endpoint.rateClass, from: request.client)
            do {
                response = try await answer(endpoint, request, parameters, context, &rate)
            } catch {
                response = errorResponse(endpoint.speaksTus ? Tus.refusal(error) : error, id: request.id)
            }
            if endpoint.speaksTus { response.fields.append(.tusResumable, literal: Tus.version) }
            // A wrong password is no dead token: only where a token was sent, it is what was wrong (RFC 6750 §3).
            if response.status == .unauthorized, !request.fields.contains(.authorization) {
                response.fields.set(.wwwAuthenticate, "Bearer")
            }
            rate.append(to: &response.fields, of: response.status)
            response.route = route
            // The name of an upload is all the right that an anonymous one takes.
            response.hidesPath = endpoint == .readAsset || endpoint.speaksTus
            return response
        case .methodNotAllowed(let methods):
            var error: APIError = request.method == .options ? .options(methods) : .methodNotAllowed(methods)
            if Tus.isMeant(by: request.target) { error.fields.append(.tusResumable, literal: Tus.version) }
            return errorResponse(error, id: request.id)
        case .notFound:
            let asksAboutServer = request.target.isAsterisk && request.method == .options
            let wrong = WrongPath(request, router)
            var response =
                if let wrong, wrong.isRedirected {
                    wrong.redirection(request, basePath: basePath)
                } else {
                    errorResponse(
                        asksAboutServer ? .options(nil) : wrong?.refusal(basePath: basePath) ?? APIError.unknownRoute,
                        id: request.id)
                }
            response.hidesPath = Self.mayHoldSecret(request.target)
            return response
        case .badEncoding:
            return errorResponse(APIError.badEncoding, id: request.id)
        }
    }

    /// The answer to a request that was refused before it became one.
    public func refusal(_ refusal: HTTPRefusal, id: String) -> HTTPResponse {
        errorResponse(refusal, id: id)
    }

    private func answer(
        _ endpoint: Endpoint, _ request: HTTPRequest, _ parameters: RouteParameters, _ context: RecordAPIContext,
        _ rate: inout RateTicket
    ) async throws -> HTTPResponse {
        switch endpoint {
        case .live: return HTTPResponse(.ok, fields: .json, body: .bytes(Self.healthy))
        case .ready: return try await ready()
        case .limits, .openAPI, .describeUploads:
            try rate.take(1)
            return endpoint == .limits
                ? .json(limitsDocument)
                : endpoint == .openAPI ? HTTPResponse(.ok, fields: .json, body: description) : describeUploads()
        case .metrics where isMetricsOpen(to: request):
            try rate.take(1)
            return metrics()
        case .createUpload, .uploadOffset, .continueUpload, .terminateUpload: try Tus.requireVersion(request.fields)
        case .readField, .readAsset, .metrics: break
        default: try requireJSONAccepted(request.fields)
        }
        let query = try RequestQuery(request.target, for: endpoint)
        let id = try query.databaseID(default: configuration.defaultDatabase)
        let reader: RecordReader
        if let open = context.reader(id) {
            reader = open
        } else {
            reader = try await context.openReader(id, in: registry)
        }
        if endpoint.leavesReadingToTheWriter { reader.refreshRights() } else { try reader.refresh() }
        // A signed URL is all the right that its asset takes, and browsers that show it may send anything.
        let caller =
            endpoint == .readAsset ? .anonymous : try Self.authenticate(request.fields, with: reader, &rate)
        try rate.admit(
            caller, of: reader.database, provesLater: endpoint == .signIn || endpoint == .signInAdministrator)
        try admit(caller, to: endpoint, of: reader.database.environment)
        var call = RecordCall(
            request: request, parameters: parameters, query: query, reader: reader, caller: caller,
            rightsVersion: reader.rightsVersion, rate: rate, basePath: basePath)
        defer { rate = call.rate }
        guard case .service(let key) = caller else { return try await answer(endpoint, &call) }
        do {
            return try await answer(endpoint, &call)
        } catch {
            let type = endpoint.namesTypeInPath ? RecordTypeName(call.parameters[0]) : nil
            if (error as? RecordError)?.isBeyondScope(of: key, type) == true {
                call.noteOutOfScope(key, endpoint, type)
            }
            throw error
        }
    }

    private func answer(_ endpoint: Endpoint, _ call: inout RecordCall) async throws -> HTTPResponse {
        switch endpoint {
        case .readRecord: return try readRecord(call)
        case .listRecords: return try await listRecords(call)
        case .readField: return try await readField(call)
        case .uploadAsset: return try await uploadAsset(call)
        case .readAsset: return try await readAsset(call)
        case .createUpload: return try await createUpload(call)
        case .uploadOffset: return try await uploadOffset(call)
        case .continueUpload: return try await continueUpload(call)
        case .terminateUpload: return try await terminateUpload(call)
        case .readUpload: return try await readUpload(call)
        case .createRecord: return try await createRecord(&call)
        case .replaceRecord: return try await replaceRecord(&call)
        case .changeRecord: return try await changeRecord(&call)
        case .deleteRecord: return try await deleteRecord(call)
        case .modifyRecords: return try await modifyRecords(&call)
        case .queryRecords: return try await queryRecords(call)
        case .queryRecordsByBody: return try await queryRecordsByBody(&call)
        case .deleteSet: return try await deleteSet(&call)
        case .changeSet: return try await changeSet(&call)
        case .fetchChanges: return try await fetchChanges(call)
        case .readSchema: return try readSchema(call)
        case .putSchema: return try await putSchema(&call)
        case .readType: return try readType(call)
        case .addIndex: return try await addIndex(&call)
        case .changeField: return try await changeField(&call)
        case .readAdvice: return try readAdvice(call)
        case .listGrants: return try listGrants(call)
        case .readGrants: return try readGrants(call)
        case .putGrants: return try await putGrants(&call)
        case .explainAccess: return try await explainAccess(&call)
        case .listRoles: return try listRoles(call)
        case .readRole: return try readRole(call)
        case .putRole: return try await putRole(&call)
        case .deleteRole: return try await deleteRole(call)
        case .addRoleMember: return try await setMember(call, isMember: true)
        case .removeRoleMember: return try await setMember(call, isMember: false)
        case .signUp: return try await signUp(&call)
        case .signUpAnonymously: return try await signUpAnonymously(&call)
        case .changeMe: return try await changeMe(&call)
        case .listUsers: return try listUsers(call)
        case .changeUser: return try await changeUser(&call)
        case .removeUser: return try await removeUser(call)
        case .removeMe: return try await removeMe(&call)
        case .signIn: return try await signIn(&call)
        case .listSessions: return try listSessions(call)
        case .endSession: return try await endSession(call)
        case .endSessions: return try await endSessions(call)
        case .rotateSession: return try await rotateSession(call)
        case .invite: return try await invite(&call)
        case .listInvitations: return try listInvitations(call)
        case .removeInvitation: return try await removeInvitation(call)
        case .signOut: return try await signOut(call)
        case .readMe: return try readMe(call)
        case .listKeys: return try listKeys(call)
        case .createKey: return try await createKey(&call)
        case .readKey: return try readKey(call)
        case .changeKey: return try await changeKey(&call)
        case .revokeKey: return try await revokeKey(call)
        case .rotateKey: return try await rotateKey(&call)
        case .signInAdministrator: return try await signInAdministrator(&call)
        case .signOutAdministrator: return try await signOutAdministrator(call)
        case .listAdministratorSessions: return try listAdministratorSessions(call)
        case .endAdministratorSession: return try await endAdministratorSession(call)
        case .changeOwnPassword: return try await changeOwnPassword(&call)
        case .listAdministrators: return try listAdministrators(call)
        case .addAdministrator: return try await addAdministrator(&call)
        case .readAdministrator: return try readAdministrator(call)
        case .changeAdministrator: return try await changeAdministrator(&call)
        case .deleteAdministrator: return try await deleteAdministrator(call)
        case .readAudit: return try await readAudit(call)
        case .startBackup: return try await startBackup(&call)
        case .readBackup: return try readBackup(call)
        case .cancelBackup: return try await cancelBackup(call)
        case .metrics:
            try call.require(.readMetrics)
            return metrics()
        case .live, .ready, .limits, .openAPI, .describeUploads:
            preconditionFailure("These are answered without a database")
        }
    }

    /// Whether a path that no route has may be a signed address in another spelling: behind a second slash, or behind the
    /// prefix of a proxy that did not take it off. At its right place it is still good.
    private static func mayHoldSecret(_ target: RequestTarget) -> Bool {
        // Nobody's path is that long by mistake; longer ones are not worth looking through.
        let count = target.segmentCount
        return count > 16 || (0..<max(0, count - 1)).contains { target.segment($0) == "assets" }
    }

    /// Refuses strangers in development, once the server is for production.
    private func admit(
        _ caller: Caller, to endpoint: Endpoint, of environment: RecordEnvironment
    ) throws(RecordError) {
        let decision = Authorization.authorize(
            caller, entering: environment, isDevelopmentOpen: configuration.isDevelopmentOpen)
        guard decision != .allowed else { return }
        switch endpoint {
        // A signed URL is its own right, and who signs in is no stranger.
        case .signIn, .signInAdministrator, .readAsset: return
        default:
            throw RecordError(
                .authenticationRequired,
                "The development environment of this server is for its members. Sign in, or ask for production")
        }
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

    static let healthy = Array(#"{"status":"ok"}"#.utf8)
}
