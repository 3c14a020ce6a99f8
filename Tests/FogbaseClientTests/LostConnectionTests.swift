import FogbaseClient
import Foundation
import RecordModel
import Testing

/// Network faults: each of these tests fails if something is done twice, or not at all.
@Suite(.timeLimit(.minutes(2))) struct LostConnectionTests {
    private struct Counter: Codable, RecordCodable, Equatable {
        var count: Int
    }

    /// A database behind a proxy; attempts follow each other without a wait.
    private func database(_ proxy: CuttingProxy, attempts: Int = 4) -> Database {
        Fogbase(
            proxy.url, tokens: MemoryTokenStore(LiveServer.administratorToken),
            retry: RetryPolicy(attempts: attempts) { _ in }
        ).container().publicDatabase
    }

    @Test(arguments: [0, 1, 40, 300])
    func `a batch whose response is lost is done once`(answered: Int) async throws {
        let server = try LiveServer()
        let proxy = try CuttingProxy(to: server.port)
        let direct = server.administrator.publicDatabase
        let database = database(proxy)
        _ = try await direct.create(Counter(count: 0), named: "counter")
        var batch = Batch()
        let items = try (0..<20).map { try batch.create(Counter(count: $0), named: "new-\($0)") }
        proxy.next("POST /records", .cutAnswer(after: answered))
        let outcome = try await database.perform(batch)
        #expect(proxy.done == 1)
        for (number, item) in items.enumerated() { #expect(try outcome[item].count == number) }

        // At least a line: if a kept connection ends without one, libcurl repeats the request itself, and on Linux
        // without its body, so that the client waits for its timeout.
        proxy.next("PATCH /records", .cutAnswer(after: max(40, answered)))
        proxy.next("PATCH /records", .cutAnswer(after: max(40, answered)))
        let counter = try await database.change(Counter.self, "counter", .increment("count", by: 5))
        #expect(proxy.done == 3 && counter.count == 5)
        #expect(try await direct.fetch(Counter.self, "counter").count == 5)
        #expect(try await direct.changes().changed.count == 21)
    }

    @Test func `a write that never reached the server is written`() async throws {
        let server = try LiveServer()
        let proxy = try CuttingProxy(to: server.port)
        proxy.next("POST /records", .cutRequest(after: 30))
        proxy.next("POST /records", .cutRequest(after: 100))
        let stored = try await database(proxy).create(Counter(count: 1), named: "a")
        #expect(proxy.done == 2 && stored.count == 1)
    }

    @Test func `a truncated response counts as lost, not as a shorter response`() async throws {
        let server = try LiveServer()
        let proxy = try CuttingProxy(to: server.port)
        let database = database(proxy, attempts: 1)
        let bytes = Data(repeating: 7, count: 100_000)
        let asset = try await database.upload(bytes)
        // Before the first line has arrived, curl repeats the request itself on a reused connection.
        for count in [100, 500, 50_000] {
            proxy.next("GET /assets", .cutAnswer(after: count))
            let lost = await #expect(throws: FogbaseError.self) { try await database.data(of: .asset(asset)) }
            guard case .responseLost? = lost else { throw lost ?? CancellationError() }
        }
        #expect(try await database.data(of: .asset(asset)) == bytes)
    }

    @Test func `an upload continues where its connection was cut, in parts and in responses`() async throws {
        let server = try LiveServer()
        let proxy = try CuttingProxy(to: server.port)
        let database = database(proxy)
        let directory = try TestDirectory()
        let file = try directory.file("film.bin", bytes: 13 << 20)
        proxy.next("POST /assets/uploads", .cutAnswer(after: 20))
        for action: CuttingProxy.RequestedAction in [
            .cutRequest(after: 1 << 20), .cutRequest(after: 100), .cutAnswer(after: 0), .cutRequest(after: 3_000_000),
            .cutAnswer(after: 50), .cutRequest(after: 2_500_000),
        ] {
            proxy.next("PATCH /assets/uploads", action)
        }
        proxy.next("GET /assets/uploads", .cutAnswer(after: 100))
        let steps = Steps()
        let asset = try await database.upload(file, progress: steps.take)
        #expect(proxy.done == 8)
        #expect(asset.size == 13 << 20)
        let completed = steps.all.map(\.completedBytes)
        #expect(completed == completed.sorted() && completed.last == 13 << 20)
        // A part that may have arrived is not sent again before the server has reported its offset: libcurl, which
        // retries by itself on a kept connection, leaves out the bytes of the part that it had read.
        let heads = proxy.heads.filter { !$0.hasPrefix("POST") }
        #expect(heads.count(where: { $0.hasPrefix("PATCH") }) >= 6)
        for (head, next) in zip(heads, heads.dropFirst()) where head.hasPrefix("PATCH") && next.hasPrefix("PATCH") {
            #expect(Self.offset(head) != Self.offset(next))
        }

        let copy = directory.url.appendingPathComponent("copy.bin")
        try await server.administrator.publicDatabase.download(.asset(asset), to: copy)
        let same = try Data(contentsOf: copy) == Data(contentsOf: file)
        #expect(same)
    }

    private static func offset(_ head: String) -> Substring? {
        head.split(separator: "\r\n").first { $0.hasPrefix("Upload-Offset: ") }
    }

    #if canImport(FoundationNetworking)
        @Test func `no part of a file is sent over a reused connection`() async throws {
            let server = try LiveServer()
            let proxy = try CuttingProxy(to: server.port)
            let directory = try TestDirectory()
            _ = try await database(proxy).upload(try directory.file("film.bin", bytes: 13 << 20))
            let parts = proxy.heads.count { $0.hasPrefix("PATCH") }
            #expect(parts == 4)
            // One more for the beginning and the end, which share it.
            #expect(proxy.connections == parts + 1)
        }
    #endif

    @Test func `a download continues where its connection was cut`() async throws {
        let server = try LiveServer()
        let proxy = try CuttingProxy(to: server.port)
        let database = database(proxy)
        let directory = try TestDirectory()
        let file = try directory.file("film.bin", bytes: 13 << 20)
        let asset = try await database.upload(file)
        for count in [5_000_000, 100, 0, 3_000_000, 200_000] { proxy.next("GET /assets/", .cutAnswer(after: count)) }
        let copy = directory.url.appendingPathComponent("copy.bin")
        let steps = Steps()
        try await database.download(.asset(asset), to: copy, progress: steps.take)
        #expect(proxy.done == 5)
        let same = try Data(contentsOf: copy) == Data(contentsOf: file)
        #expect(same)
        let completed = steps.all.map(\.completedBytes)
        #expect(completed == completed.sorted())

        // An abandoned download keeps the previous file, and nothing else.
        for _ in 0..<4 { proxy.next("GET /assets/", .cutAnswer(after: 300)) }
        let lost = await #expect(throws: FogbaseError.self) { try await database.download(.asset(asset), to: copy) }
        guard case .responseLost? = lost else { throw lost ?? CancellationError() }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() == [
                "copy.bin", "film.bin",
            ])
    }

    @Test(arguments: [3 << 20, 9 << 20, 13 << 20])
    func `a file that is replaced during its download arrives whole`(length: Int) async throws {
        let server = try LiveServer()
        let proxy = try CuttingProxy(to: server.port)
        let direct = server.administrator.publicDatabase
        let directory = try TestDirectory()
        var film = Record("Film", name: "sea")
        film["file"] = try await direct.upload(try directory.file("first.bin", bytes: 13 << 20))
        film = try await direct.save(film)
        let new = Data(repeating: 7, count: length)

        let waits = Waits()
        let database = Fogbase(proxy.url, retry: RetryPolicy(attempts: 2) { try await waits.sleep($0) })
            .container().publicDatabase
        let kept = film
        waits.before(1) {
            var changed = kept
            changed["file"] = try await direct.upload(new)
            _ = try await direct.save(changed)
        }
        // In the second part.
        proxy.next("bytes=8388608-", .cutAnswer(after: 1 << 20))
        let copy = directory.url.appendingPathComponent("copy.bin")
        try await database.download(.field("file", of: "Film", "sea"), to: copy)
        #expect(proxy.done == 1 && waits.all.count == 1)
        let same = try Data(contentsOf: copy) == new
        #expect(same)
    }

    @Test func `a feed whose pages are cut hands out each change once`() async throws {
        let server = try LiveServer()
        let proxy = try CuttingProxy(to: server.port)
        let direct = server.administrator.publicDatabase
        let names = (0..<300).map { "record-\($0)" }
        for start in stride(from: 0, to: names.count, by: 100) {
            var batch = Batch()
            for name in names[start..<start + 100] { _ = try batch.create(Counter(count: 1), named: name) }
            _ = try await direct.perform(batch)
        }
        for count in [0, 100, 5_000, 30_000, 200] { proxy.next("GET /changes", .cutAnswer(after: count)) }
        var events = database(proxy, attempts: 1).changeFeed().makeAsyncIterator()
        var seen: [String] = []
        while seen.count < names.count {
            guard case .changes(let page)? = try await events.next() else { throw CancellationError() }
            seen += page.changed.map(\.name)
        }
        #expect(seen == names)
        #expect(proxy.done == 5)
    }

    @Test func `a canceled call releases its connection`() async throws {
        let server = try LiveServer()
        let proxy = try CuttingProxy(to: server.port)
        let database = database(proxy)
        var (held, closed) = (proxy.held.makeAsyncIterator(), proxy.closed.makeAsyncIterator())
        for request in ["POST /records", "GET /changes", "PATCH /assets"] {
            proxy.next(request, .hold)
            let task = Task {
                switch request {
                case "POST /records": _ = try await database.create(Counter(count: 1))
                case "GET /changes": _ = try await database.changes()
                default: _ = try await database.upload(Data(count: 9 << 20))
                }
            }
            await held.next()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await closed.next()
        }
        // The transport still works.
        #expect(try await database.create(Counter(count: 2)).count == 2)
    }

    @Test func `a call that is cancelled before it begins sends nothing`() async throws {
        let server = try LiveServer()
        let proxy = try CuttingProxy(to: server.port)
        let database = database(proxy)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await database.changes()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(proxy.connections == 0)
    }
}
