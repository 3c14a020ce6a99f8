internal import HTTP

/// The routes of one protocol, and the way from a request to one of them.
package struct RouteTable: Sendable {
    /// In the order in which `/openapi.json` has them.
    package let routes: [Route]
    private let router: Router<Int>
    /// What the secret paths of capabilities begin with.
    private let secretSegments: Set<String>

    package init(_ routes: [Route]) {
        self.routes = routes
        var router = Router<Int>()
        for (index, route) in routes.enumerated() { router.add(route.name, index) }
        self.router = router
        secretSegments = Set(routes.filter(\.authentication.hidesPath).map(\.firstSegment))
    }

    /// Finds the number of a request's route among `routes`. It is a number, since a copy of a route would count the
    /// references to its parts, on memory that all loops share.
    func match(_ method: HTTPMethod, _ target: RequestTarget) -> Router<Int>.Match {
        router.match(method, target)
    }

    /// What the paths of routes, and of the console, begin with.
    package var firstSegments: Set<String> { Set(routes.map(\.firstSegment) + ["_"]) }

    /// Whether a path that no route has may be a secret one in another spelling: behind a second slash, or behind the
    /// prefix of a proxy that did not take it off. At its right place it is still good.
    func mayHoldSecret(_ target: RequestTarget) -> Bool {
        // Nobody's path is that long by mistake; longer ones are not worth looking through.
        let count = target.segmentCount
        return count > 16
            || (0..<max(0, count - 1)).contains { target.segment($0).map(secretSegments.contains) ?? false }
    }
}

extension RouteTable {
    /// The server's own protocol.
    package static let native = RouteTable(
        [
            RecordRoutes.routes, AssetRoutes.routes, UploadRoutes.routes, QueryRoutes.routes, ChangeRoutes.routes,
            SchemaRoutes.routes, GrantRoutes.routes, RoleRoutes.routes, ExplainRoutes.routes, AccountRoutes.routes,
            UserRoutes.routes, SessionRoutes.routes, InvitationRoutes.routes, KeyRoutes.routes,
            AdministratorRoutes.routes, AuditRoutes.routes, BackupRoutes.routes, OperationRoutes.routes,
        ].flatMap(\.self))
}

extension Route {
    /// What its path begins with.
    fileprivate var firstSegment: String { String("\(name)".split(separator: "/")[1]) }
}
