package import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The databases that a URL of CloudKit Web Services names.
enum CloudKitDatabase: String, CaseIterable, Sendable {
    case publicDatabase = "public"
    case privateDatabase = "private"
    case sharedDatabase = "shared"

    /// The name in CloudKit's error messages.
    var errorName: String { rawValue + "db" }
}

/// One route of CloudKit Web Services: an operation in the databases of a container.
///
/// Like a native `Route`, it is one literal next to its handler. Credentials, databases, rate limits and errors are the
/// same for all operations; see `RecordAPI.respondToCloudKit`.
package struct CloudKitRoute: Sendable {
    /// A handler with an authenticated caller. Any thrown error becomes an error dictionary; see `CloudKitErrors`.
    typealias Handler = @Sendable (inout CloudKitCall) async throws -> HTTPResponse

    /// The callers that may use an operation. In addition, only users may use the private and the shared database.
    enum Callers: Sendable {
        /// Requests with an API token alone, which have the permissions of anonymous callers, users and
        /// server-to-server keys.
        case everyone
        /// Users and server-to-server keys.
        case usersAndKeys
        /// Users.
        case users
        /// Requests whose URL is the permission. Other credentials are ignored, because clients send none.
        case holders
    }

    /// The method and the pattern, such as `POST /database/1/{container}/{environment}/{database}/records/query`. The
    /// pattern of a device URL has no `{database}`.
    package let name: StaticString
    /// The name of the operation in the audit log.
    let id: StaticString
    /// The class whose rate limit applies.
    let rate: RateClass
    let callers: Callers
    let databases: Set<CloudKitDatabase>
    let handler: Handler
    /// Whether the pattern has a segment `{database}`. A device URL has none, and uses the public database.
    let namesDatabase: Bool

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - databases: The databases to which the operation applies.
    init(
        _ name: StaticString, _ id: StaticString, rate: RateClass, callers: Callers = .everyone,
        databases: Set<CloudKitDatabase> = Set(CloudKitDatabase.allCases), handler: @escaping Handler
    ) {
        self.name = name
        self.id = id
        self.rate = rate
        self.callers = callers
        self.databases = databases
        self.handler = handler
        namesDatabase = "\(name)".contains("/{database}/")
    }

    /// Checks that a caller may use the operation in a database.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED for an API token alone; AUTHENTICATION_FAILED for a server-to-server key outside
    ///   the public database, or with an operation that needs a user; BAD_REQUEST for a database to which the operation
    ///   does not apply.
    func admit(_ caller: Caller, to database: CloudKitDatabase) throws(RecordError) {
        guard callers != .holders else { return }
        switch caller {
        case .anonymous:
            guard callers == .everyone, database == .publicDatabase else { throw .cloudKitUserNeeded }
        case .service:
            guard database == .publicDatabase else { throw .cloudKitKeyElsewhere }
        case .user, .participant, .administrator: break
        }
        guard databases.contains(database) else {
            throw .badRequest(CloudKitReason.notApplicable(in: database))
        }
        if case .service = caller, callers == .users {
            throw RecordError(.authenticationFailed, CloudKitReason.keyIsNoUser)
        }
    }
}

/// The routes of CloudKit Web Services, with a router that finds the route of a request.
package struct CloudKitRouteTable: Sendable {
    /// The routes.
    package let routes: [CloudKitRoute]
    private let router: Router<Int>

    /// Creates a table of routes. Their paths begin with `/database/` or `/device/`; see `owns`.
    init(_ routes: [CloudKitRoute]) {
        self.routes = routes
        var router = Router<Int>()
        for (index, route) in routes.enumerated() { router.add(route.name, index) }
        self.router = router
    }

    /// The first segments of all paths.
    package static let firstSegments: Set<String> = ["database", "device"]

    /// Whether a path belongs to CloudKit Web Services, even if no route has it. No native route has such a path.
    static func owns(_ target: RequestTarget) -> Bool {
        target.segmentEquals(0, "database") || target.segmentEquals(0, "device")
    }

    /// Returns the index of a request's route in `routes`.
    func match(_ method: HTTPMethod, _ target: RequestTarget) -> Router<Int>.Match {
        router.match(method, target)
    }
}

extension RouteTable {
    /// Whether the server's setting does not decide which origins may read the response to a target: an API token of
    /// CloudKit Web Services decides, or the URL is the permission.
    package static func decidesOrigins(of target: RequestTarget) -> Bool {
        CloudKitRouteTable.owns(target) || AssetRoutes.isSigned(target)
    }

    /// The routes of CloudKit Web Services.
    package static let cloudKit = CloudKitRouteTable(
        [
            CloudKitUsers.routes, CloudKitRecords.routes, CloudKitAssets.routes,
            CloudKitZones.routes, CloudKitChanges.routes, CloudKitShares.routes,
            CloudKitSubscriptions.routes, CloudKitTokens.routes,
        ].flatMap(\.self))
}
