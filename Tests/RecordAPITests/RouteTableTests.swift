import HTTP
import RecordModel
import Testing

@testable import RecordAPI

/// Properties that are derived from routes and must be right for each route.
@Suite struct RouteTableTests {
    private let routes = RouteTable.native.routes

    @Test func `only the routes of records and queries declare the position of the type`() {
        for route in routes {
            let segments = "\(route.name)".split(separator: "/")
            let isAboutType = ["records", "query"].contains(segments[1]) && segments.dropFirst(2).first == "{type}"
            #expect(route.options.contains(.typeInPath) == isAboutType, "\(route.id)")
        }
    }

    @Test func `only the paths of signed URLs, of uploads and of shares are secret`() {
        for route in routes {
            let name = "\(route.name)"
            let isURL = name.contains("/assets/{token}")
            let isUpload = name.contains("/assets/uploads")
            #expect(route.authentication.hidesPath == (isURL || isUpload || name.contains("/shares/")), "\(route.id)")
            #expect((route.authentication == .url) == isURL, "\(route.id)")
        }
    }

    @Test func `only the probes of the process have no limit`() {
        for route in routes { #expect((route.rate == nil) == "\(route.name)".contains(" /health/"), "\(route.id)") }
    }

    @Test func `responses to tus uploads have its version, and all but two of them demand it`() {
        for route in routes {
            #expect(route.options.contains(.tus) == "\(route.name)".contains(" /assets/uploads"), "\(route.id)")
        }
        let demanding = routes.filter { $0.content == .tus }.map { "\($0.id)" }
        #expect(demanding == ["createUpload", "uploadOffset", "continueUpload", "terminateUpload"])
    }

    @Test func `a second table is independent of the first`() throws {
        let table = RouteTable([
            Route(
                "POST /database/1/{container}/records/query", "query", .queries, "Finds records", rate: .read,
                responses: [.json(200, "Page", "A page")]
            ) { _ in HTTPResponse(.ok) }
        ])
        let target = try #require(RequestTarget("/database/1/a/records/query"))
        guard case .found(0, _, let parameters) = table.match(.post, target) else {
            Issue.record("The route is not found")
            return
        }
        #expect(parameters[0] == "a" && table.firstSegments == ["database", "_"])
        guard case .notFound = RouteTable.native.match(.post, target) else {
            Issue.record("The native table has the route")
            return
        }
    }
}
