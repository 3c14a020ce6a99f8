internal import HTTP

/// The routes of one protocol, with a router that finds the route of a request.
package struct RouteTable: Sendable {
    /// The routes in the order of `/openapi.json`.
    package let routes: [Route]
    private let router: Router<Int>
    /// The first segments of all paths that contain secrets.
    private let secretSegments: Set<String>

    /// Creates a table of routes.
    package init(_ routes: [Route]) {
        self.routes = routes
        var router = Router<Int>()
        for (index, route) in routes.enumerated() { router.add(route.name, index) }
        self.router = router
        secretSegments = Set(routes.filter(\.authentication.hidesPath).map(\.firstSegment))
    }

    /// Returns the index of a request's route in `routes`. Returning the route itself would change reference counts
    /// that all loops share.
    func match(_ method: HTTPMethod, _ target: RequestTarget) -> Router<Int>.Match {
        router.match(method, target)
    }

    /// The first segments of the paths of all routes and of the console.
    package var firstSegments: Set<String> { Set(routes.map(\.firstSegment) + ["_"]) }

    /// Whether an unknown path may be a misspelled path with a secret: after a second slash, or after a prefix that a
    /// proxy has not removed. The secret is still valid at its correct path.
    func mayHoldSecret(_ target: RequestTarget) -> Bool {
        // A path with too many segments is not scanned but treated as secret.
        let count = target.segmentCount
        return count > 16
            || (0..<max(0, count - 1)).contains { target.segment($0).map(secretSegments.contains) ?? false }
    }
}

extension RouteTable {
    /// The routes of the server's own protocol.
    package static let native = RouteTable(
        [
            RecordRoutes.routes, AssetRoutes.routes, UploadRoutes.routes, QueryRoutes.routes, JobRoutes.routes,
            ScheduleRoutes.routes,
            ChangeRoutes.routes, ZoneRoutes.routes, ShareRoutes.routes, SubscriptionRoutes.routes, WebhookRoutes.routes,
            SchemaRoutes.routes, SchemaMoveRoutes.routes,
            GrantRoutes.routes, RoleRoutes.routes,
            ExplainRoutes.routes, AccountRoutes.routes,
            UserRoutes.routes, SessionRoutes.routes, InvitationRoutes.routes, KeyRoutes.routes,
            CloudKitTokenRoutes.routes,
            AdministratorRoutes.routes, AuditRoutes.routes, RequestLogRoutes.routes, BackupRoutes.routes,
            OperationRoutes.routes, ObservationRoutes.routes,
        ].flatMap(\.self))
}

extension Route {
    /// The first segment of the route's path.
    fileprivate var firstSegment: String { String("\(name)".split(separator: "/")[1]) }
}
