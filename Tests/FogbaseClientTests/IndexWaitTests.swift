import FogbaseClient
import Foundation
import Testing

/// How long the client waits for an index that the server builds.
@Suite struct IndexWaitTests {
    /// Rejects while an index is being built, and then finds nothing.
    private actor Building: Transport {
        private var rejections: Int
        private(set) var count = 0

        init(_ rejections: Int) {
            self.rejections = rejections
        }

        func send(_ request: TransportRequest) -> TransportResponse {
            count += 1
            guard rejections > 0 else { return TransportResponse(status: 200, body: Data(#"{"records":[]}"#.utf8)) }
            rejections -= 1
            let body =
                #"{"uuid":"u","serverErrorCode":"TRY_AGAIN_LATER","reason":"r","retryAfter":5,"#
                + #""details":{"cause":"INDEX_BUILDING","recordType":"Post"}}"#
            return TransportResponse(status: 503, body: Data(body.utf8))
        }

        func stream(_ request: TransportRequest) -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
            (send(request), AsyncThrowingStream { $0.finish() })
        }
    }

    private struct Post: Codable, RecordCodable {
        var title: String
    }

    private func ask(_ transport: Building, attempts: Int) async throws -> [Duration] {
        let url = try #require(URL(string: "http://127.0.0.1"))
        let waits = Waits()
        let retry = RetryPolicy(attempts: attempts) { try await waits.sleep($0) }
        let database = Fogbase(url, retry: retry, transport: transport).container().publicDatabase
        let found = try? await database.fetch(Query<Post>()).items.count
        return found == 0 ? waits.all : waits.all.map { .zero - $0 }
    }

    @Test func `an index that is ready at once is not waited for as long as the server asks`() async throws {
        let waits = try await ask(Building(2), attempts: 4)
        #expect(waits.count == 2)
        #expect(waits.first.map { (.milliseconds(100)...(.milliseconds(200))).contains($0) } == true)
        #expect(waits.last.map { (.milliseconds(200)...(.milliseconds(400))).contains($0) } == true)
    }

    @Test func `a slow index is waited for as long as all attempts together would wait`() async throws {
        let transport = Building(.max)
        let waits = try await ask(transport, attempts: 4)
        #expect(waits.reduce(.zero, +) == .seconds(-15), "it gives up in the end")
        #expect(waits.allSatisfy { $0 >= .seconds(-5) })
        #expect(await transport.count == waits.count + 1)
    }

    @Test func `a client that does not try again does not wait for an index`() async throws {
        let transport = Building(1)
        #expect(try await ask(transport, attempts: 1).isEmpty)
        #expect(await transport.count == 1)
    }
}
