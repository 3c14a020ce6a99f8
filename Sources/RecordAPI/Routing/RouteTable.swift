internal import HTTP

/// The routes of one protocol, with a router that finds the route of a request.
package struct RouteTable: Sendable {
    /// The routes in the order of `/openapi.json`.
    package let routes: [Route]
    private let router: Router<Int>

    /// Creates a table of routes.
    package init(_ routes: [Route]) {
        self.routes = routes
        var router = Router<Int>()
        for (index, route) in routes.enumerated() { router.add(route.name, index) }
        self.router = router
    }

    /// Returns the index of a request's route in `routes`. Returning the route itself would change reference counts
    /// that all loops share.
    func match(_ method: HTTPMethod, _ target: RequestTarget) -> Router<Int>.Match {
        router.match(method, target)
    }

    /// The first segments of the paths of all routes and of the console.
    package var firstSegments: Set<String> { Set(routes.map(\.firstSegment) + ["_"]) }
}

extension RouteTable {
    /// The routes of the server's own protocol.
    package static let native = RouteTable(
        [
            RecordRoutes.routes, AssetRoutes.routes, UploadRoutes.routes, QueryRoutes.routes, JobRoutes.routes,
            TransferRoutes.routes,
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
