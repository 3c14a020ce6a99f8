import FogbaseClient
import Foundation
import Testing

@Suite struct TransportTests {
    @Test func `records are written and read over the network`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        var post = Record("Post")
        post["title"] = "sea"
        let saved = try await database.save(post)
        let read = try await database.fetch("Post", post.name)
        #expect(read == saved)
        let title: String? = read["title"]
        #expect(title == "sea")
    }

    @Test func `a thousand concurrent calls all complete over a few connections`() async throws {
        let server = try LiveServer()
        let before = server.sockets
        let database = server.client(
            tokens: MemoryTokenStore(LiveServer.administratorToken),
            transport: URLSessionTransport(connectionsPerHost: 8)
        ).publicDatabase
        let most = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    var record = Record("Post", name: "post-\(number)")
                    record["number"] = number
                    let saved = try await database.save(record)
                    #expect(saved.name == "post-\(number)")
                    return number.isMultiple(of: 50) ? server.sockets : 0
                }
            }
            return try await group.reduce(0, max)
        }
        #expect(most > before && most <= before + 8)
        let last: Int? = try await database.fetch("Post", "post-999")["number"]
        #expect(last == 999)
    }

    @Test func `below a proxy's path, addresses in responses are reachable`() async throws {
        let server = try LiveServer(settings: ["FOGBASE_PUBLIC_URL": "http://fog.invalid/fog/"])
        for address in [server.url.appendingPathComponent("fog"), server.url] {
            let tokens = MemoryTokenStore(LiveServer.administratorToken)
            let database = Fogbase(address, tokens: tokens).container().publicDatabase
            let upload = try await database.beginUpload(length: 3)
            #expect(try await database.resume(upload, from: Data("fog".utf8)).size == 3)
        }
    }

    @Test func `a server that is not there is unreachable`() async throws {
        let server = try LiveServer()
        let transport = URLSessionTransport()
        let request = TransportRequest(method: "GET", url: server.url.appendingPathComponent("limits"))
        #expect(try await transport.send(request).status == 200)
        server.kill()
        let fresh = URLSessionTransport()
        let rejected = await #expect(throws: TransportError.self) { try await fresh.send(request) }
        guard case .unreachable? = rejected else {
            Issue.record("\(String(describing: rejected))")
            return
        }
    }
}
