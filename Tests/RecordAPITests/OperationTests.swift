import Compression
import HTTP
import RecordEngine
import RecordModel
import RecordWire
import Testing
import Threads

@testable import RecordAPI

@Suite struct OperationTests {
    @Test func `health needs no credential`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        for path in ["/health/live", "/health/ready"] {
            let response = await database.call(.get, path)
            #expect(response.status == 200 && response.text == #"{"status":"ok"}"#)
            #expect(response.route == "GET \(path)")
        }
        await database.registry.close()
        #expect(await database.call(.get, "/health/live").status == 200)
        let closed = await database.call(.get, "/health/ready")
        #expect(closed.status == 503 && closed.cause == "UNAVAILABLE" && closed.field("Retry-After") != nil)
    }

    /// The targets that result from a base address with a slash and a signed address, or from a proxy that keeps its
    /// prefix.
    @Test(arguments: [
        "//assets/sealed/a.txt", "/fog/assets/sealed", "/%61ssets/sealed/a/b", "/nothing/here",
    ])
    func `a response to a wrong path has no route, so that the log decides by the path`(path: String) async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let request = HTTPRequest(
            method: .get, target: try #require(RequestTarget(path)), fields: HTTPFields(), body: .empty, id: "request-1"
        )
        let response = await database.api.respond(to: request, in: database.context)
        #expect(response.status == .notFound)
        #expect(!response.hasRoute)
    }

    @Test func `the limits route shows the configured limits`() async throws {
        var limits = DatabaseLimits()
        limits.recordBytes = 12_345
        let database = try await TestDatabase.make(limits: limits, withUsers: false)
        let response = await database.call(.get, "/limits")
        #expect(response.json?["recordBytes"]?.integer == 12_345)
        for key in ["batchOperations", "assetBytes", "pageSize", "bodyBytes"] {
            #expect(response.json?[key]?.integer != nil, "\(key)")
        }
    }

    @Test func `metrics are for administrators and for this machine`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(.put, "/records/Post/a", as: .administrator, body: "{}")
        await database.call(.get, "/query/Post", as: .administrator)
        let response = await database.call(.get, "/metrics", as: .administrator)
        #expect(response.status == 200)
        #expect(response.field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        let labels = #"{container="Forum",environment="development"}"#
        for sample in [
            "fogbase_commits_total\(labels) 1\n", "fogbase_commit_operations_total\(labels) 1\n",
            "fogbase_commit_writes_total\(labels) 1\n", "fogbase_commit_seconds_total\(labels) 0.",
            "fogbase_write_queue_depth\(labels) 0", "fogbase_snapshots_total\(labels) ",
            "fogbase_database_bytes\(labels) ", "fogbase_log_bytes\(labels) ", "fogbase_checkpoints_total\(labels) 0",
            "fogbase_store_failures_total\(labels) 0", "fogbase_query_pool_depth\(labels) 0",
            #"fogbase_queries_total{container="Forum",environment="development",ran_on="loop"} 1"#,
            #"fogbase_queries_total{container="Forum",environment="development",ran_on="pool"} 0"#,
            "fogbase_query_rows_examined_total\(labels) 1\n", "fogbase_queries_stopped_total\(labels) 0",
            "process_cpu_seconds_total ", "process_resident_memory_bytes ",
            "process_anonymous_memory_bytes ", "process_open_fds ", "process_threads ", "process_start_time_seconds ",
            #"fogbase_info{version="1.2.3"} 1"#,
        ] {
            #expect(response.text.contains(sample), "\(sample)")
        }
        #expect(await database.call(.get, "/metrics", from: "127.0.0.1").status == 200)
        #expect(await database.call(.get, "/metrics", from: "::1").status == 200)
        for field in ["X-Forwarded-For", "X-Real-IP"] {
            let proxied = await database.call(
                .get, "/metrics", headers: [(field, "192.0.2.7")], from: "127.0.0.1")
            #expect(proxied.status == 401, "\(field)")
        }
        #expect(await database.call(.get, "/metrics", from: "").status == 401)
        let scraper = await database.call(
            .get, "/metrics", as: .administrator, headers: [("Accept", "text/plain;version=0.0.4")])
        #expect(scraper.status == 200)
        let open = try await TestDatabase.make(withUsers: false) { $0.metricsAccess = .everyone }
        #expect(await open.call(.get, "/metrics").status == 200)
        let closed = try await TestDatabase.make(withUsers: false) { $0.metricsAccess = .administrators }
        #expect(await closed.call(.get, "/metrics", from: "127.0.0.1").status == 401)
    }

    /// The description must not be compressed for each request.
    @Test func `the description is compressed once`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        guard case .prepared(let document, let gzip?) = database.api.description.value else {
            Issue.record("The description is not prepared")
            return
        }
        #expect(gzip.count < document.count / 4)
        #expect(try GzipDecoder.decode(gzip, limits: .init(maxOutputBytes: document.count)) == document)
        #expect(await database.call(.get, "/openapi.json").bytes == document)
    }

    @Test func `the description has every route and no dangling reference`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let document = try #require(await database.call(.get, "/openapi.json").json)
        #expect(document["openapi"]?.string == "3.1.0" && document["info"]?["version"]?.string == "1.2.3")
        // Only the URL of an asset has two patterns.
        let routes = RouteTable.native.routes
        #expect(Set(routes.map { "\($0.id)" }).count == routes.count - 1)
        var described = 0
        for member in document["paths"]?.object?.members ?? [] { described += member.value.object?.count ?? 0 }
        #expect(described == routes.count)
        var broken: [String] = []
        Self.scan(document) { reference in
            var place: JSONValue? = document
            for step in reference.split(separator: "/").dropFirst() { place = place?[String(step)] }
            if place == nil { broken.append(reference) }
        }
        #expect(broken.isEmpty)
    }

    private static func scan(_ value: JSONValue, _ visit: (String) -> Void) {
        if let reference = value["$ref"]?.string { visit(reference) }
        for member in value.object?.members ?? [] { scan(member.value, visit) }
        for element in value.array ?? [] { scan(element, visit) }
    }

    @Test func `every error code and cause has a status`() {
        for code in RecordError.Code.allCases {
            #expect(RecordAPI.status(of: RecordError(code, "x")).code >= 400)
            for cause in RecordError.Cause.allCases {
                #expect(RecordAPI.status(of: RecordError(code, "x", cause: cause)).code >= 400)
            }
        }
        #expect(RecordAPI.status(of: RecordError(.conflict, "x", cause: .preconditionFailed)).code == 412)
        #expect(RecordAPI.status(of: RecordError(.internalError, "x", cause: .storageFull)).code == 507)
        #expect(RecordAPI.status(of: RecordError(.exists, "x", cause: .nameTaken)).code == 409)
    }
}
