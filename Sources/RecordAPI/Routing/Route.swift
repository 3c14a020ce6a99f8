internal import HTTP
internal import RecordModel

/// One route: the requests that match it, the credentials that they need, the handler, and the documentation in
/// `/openapi.json`.
///
/// Most routes are one literal next to their handler. All behavior that depends on the route is derived from this
/// value, so no other code needs to know the route.
package struct Route: Sendable {
    /// A handler that uses the database of the request, with the caller's permissions. Any thrown error becomes an
    /// error response; see `RecordAPI.errorResponse`.
    typealias DatabaseHandler = @Sendable (inout RecordCall) async throws -> HTTPResponse

    /// A handler that needs no database and no credential.
    typealias OpenHandler = @Sendable (HTTPRequest, RecordAPI) async throws -> HTTPResponse

    /// The kinds of handlers.
    enum Handler: Sendable {
        case database(DatabaseHandler)
        /// A database handler for the hot path. It does not suspend, which saves an asynchronous frame and a switch
        /// back to the loop.
        case immediate(@Sendable (inout RecordCall) throws -> HTTPResponse)
        /// Requests for which the closure returns `true` are handled like `immediate`, all other requests like
        /// `database`.
        case immediateIf(
            @Sendable (RecordCall) -> Bool, @Sendable (inout RecordCall) throws -> HTTPResponse, else: DatabaseHandler)
        /// A handler for all callers, without a credential or a database.
        case open(OpenHandler)
        /// Requests for which the closure returns `true` are handled like `open`, all other requests like `database`.
        case openIf(@Sendable (HTTPRequest, RecordAPI) -> Bool, OpenHandler, else: DatabaseHandler)
    }

    /// The credentials that a request needs.
    enum Authentication: Sendable {
        /// A bearer token. A caller without a token is anonymous.
        case bearer
        /// A bearer token, on a route that signs in. An anonymous caller may authenticate during the request.
        case signIn
        /// A bearer token, on a path with an unguessable name. An anonymous caller needs no permission except to know
        /// the name.
        case bearerAndPath
        /// No credential, because a page loads the route before a person signs in. Credentials are ignored.
        case anonymous
        /// A signed URL, which is a capability. Other credentials are ignored, because browsers that load the URL may
        /// send any.
        case url

        /// Whether the path is a secret that the access log must not contain.
        var hidesPath: Bool { self == .bearerAndPath || self == .url }

        /// Whether anonymous callers may use the route even if the development environment is only for members.
        var admitsAnonymousCallers: Bool { self == .signIn || self == .url || self == .anonymous }

        /// Whether the caller is anonymous whatever credential it sends.
        var ignoresCredentials: Bool { self == .url || self == .anonymous }
    }

    /// The kind of response. It determines which request fields are checked first.
    enum Content: Sendable {
        /// JSON, which the request must accept.
        case json
        /// Content of any media type.
        case any
        /// A step of a tus upload. The request must declare the protocol version.
        case tus
    }

    /// Properties that only a few routes have.
    struct Options: OptionSet, Sendable {
        let rawValue: UInt8

        /// The route reads no records on the loop, so its snapshot need not be current. The writer reads any records.
        static let readsNoRecords = Options(rawValue: 1)
        /// The first path parameter is a record type.
        static let typeInPath = Options(rawValue: 2)
        /// Responses and errors follow the tus protocol.
        static let tus = Options(rawValue: 4)
        /// The route concerns the whole server and has no scope parameters.
        static let serverWide = Options(rawValue: 8)
        /// The error for a query parameter on this route refers to `/query/{type}`.
        static let pointsToQueries = Options(rawValue: 16)
        /// The log of requests does not take its successful requests, such as those that read the log.
        static let unlogged = Options(rawValue: 32)
        /// The route streams server-sent events to a client that accepts them.
        static let streams = Options(rawValue: 64)
    }

    /// The method and the pattern, such as `GET /records/{type}/{name}`. The name is one literal, so that metrics and
    /// the access log count requests without allocating.
    package let name: StaticString
    /// The name of the route in `/openapi.json` and the audit log.
    package let id: StaticString
    let tag: Tag
    let summary: String
    /// The class whose rate limit applies to the route. `nil` for health probes, because a flood of requests must not
    /// make the process appear dead.
    ///
    /// The class depends on the matched route, so it is the same for HEAD and GET and for every spelling of a path. No
    /// request field can override the method.
    let rate: RateClass?
    /// The permission that the route requires, in addition to the checks of its handler.
    let right: AdministratorOperation?
    let authentication: Authentication
    let options: Options
    /// The query parameters that the route accepts in addition to the scope parameters.
    package let query: [String]
    /// The request header fields that the route uses, as names of parameters in the components.
    let headers: [String]
    let body: Body
    let responses: [Response]
    let content: Content
    let handler: Handler

    /// Creates a route with a database handler.
    init(
        _ name: StaticString, _ id: StaticString, _ tag: Tag, _ summary: String, rate: RateClass?,
        right: AdministratorOperation? = nil, authentication: Authentication = .bearer, options: Options = [],
        query: [String] = [], headers: [String] = [], body: Body = .none, responses: [Response],
        handler: @escaping DatabaseHandler
    ) {
        self.init(
            name, id, tag, summary, rate: rate, right: right, authentication: authentication, options: options,
            query: query, headers: headers, body: body, responses: responses, respondedBy: .database(handler))
    }

    /// Creates a route with any kind of handler.
    init(
        _ name: StaticString, _ id: StaticString, _ tag: Tag, _ summary: String, rate: RateClass?,
        right: AdministratorOperation? = nil, authentication: Authentication = .bearer, options: Options = [],
        query: [String] = [], headers: [String] = [], body: Body = .none, responses: [Response],
        respondedBy handler: Handler
    ) {
        self.name = name
        self.id = id
        self.tag = tag
        self.summary = summary
        self.rate = rate
        self.right = right
        self.authentication = authentication
        self.options = options
        self.query = query
        self.headers = headers
        self.body = body
        self.responses = responses
        self.handler = handler
        // The documented header fields and responses determine the kind of response.
        content =
            headers.contains("tusResumable") ? .tus : responses.contains { $0.content.isUntyped } ? .any : .json
    }
}
