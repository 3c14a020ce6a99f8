import HTTP
import Testing

@Suite struct DocumentationTests {
    /// The example of the module's page.
    @Test func `the example of the documentation works`() throws {
        var received = Array("GET /records/Post HTTP/1.1\r\nHost: a\r\n\r\nrest".utf8)
        var router = Router<Int>()
        router.add("GET /records/{type}", 1)
        var route: Router<Int>.Match?
        var response: HTTPResponse?

        var parser = RequestParser()
        switch received.withUnsafeBytes({ parser.parse($0) }) {
        case .needMore:
            break  // read on
        case .head(let head, let consumed):
            received.removeFirst(consumed)
            route = router.match(head.method, head.target)
        case .rejected(let rejection):
            response = HTTPResponse(rejection.status, closesConnection: true)
        }

        #expect(response == nil)
        #expect(received == Array("rest".utf8))
        guard case .found(1, _, let parameters) = route else {
            Issue.record("no route")
            return
        }
        #expect(parameters[0] == "Post")
    }

    @Test func `two routes with the same method and pattern fail a precondition`() async {
        await #expect(processExitsWith: .failure) {
            var router = Router<Int>()
            router.add("GET /records/{type}", 1)
            router.add("GET /records/{kind}", 2)
        }
    }

    @Test func `a pattern without a leading slash fails a precondition`() async {
        await #expect(processExitsWith: .failure) {
            var router = Router<Int>()
            router.add(.get, "records", 1)
        }
    }
}
