internal import HTTP
internal import RecordModel

/// One thing that a request may ask for: which requests mean it, what they must show, what answers them, and what
/// `/openapi.json` says of it.
///
/// A usual route is one literal beside its handler. Whatever depends on the route is derived from this value, so that
/// nothing else has to know that the route exists.
package struct Route: Sendable {
    /// Works with the database that the request names, for its caller.
    typealias DatabaseHandler = @Sendable (inout RecordCall) async throws -> HTTPResponse

    /// Works without a database and without a credential.
    typealias OpenHandler = @Sendable (HTTPRequest, RecordAPI) async throws -> HTTPResponse

    /// What answers the request.
    enum Handler: Sendable {
        case database(DatabaseHandler)
        /// The same for the hot path: it never suspends, which spares the call a frame and the way back to the loop.
        case immediate(@Sendable (inout RecordCall) throws -> HTTPResponse)
        /// Answers everybody.
        case open(OpenHandler)
        /// Answers requests that need no credential as `open`, all others as `database`.
        case openIf(@Sendable (HTTPRequest, RecordAPI) -> Bool, OpenHandler, else: DatabaseHandler)
    }

    /// What a request must show to be answered.
    enum Authentication: Sendable {
        /// A bearer token; without one the caller is anonymous.
        case bearer
        /// The same, and the request signs in: its caller may turn out to be no stranger.
        case signIn
        /// A bearer token, on a path below which names that nobody can guess are a right: the only one that an
        /// anonymous caller has.
        case bearerAndPath
        /// The URL alone, which is signed: a capability. No credential is looked at, since browsers that show the URL
        /// may send anything.
        case url

        /// Whether the path is a secret, which the access log must not have.
        var hidesPath: Bool { self == .bearerAndPath || self == .url }

        /// Whether strangers are let in where the development environment is for members.
        var admitsStrangers: Bool { self == .signIn || self == .url }
    }

    /// What the answer is, and so what the request must accept or say before anything is looked up.
    enum Content: Sendable {
        /// JSON, which the request must accept.
        case json
        /// Bytes or text of whatever type.
        case any
        /// A step of an upload by tus, whose version the request must say.
        case tus
    }

    /// What sets few routes apart.
    struct Options: OptionSet, Sendable {
        let rawValue: UInt8

        /// The loop reads no records for it, so its snapshot need not be fresh: the writer looks at them.
        static let readsNoRecords = Options(rawValue: 1)
        /// The first parameter of the path is the type of the records that it is about.
        static let typeInPath = Options(rawValue: 2)
        /// Answers and refusals are those of tus.
        static let tus = Options(rawValue: 4)
        /// It is about the server as a whole: the parameters that name a database mean nothing.
        static let serverWide = Options(rawValue: 8)
        /// Whoever sends conditions or sorts is told that they go to `/query/{type}`.
        static let pointsToQueries = Options(rawValue: 16)
    }

    /// Method and pattern, such as `GET /records/{type}/{name}`. It is one literal, so that metrics and the access log
    /// count requests by it without allocating.
    package let name: StaticString
    /// What `/openapi.json` and the audit log call it.
    package let id: StaticString
    let tag: Tag
    let summary: String
    /// The limit under which requests fall; `nil` for the probes of whoever watches over the process: a flood must not
    /// make it look dead.
    ///
    /// It hangs on the route that was found, so it is the same for HEAD and GET and for every spelling of a path. No
    /// field of a request can put another method in the place of its own.
    let rate: RateClass?
    /// What the caller must be allowed to do, besides what the handler asks for.
    let right: AdministratorOperation?
    let authentication: Authentication
    let options: Options
    /// The query parameters that it takes besides those of the scope.
    package let query: [String]
    /// The header fields that it understands, as parameters among the components.
    let headers: [String]
    let body: Body
    let responses: [Response]
    let content: Content
    let handler: Handler

    /// A route that works with a database.
    init(
        _ name: StaticString, _ id: StaticString, _ tag: Tag, _ summary: String, rate: RateClass?,
        right: AdministratorOperation? = nil, authentication: Authentication = .bearer, options: Options = [],
        query: [String] = [], headers: [String] = [], body: Body = .none, responses: [Response],
        handler: @escaping DatabaseHandler
    ) {
        self.init(
            name, id, tag, summary, rate: rate, right: right, authentication: authentication, options: options,
            query: query, headers: headers, body: body, responses: responses, answeredBy: .database(handler))
    }

    /// A route with another kind of handler.
    init(
        _ name: StaticString, _ id: StaticString, _ tag: Tag, _ summary: String, rate: RateClass?,
        right: AdministratorOperation? = nil, authentication: Authentication = .bearer, options: Options = [],
        query: [String] = [], headers: [String] = [], body: Body = .none, responses: [Response],
        answeredBy handler: Handler
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
        // What the description promises decides: the field that it demands, and what it says of the content.
        content =
            headers.contains("tusResumable") ? .tus : responses.contains { $0.content.isUntyped } ? .any : .json
    }
}
