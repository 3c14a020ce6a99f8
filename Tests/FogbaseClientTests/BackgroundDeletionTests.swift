import FogbaseClient
import Foundation
import Testing

/// Deletions in the background: as jobs, and without them.
@Suite(.timeLimit(.minutes(2))) struct BackgroundDeletionTests {
    private struct Log: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case number }
        var number: Int
    }

    private static let query = Query<Log>().filter(.number, lessThan: 10)

    private static func fill(_ database: Database, _ count: Int) async throws {
        var batch = Batch()
        for number in 0..<count { try batch.create(Log(number: number), named: "l\(number)") }
        try await database.perform(batch, atomically: false).check()
    }

    // MARK: - Scripted servers

    /// A client of a scripted server.
    private struct Client {
        let server: ScriptedJob
        let waits = Waits()
        let database: Database

        init(_ scripts: [String: [ScriptedJob.Script]], streamsEvents: Bool = true, attempts: Int = 1) throws {
            server = ScriptedJob(scripts, streamsEvents: streamsEvents)
            let waits = waits
            let url = try #require(URL(string: "http://memory.invalid"))
            let retry = RetryPolicy(attempts: attempts) { try await waits.sleep($0) }
            var fogbase = Fogbase(url, tokens: MemoryTokenStore("all"), retry: retry, transport: server)
            fogbase.streaming.random = { 0.5 }
            fogbase.streaming.sleep = { _ in try await Task.sleep(for: .seconds(3_600)) }
            database = fogbase.container().publicDatabase
        }

        func delete() -> BackgroundDeletion { database.deleteInBackground(BackgroundDeletionTests.query) }
    }

    private static let accepted = ScriptedJob.Script.response(202, ScriptedJob.job("queued"))

    @Test func `a job is followed on a stream, with the progress of the server`() async throws {
        let rest = #","rate":5,"secondsLeft":2"#
        let client = try Client([
            "DELETE": [Self.accepted],
            "stream": [
                .events([ScriptedJob.event("running", done: 4, rest), ":\n\n", ScriptedJob.event("succeeded", done: 9)])
            ],
        ])
        let deletion = client.delete()
        #expect(try await deletion.value == SetOutcome(matched: 10, changed: 9, skipped: 0))
        #expect(try await deletion.jobID == "j1")
        var last: BackgroundDeletion.Progress?
        for await progress in deletion.progress { last = progress }
        #expect(last?.fraction == 1 && last?.deleted == 9)
        #expect(await client.server.calls == ["DELETE /query/Log", "stream /jobs/j1"])
        let fields = try #require(await client.server.fields.first)
        #expect(fields["Prefer"] == "respond-async" && fields["Idempotency-Key"]?.isEmpty == false)
        #expect(client.waits.all.isEmpty)
    }

    @Test func `progress has the rate, the time left and the pause`() async throws {
        let client = try Client([
            "DELETE": [Self.accepted],
            "stream": [.events([ScriptedJob.event("paused", done: 4, #","rate":5,"secondsLeft":2"#)], .staysOpen)],
            "cancel": [.response(200, ScriptedJob.job("cancelled"))],
        ])
        let deletion = client.delete()
        for await progress in deletion.progress where progress.deleted == 4 {
            #expect(progress.rate == 5 && progress.timeLeft == .seconds(2) && progress.isPaused)
            #expect(progress.fraction == 0.4)
            break
        }
        deletion.cancel()
        await #expect(throws: CancellationError.self) { try await deletion.value }
    }

    @Test func `a stream that breaks is opened again, with growing delays`() async throws {
        let client = try Client([
            "DELETE": [Self.accepted],
            "stream": [
                .events([ScriptedJob.event("running", done: 1)], .breaks), .unreachable, .lost,
                .response(503, ScriptedJob.error("TRY_AGAIN_LATER")), .events([":\n\n"]),
                .events(["event: end\ndata: \(ScriptedJob.error("TRY_AGAIN_LATER"))\n\n"]),
                .events([ScriptedJob.event("succeeded", done: 10)]),
            ],
        ])
        #expect(try await client.delete().value.changed == 10)
        #expect(client.waits.all == [0.5, 1, 2, 4, 8, 16].map { Duration.seconds($0) })
        #expect(await client.server.count("DELETE /query/Log") == 1)
    }

    @Test(arguments: [
        ScriptedJob.Script.response(200, ScriptedJob.job("running")),
        .response(406, ScriptedJob.error("BAD_REQUEST")), .response(502, "<html>Bad Gateway</html>"),
    ])
    func `without streams, the job is polled with growing delays`(script: ScriptedJob.Script) async throws {
        let polls = (1...12).map { ScriptedJob.Script.response(200, ScriptedJob.job("running", done: $0 % 10)) }
        let client = try Client([
            "DELETE": [Self.accepted], "stream": [script],
            "GET": polls + [.unreachable, .response(200, ScriptedJob.job("succeeded", done: 10))],
        ])
        #expect(try await client.delete().value.changed == 10)
        #expect(client.waits.all.prefix(3) == [.milliseconds(250), .milliseconds(375), .microseconds(562_500)])
        #expect(client.waits.all.max() == .seconds(5) && client.waits.all.count == 15)
        #expect(await client.server.count("stream /jobs/j1") == 1)
    }

    @Test func `a transport that does not stream polls`() async throws {
        let client = try Client(
            ["DELETE": [Self.accepted], "GET": [.response(200, ScriptedJob.job("succeeded", done: 10))]],
            streamsEvents: false)
        #expect(try await client.delete().value.changed == 10)
        #expect(await client.server.calls == ["DELETE /query/Log", "GET /jobs/j1"])
    }

    @Test func `a proxy that holds two streams back is polled through`() async throws {
        let client = try Client([
            "DELETE": [Self.accepted], "stream": [.events([]), .events([], .breaks)],
            "GET": [.response(200, ScriptedJob.job("succeeded", done: 10))],
        ])
        #expect(try await client.delete().value.changed == 10)
        #expect(await client.server.calls.suffix(3) == ["stream /jobs/j1", "stream /jobs/j1", "GET /jobs/j1"])
    }

    @Test func `a request whose response is lost is repeated with its key`() async throws {
        let client = try Client(
            [
                "DELETE": [.lost, .unreachable, .response(202, ScriptedJob.job("succeeded", done: 10))]
            ], attempts: 4)
        #expect(try await client.delete().value.changed == 10)
        let keys = await client.server.fields.map { $0["Idempotency-Key"] }
        #expect(keys.count == 3 && Set(keys).count == 1)
    }

    @Test func `a job that fails throws its error, and one that others cancel a cancellation`() async throws {
        let failure = #","error":\#(ScriptedJob.error("ACCESS_DENIED"))"#
        let failing = try Client([
            "DELETE": [Self.accepted], "stream": [.events([ScriptedJob.event("failed", done: 3, failure)])],
        ])
        let error = await #expect(throws: FogbaseError.self) { try await failing.delete().value }
        guard case .accessDenied? = error else { throw error ?? CancellationError() }
        let canceled = try Client(["DELETE": [Self.accepted], "stream": [.events([ScriptedJob.event("cancelled")])]])
        await #expect(throws: CancellationError.self) { try await canceled.delete().value }
        #expect(await canceled.server.count("POST /jobs/j1/cancel") == 0)
    }

    @Test func `a job that is gone ends the deletion`() async throws {
        let client = try Client([
            "DELETE": [Self.accepted], "stream": [.response(404, ScriptedJob.error("NOT_FOUND"))],
        ])
        let error = await #expect(throws: FogbaseError.self) { try await client.delete().value }
        guard case .notFound? = error else { throw error ?? CancellationError() }
    }

    // MARK: - Cancellation

    @Test func `cancel cancels the job before the value throws`() async throws {
        let client = try Client(
            [
                "DELETE": [Self.accepted], "cancel": [.unreachable, .response(200, ScriptedJob.job("cancelled"))],
            ], attempts: 2)
        let deletion = client.delete()
        await client.server.arrived("stream")
        deletion.cancel()
        await #expect(throws: CancellationError.self) { try await deletion.value }
        #expect(await client.server.count("POST /jobs/j1/cancel") == 2)
    }

    @Test func `a job that has ended before its cancellation has its outcome`() async throws {
        let client = try Client([
            "DELETE": [Self.accepted], "cancel": [.response(409, ScriptedJob.error("CONFLICT"))],
            "GET": [.response(200, ScriptedJob.job("succeeded", done: 10))],
        ])
        let deletion = client.delete()
        await client.server.arrived("stream")
        deletion.cancel()
        #expect(try await deletion.value.changed == 10)
    }

    @Test func `a cancellation that does not reach the server is an error`() async throws {
        let client = try Client(["DELETE": [Self.accepted], "cancel": [.unreachable]])
        let deletion = client.delete()
        await client.server.arrived("stream")
        deletion.cancel()
        let error = await #expect(throws: FogbaseError.self) { try await deletion.value }
        guard case .unreachable? = error else { throw error ?? CancellationError() }
    }

    @Test func `a job that was created during the cancellation is canceled`() async throws {
        let client = try Client([
            "DELETE": [.held(202, ScriptedJob.job("running"))],
            "cancel": [.response(200, ScriptedJob.job("cancelled"))],
        ])
        let deletion = client.delete()
        await client.server.arrived("DELETE")
        deletion.cancel()
        // It does not wait for the response.
        await #expect(throws: CancellationError.self) { try await deletion.value }
        await client.server.goOn()
        await client.server.arrived("cancel")
    }

    @Test func `a job is paused and resumed`() async throws {
        let client = try Client([
            "DELETE": [Self.accepted], "pause": [.response(200, ScriptedJob.job("paused"))],
            "resume": [.response(200, ScriptedJob.job("queued")), .response(409, ScriptedJob.error("CONFLICT"))],
            "stream": [.events([ScriptedJob.event("succeeded", done: 10)])],
        ])
        let deletion = client.delete()
        try await deletion.pause()
        try await deletion.resume()
        await #expect(throws: FogbaseError.self) { try await deletion.resume() }
        #expect(await client.server.count("POST /jobs/j1/pause") == 1)
        #expect(try await deletion.value.changed == 10)
    }

    // MARK: - Without jobs

    @Test func `a server that deletes at once has no job`() async throws {
        let client = try Client(["DELETE": [.response(200, #"{"matched":7,"deleted":6,"skipped":1}"#)]])
        let deletion = client.delete()
        #expect(try await deletion.value == SetOutcome(matched: 7, changed: 6, skipped: 1))
        #expect(try await deletion.jobID == nil)
        for await progress in deletion.progress { #expect(progress.fraction == 1 && progress.total == 7) }
        await #expect(throws: FogbaseError.self) { try await deletion.pause() }
    }

    @Test(arguments: [
        ScriptedJob.Script.response(404, "<html>Not Found</html>"), .response(405, "<html>Not Allowed</html>"),
        .response(
            404, #"{"serverErrorCode":"NOT_FOUND","reason":"test","details":{"cause":"UNKNOWN_ROUTE"}}"#),
        .response(414, ScriptedJob.error("BAD_REQUEST")),
        .response(413, #"{"serverErrorCode":"BAD_REQUEST","reason":"test","details":{"cause":"TOO_LARGE"}}"#),
    ])
    func `if the server cannot do it in a request, pages are deleted`(script: ScriptedJob.Script) async throws {
        let client = try Client(["DELETE": [script]])
        try await Self.fill(client.database, 25)
        let deletion = client.database.deleteInBackground(Self.query.limit(to: 4))
        #expect(try await deletion.value == SetOutcome(matched: 10, changed: 10, skipped: 0))
        #expect(try await deletion.jobID == nil)
        #expect(await client.server.count("DELETE /query/Log") == 1)
        #expect(try await client.database.count(Query<Log>()) == 15)
    }

    @Test func `other rejections are thrown, and nothing is deleted`() async throws {
        let client = try Client(["DELETE": [.response(403, ScriptedJob.error("ACCESS_DENIED"))]])
        try await Self.fill(client.database, 5)
        await #expect(throws: FogbaseError.self) { try await client.delete().value }
        let blank = await #expect(throws: FogbaseError.self) {
            try await client.database.deleteInBackground(Query<Log>()).value
        }
        guard case .invalidArgument? = blank else { throw blank ?? CancellationError() }
        #expect(try await client.database.count(Query<Log>()) == 5)
    }

    @Test func `a bulk delete that the server makes a job waits for it`() async throws {
        let client = try Client([
            "DELETE": [Self.accepted], "stream": [.events([ScriptedJob.event("succeeded", done: 10)])],
        ])
        #expect(try await client.database.delete(matching: Self.query).changed == 10)
        #expect(await client.server.fields.first?["Prefer"] == nil)
    }

    // MARK: - Servers

    @Test func `the double has jobs that have ended`() async throws {
        let server = InMemoryServer(administratorToken: "all")
        let database = server.makeClient(tokens: MemoryTokenStore("all")).container().publicDatabase
        try await Self.fill(database, 25)
        let deletion = database.deleteInBackground(Self.query)
        #expect(try await deletion.value == SetOutcome(matched: 10, changed: 10, skipped: 0))
        #expect(try await deletion.jobID != nil)
        let error = await #expect(throws: FogbaseError.self) { try await deletion.pause() }
        guard case .conflict? = error else { throw error ?? CancellationError() }
    }

    @Test(arguments: [true, false]) func `a real server does the work in a job`(streams: Bool) async throws {
        let server = try LiveServer()
        try await Self.fill(server.administrator.publicDatabase, 300)
        let transport = WatchedTransport(streamsEvents: streams)
        let database = server.client(tokens: MemoryTokenStore(LiveServer.administratorToken), transport: transport)
            .publicDatabase
        let deletion = database.deleteInBackground(Query<Log>().filter(.number, lessThan: 200))
        #expect(try await deletion.value == SetOutcome(matched: 200, changed: 200, skipped: 0))
        let id = try #require(try await deletion.jobID)
        let calls = await transport.calls
        #expect(calls.first == "DELETE /query/Log" && calls.count > 1, "\(calls)")
        let follows = "GET /jobs/\(id)" + (streams ? " text/event-stream" : "")
        #expect(calls.dropFirst().allSatisfy { $0 == follows }, "\(calls)")
        #expect(try await database.count(Query<Log>()) == 100)
        let late = await #expect(throws: FogbaseError.self) { try await deletion.resume() }
        guard case .conflict? = late else { throw late ?? CancellationError() }
    }

    @Test(arguments: ["DELETE /query", "GET /jobs"], [40, 300])
    func `a lost response does not start a second job`(request: String, answered: Int) async throws {
        let server = try LiveServer()
        try await Self.fill(server.administrator.publicDatabase, 300)
        let proxy = try CuttingProxy(to: server.port)
        var fogbase = Fogbase(
            proxy.url, tokens: MemoryTokenStore(LiveServer.administratorToken), retry: RetryPolicy(attempts: 4) { _ in }
        )
        fogbase.streaming.random = { 0 }
        let database = fogbase.container().publicDatabase
        proxy.next(request, .cutAnswer(after: answered))
        let deletion = database.deleteInBackground(Query<Log>().filter(.number, lessThan: 200))
        #expect(try await deletion.value == SetOutcome(matched: 200, changed: 200, skipped: 0))
        #expect(proxy.done == 1 && proxy.heads.count { $0.hasPrefix(request) } == 2, "\(proxy.heads)")
        #expect(try await database.count(Query<Log>()) == 100)
    }
}
