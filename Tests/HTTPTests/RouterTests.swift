import HTTP
import Testing

@Suite struct RouterTests {
    static let router: Router<String> = {
        var router = Router<String>()
        router.add(.get, "/", "root")
        router.add("GET /records/{type}", "list")
        router.add("POST /records/{type}", "create")
        router.add("GET /records/{type}/{name}", "read")
        router.add("PUT /records/{type}/{name}", "write")
        router.add("DELETE /records/{type}/{name}", "delete")
        router.add("POST /records/batch", "batch")
        router.add("GET /records/{type}/{name}/{field}", "asset")
        router.add("GET /records/special/{name}/deep", "special")
        router.add("GET /health/live", "live")
        router.add("OPTIONS /health/live", "options")
        router.add("GET /_/", "console")
        return router
    }()

    @Test(
        arguments: [
            (.get, "/", "root /: "), (.head, "/", "root /: "), (.get, "/?a=b", "root /: "),
            (.get, "/records/Post", "list GET /records/{type}: Post"),
            (.get, "/records/Post?limit=5", "list GET /records/{type}: Post"),
            (.head, "/records/Post", "list GET /records/{type}: Post"),
            (.post, "/records/Post", "create POST /records/{type}: Post"),
            (.post, "/records/batch", "batch POST /records/batch: "),
            (.get, "/records/batch", "list GET /records/{type}: batch"),
            (.get, "/records/Post/a%2Fb", "read GET /records/{type}/{name}: Post a/b"),
            (.get, "/records/Post/gr%C3%BCn%20x", "read GET /records/{type}/{name}: Post grün x"),
            (.get, "/records/Post/%252e", "read GET /records/{type}/{name}: Post %2e"),
            (.get, "/records/Post/a/b", "asset GET /records/{type}/{name}/{field}: Post a b"),
            (.get, "/records/special/a/deep", "special GET /records/special/{name}/deep: a"),
            (.get, "/records/special/a/flat", "asset GET /records/{type}/{name}/{field}: special a flat"),
            (.get, "/records/special/a", "read GET /records/{type}/{name}: special a"),
            (.delete, "/records/a+b/*", "delete DELETE /records/{type}/{name}: a+b *"),
            (.get, "http://x/health/live", "live GET /health/live: "), (.get, "http://x", "root /: "),
            (.get, "/_/", "console GET /_/: "),
            (.get, "/_", "not found"), (.get, "//", "not found"), (.get, "/records", "not found"),
            (.get, "/records/", "not found"), (.get, "/records//a", "not found"), (.get, "/records/Post/", "not found"),
            (.get, "/records/Post/a/b/c", "not found"), (.get, "/health", "not found"),
            (.get, "/Health/live", "not found"),
            (.get, "/health/live/", "not found"), (.get, "/health/liv%65", "not found"),
            (.get, "/health/lives", "not found"),
            (.get, "/%72ecords/Post", "not found"), (.get, "//records/Post", "not found"),
            (.put, "/records/Post", "405 GET HEAD POST OPTIONS"), (.put, "/records/batch", "405 POST GET HEAD OPTIONS"),
            (.patch, "/records/a/b", "405 GET HEAD PUT DELETE OPTIONS"), (.post, "/", "405 GET HEAD OPTIONS"),
            (.other("get"), "/", "405 GET HEAD OPTIONS"), (.other("TRACE"), "/records/a/b/c", "405 GET HEAD OPTIONS"),
            (.options, "/", "405 GET HEAD OPTIONS"), (.options, "/health/live", "options OPTIONS /health/live: "),
            (.options, "*", "not found"),
            (.get, "/records/%ff", "bad encoding"), (.get, "/records/%00/a", "bad encoding"),
            (.get, "/nowhere/%zz", "bad encoding"), (.get, "/records/a%", "bad encoding"),
            (.get, "/records/a?x=%zz", "list GET /records/{type}: a"),
        ] as [(HTTPMethod, String, String)])
    func `a request is routed by its segments`(_ method: HTTPMethod, _ target: String, _ expected: String) throws {
        let words: String
        switch Self.router.match(method, try #require(RequestTarget(target))) {
        case .found(let endpoint, let route, let parameters):
            let count = "\(route)".filter { $0 == "{" }.count
            words = "\(endpoint) \(route): " + (0..<count).map { parameters[$0] }.joined(separator: " ")
        case .methodNotAllowed(let methods):
            words = "405 " + methods.map(\.text).joined(separator: " ")
        case .notFound: words = "not found"
        case .badEncoding: words = "bad encoding"
        }
        // The order of Allow is fixed; the table's need not be.
        #expect(words.split(separator: " ").sorted() == expected.split(separator: " ").sorted())
        if !words.hasPrefix("405") { #expect(words == expected) }
    }

    @Test func `allowed methods are known without a request for them`() throws {
        #expect(
            Self.router.allowedMethods(try #require(RequestTarget("/records/a"))) == [.get, .head, .post, .options])
        #expect(Self.router.allowedMethods(try #require(RequestTarget("/nowhere"))) == nil)
    }

    @Test func `a target that the parser would reject cannot be made`() {
        for text in ["", "a", "/a b", "/..", "/%2e%2e/a", "/a#b", "/ä", "/\n", "http://", "http://a b/"] {
            #expect(RequestTarget(text) == nil)
        }
    }

    @Test func `a target has its parts`() throws {
        let target = try #require(RequestTarget("/a/b%20c?x=1&x=2&y=%zz&z"))
        #expect(target.segmentCount == 2)
        #expect(target.segment(1) == "b c")
        #expect(target.segment(2) == nil)
        #expect(target.segment(-1) == nil)
        #expect(target.segmentEquals(0, "a"))
        #expect(!target.segmentEquals(1, "b c"))
        #expect(!target.segmentEquals(5, ""))
        #expect(target.query("x") == "1")
        #expect(target.queryValues("x") == ["1", "2"])
        #expect(target.query("y") == nil)
        #expect(target.query("z") == "")
        #expect(target.query("absent") == nil)
        #expect(target.queryItems == nil)
        #expect(target.hasQuery)
        #expect(target.rawQuery == "x=1&x=2&y=%zz&z")
    }
}
