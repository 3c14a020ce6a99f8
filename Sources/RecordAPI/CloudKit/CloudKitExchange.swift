internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// What a response of CloudKit Web Services needs from its request, whether or not the request succeeds.
struct CloudKitExchange {
    private let request: HTTPRequest
    /// The API token, once it is verified.
    var token: CloudKitToken?
    /// Whether pages of all origins may read the response, because the URL is the permission.
    var isForAnyOrigin = false
    /// The web auth token for the next request, once the session is verified.
    var nextWebAuthToken: String?
    /// The database in the URL, for the sign-in page.
    var path: CloudKitPath?

    static let tokenField = HTTPFieldName("X-Apple-CloudKit-Web-Auth-Token")

    init(_ request: HTTPRequest) {
        self.request = request
    }

    /// The origin of the page that sent the request; `nil` if no page of another origin did.
    var origin: String? {
        request.fields.count(of: .origin) == 1 ? request.fields[.origin] : nil
    }

    /// Whether the request is a preflight (Fetch standard, "CORS-preflight request").
    var isPreflight: Bool {
        request.method == .options && origin != nil && request.fields.contains(.accessControlRequestMethod)
    }

    /// The methods of a preflight whose path has no route, so that the page learns so from its request.
    static let methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete]

    /// Checks that pages of the request's origin may use the API token. Browsers let pages send some requests to any
    /// server, and only hide the response from them.
    ///
    /// - Throws: AUTHENTICATION_FAILED.
    func requireOrigin() throws(RecordError) {
        guard let token, let origin, !token.allows(origin: origin) else { return }
        throw RecordError(.authenticationFailed, CloudKitReason.originRejected)
    }

    /// Finds which pages may read the response to a request without a handler: a preflight, or an error. The API token in
    /// the query decides, unless the URL is the permission. Without an API token no origin is allowed.
    mutating func findOrigins(in context: RecordAPIContext) async {
        guard origin != nil else { return }
        let table = context.api.cloudKit
        if case .methodNotAllowed(let methods) = table.match(.options, request.target),
            let method = methods.first(where: { $0 != .options }),
            case .found(let number, _, _) = table.match(method, request.target),
            table.routes[number].callers == .holders
        {
            isForAnyOrigin = true
            return
        }
        // All paths begin with the same four segments.
        guard let container = request.target.segment(2).flatMap(ContainerName.init),
            let environment = request.target.segment(3).flatMap(RecordEnvironment.init(cloudKit:))
        else { return }
        var rate = RateTicket(context.api.limiter, .read, from: request.client)
        do {
            let reader = try await context.reader(
                opening: DatabaseID(container: container, environment: environment))
            // A preflight counts as a read.
            if request.method == .options { try rate.admit(.anonymous, of: reader.database) }
            try reader.refresh()
            token = try CloudKitRequestCredentials(request).apiToken(reader)
        } catch {
            // The response to the request itself says what is wrong.
            token = nil
        }
    }

    /// Returns the error of a request that has no handler. Its preflight is granted to the pages that may read the error.
    mutating func reject(in context: RecordAPIContext, _ error: () -> HTTPResponse) async -> HTTPResponse {
        await findOrigins(in: context)
        return isPreflight ? preflight(Self.methods) : error()
    }

    /// Returns the URL of the sign-in page, for an error response; `nil` without an API token.
    func signInURL(_ base: String) -> String? {
        guard let token, let path else { return nil }
        var url =
            "\(base)/_/signin.html?token=\(token.id)&container=\(PathSegment.encode(path.id.container.text))"
            + "&environment=\(path.id.environment.rawValue)"
        if let origin, token.allows(origin: origin) { url += "&origin=\(PathSegment.encode(origin))" }
        return url
    }

    /// Adds the next web auth token and the fields for pages of other origins.
    func finish(_ response: inout HTTPResponse) {
        if let nextWebAuthToken, let name = Self.tokenField { response.fields.append(name, nextWebAuthToken) }
        appendOrigin(to: &response)
    }

    /// Whether pages of the request's origin may read the response.
    private func allows(_ origin: String) -> Bool { isForAnyOrigin || token?.allows(origin: origin) ?? false }

    /// Adds the fields that let the page read the response.
    private func appendOrigin(to response: inout HTTPResponse) {
        response.ownsOrigins = true
        if token?.origins != nil { response.fields.append(.vary, literal: "Origin") }
        guard let origin, allows(origin) else { return }
        response.fields.append(.accessControlAllowOrigin, token?.origins == nil ? "*" : origin)
        response.fields.append(
            .accessControlExposeHeaders,
            literal: "X-Apple-CloudKit-Web-Auth-Token, Retry-After, RateLimit, RateLimit-Policy, X-Request-ID")
    }

    /// Returns the response to a preflight of a path with routes.
    ///
    /// For an origin that is not allowed, the response is a 204 without CORS fields. The browser treats it as a denial.
    func preflight(_ methods: [HTTPMethod]) -> HTTPResponse {
        var response = HTTPResponse(.noContent)
        let names = methods.map(\.text).joined(separator: ", ")
        response.fields.append(.allow, names)
        guard let origin, allows(origin),
            request.fields.contains(.accessControlRequestMethod)
        else { return response }
        response.fields.append(.accessControlAllowMethods, names)
        if let wanted = request.fields[.accessControlRequestHeaders] {
            response.fields.append(.accessControlAllowHeaders, wanted)
        }
        response.fields.append(.accessControlMaxAge, literal: "600")
        response.fields.append(.vary, literal: "Access-Control-Request-Method, Access-Control-Request-Headers")
        return response
    }
}

extension CloudKitToken {
    /// Whether pages of an origin may use the token.
    func allows(origin: String) -> Bool {
        guard let origins else { return true }
        return CORSPolicy(origins: origins).allows(origin)
    }
}
