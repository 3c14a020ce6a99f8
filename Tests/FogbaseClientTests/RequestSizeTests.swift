import FogbaseClient
import Foundation
import Testing

/// Input that is too large for one request is sent in several, by the limits of the server.
@Suite struct RequestSizeTests {
    private struct Note: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case title }

        var title: String
    }

    private func client(_ server: LiveServer, _ transport: WatchedTransport) -> Database {
        server.client(tokens: MemoryTokenStore(LiveServer.administratorToken), transport: transport).publicDatabase
    }

    private func batch(_ count: Int, _ title: String = "sea") throws -> Batch {
        var batch = Batch()
        for number in 0..<count { try batch.create(Note(title: title), named: "n\(number)") }
        return batch
    }

    @Test func `the client requests the limits of a server once, after a rejection`() async throws {
        let server = try LiveServer(settings: [
            "FOGBASE_LIMITS_BATCH_OPERATIONS": "17", "FOGBASE_LIMITS_PAGE_SIZE": "60",
        ])
        let transport = WatchedTransport()
        let database = client(server, transport)
        try await database.perform(try batch(5), atomically: false).check()
        #expect(await transport.calls == ["POST /records"], "a small call asks for nothing else")
        await transport.forget()
        let many = try batch(150)
        let outcome = try await database.perform(many, atomically: false)
        #expect(outcome.failures.keys.sorted() == Array(0..<5))
        #expect(await transport.counts == ["POST /records": 10, "GET /limits": 1])
        await transport.forget()
        #expect(try await database.perform(many, atomically: false).failures.count == 5, "it is answered as before")
        #expect(await transport.counts == ["POST /records": 9])
        await transport.forget()
        let found = try await database.fetch(Note.self, names: (0..<150).reversed().map { "n\($0)" })
        #expect(found.items.count == 150 && found.items.first?.id == "n149")
        #expect(await transport.calls == Array(repeating: "POST /query", count: 3))
        let deleted = try await database.deleteInBackground(Query<Note>().filter(.title, equals: "sea")).value
        #expect(deleted == SetOutcome(matched: 150, changed: 150, skipped: 0))
    }

    @Test func `names are requested in pages of the server's size`() async throws {
        let server = try LiveServer(settings: ["FOGBASE_LIMITS_PAGE_SIZE": "60"])
        let transport = WatchedTransport()
        let database = client(server, transport)
        try await database.perform(try batch(150))
        await transport.forget()
        #expect(try await database.fetch(Note.self, names: (0..<80).map { "n\($0)" }).items.count == 80)
        #expect(await transport.calls == ["POST /query", "POST /query"])
        await transport.forget()
        #expect(try await database.fetch(Note.self, names: (0..<170).map { "n\($0)" }).missing.count == 20)
        #expect(await transport.calls == ["POST /query", "GET /limits"] + Array(repeating: "POST /query", count: 3))
    }

    @Test func `a server with higher limits is sent more at once`() async throws {
        let server = try LiveServer(settings: ["FOGBASE_LIMITS_BATCH_OPERATIONS": "1000"])
        let transport = WatchedTransport()
        let database = client(server, transport)
        try await database.perform(try batch(1_500), atomically: false).check()
        #expect(await transport.calls == ["GET /limits", "POST /records", "POST /records"])
    }

    @Test func `bodies stay below the server's limit, and an oversized operation is rejected alone`() async throws {
        let server = try LiveServer(settings: [
            "FOGBASE_LIMITS_BODY_BYTES": "40000", "FOGBASE_LIMITS_RECORD_BYTES": "20000",
        ])
        let transport = WatchedTransport()
        let database = client(server, transport)
        var batch = try batch(9, String(repeating: "s", count: 9_000))
        let long = try batch.create(Note(title: String(repeating: "s", count: 50_000)))
        let last = try batch.create(Note(title: "last"))
        let outcome = try await database.perform(batch, atomically: false)
        #expect(outcome.failures.keys.sorted() == [long.position])
        guard case .failure(.limitExceeded(let rejection)) = outcome.result(of: long) else {
            Issue.record("\(outcome.failures)")
            return
        }
        #expect(rejection.operation == long.position && rejection.recordName == long.name)
        #expect(try outcome[last].title == "last")
    }

    @Test func `a request that is too long for a proxy is halved until it passes`() async throws {
        let server = try LiveServer()
        let transport = WatchedTransport(longestBody: 10_000)
        let database = client(server, transport)
        try await database.perform(try batch(100, String(repeating: "s", count: 400)), atomically: false).check()
        #expect(try await database.count(Query<Note>()) == 100)
        #expect(await transport.counts["GET /limits"] == 1)
    }

    @Test func `an atomic batch is never split`() async throws {
        let server = try LiveServer(settings: ["FOGBASE_LIMITS_BATCH_OPERATIONS": "17"])
        let transport = WatchedTransport()
        let database = client(server, transport)
        let error = await #expect(throws: FogbaseError.self) { try await database.perform(try batch(18)) }
        guard case .limitExceeded? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await transport.calls == ["POST /records"])
        #expect(try await database.count(Query<Note>()) == 0)
    }
}
