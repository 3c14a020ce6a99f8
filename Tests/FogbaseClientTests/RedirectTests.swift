import FogbaseClient
import Foundation
import RecordModel
import Testing

/// The bytes on the wire beyond the requests of an app.
@Suite(.timeLimit(.minutes(1))) struct RedirectTests {
    private func respond(_ status: String, _ fields: String..., body: String = "") -> CuttingProxy.RequestedAction {
        let head = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.utf8.count)", "", ""]
        return .respond(head.joined(separator: "\r\n") + body)
    }

    private func container(_ proxy: CuttingProxy) -> Container {
        Fogbase(proxy.url, tokens: MemoryTokenStore("fbs_secret"), retry: .never).container()
    }

    @Test(arguments: ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
    func `a redirect is not followed, least of all with a token`(status: String) async throws {
        let (here, there) = (try CuttingProxy(to: 0), try CuttingProxy(to: 0))
        here.next("GET /users/me", respond(status, "Location: \(there.url.absoluteString)/users/me"))
        let error = await #expect(throws: FogbaseError.self) { try await container(here).currentUser() }
        #expect(error?.status == Int(status.prefix(3)))
        guard case .notFogbase? = error else { throw error ?? CancellationError() }
        #expect(there.connections == 0 && here.connections == 1)
        #expect(here.requests.contains("Bearer fbs_secret"))
    }

    @Test func `cookies are not kept, and responses are not cached`() async throws {
        let proxy = try CuttingProxy(to: 0)
        let me = #"{"userRecordName":"_1","name":"ada"}"#
        for _ in 0..<2 {
            proxy.next(
                "GET /users/me",
                respond("200 OK", "Set-Cookie: a=b; Path=/", "Cache-Control: max-age=3600", "ETag: \"x\"", body: me))
        }
        let container = container(proxy)
        for _ in 0..<2 { #expect(try await container.currentUser().user.name == "ada") }
        #expect(proxy.done == 2)
        #expect(!proxy.requests.lowercased().contains("cookie:"))
        #expect(!proxy.requests.lowercased().contains("if-none-match"))
    }

    @Test func `calls one after the other share a connection`() async throws {
        let server = try LiveServer()
        let proxy = try CuttingProxy(to: server.port)
        let container = Fogbase(proxy.url, retry: .never).container()
        for _ in 0..<20 { _ = try await container.limits() }
        #expect(proxy.connections == 1)
    }

    @Test func `a request to a silent server times out as one that may have been executed`() async throws {
        let proxy = try CuttingProxy(to: 0)
        proxy.next("GET /slow", .hold)
        let request = TransportRequest(
            method: "GET", url: proxy.url.appendingPathComponent("slow"), timeout: .seconds(1))
        let error = await #expect(throws: TransportError.self) { try await URLSessionTransport().send(request) }
        guard case .responseLost? = error else { throw error ?? CancellationError() }
    }

    @Test func `a host name without an address is unreachable`() async throws {
        let url = try #require(URL(string: "http://fogbase.invalid/limits"))
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(TransportRequest(method: "GET", url: url))
        }
        guard case .unreachable? = error else { throw error ?? CancellationError() }
    }

    @Test func `a signed address of another host gets no token`() async throws {
        let (here, there) = (try CuttingProxy(to: 0), try CuttingProxy(to: 0))
        there.next("GET /assets/x", respond("200 OK", body: "sea"))
        var asset = Asset(fileChecksum: "", size: 3)
        asset.downloadURL = there.url.absoluteString + "/assets/x"
        #expect(try await container(here).publicDatabase.data(of: .asset(asset)) == Data("sea".utf8))
        #expect(!there.requests.contains("fbs_secret") && here.connections == 0)
    }
}
