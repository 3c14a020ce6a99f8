import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing
import Threads

@Suite struct ConcurrencyTests {
    @Test func `a read on any thread sees all writes acknowledged before it`() async throws {
        // Two loops, one busy with a read whose snapshot is open, the other writing:
        //
        // ```
        // loop A                          loop B
        // reads, keeps its snapshot
        //                                 writes, is answered
        // reads again: sees the write
        // ```
        let test = try TestDatabase()
        try await test.create("counter", #""n":0"#)
        let loops = [ThreadExecutor(name: "loop-a"), ThreadExecutor(name: "loop-b")]
        var readers: [LoopReader] = []
        for loop in loops {
            let database = test.database
            readers.append(try await Task(executorPreference: loop) { try LoopReader(database) }.value)
        }
        // Both hold a snapshot before each write, and are asked after it, on their own threads.
        for number in 1...50 {
            for (loop, reader) in zip(loops, readers) {
                _ = try await Task(executorPreference: loop) { try reader.counter() }.value
            }
            try await test.change("counter", #""n":{"increment":1}"#)
            for (loop, reader) in zip(loops, readers) {
                let seen = try await Task(executorPreference: loop) { try reader.counter() }.value
                #expect(seen == Int64(number))
            }
        }
        for loop in loops { await loop.end() }
    }

    @Test func `a caller that adds an index gets a retryable error if it is dropped concurrently`() async throws {
        // The loop is held up between the query's index and the second attempt, until the index is gone:
        //
        // ```
        // loop                     writer
        // asks for an index
        // held up                  adds it
        //                          drops it
        // goes on without it
        // ```
        let test = try TestDatabase(.development)
        try await test.createAll([("a", #""n":1"#)])
        let bare = #"{"types":{"Post":{"fields":{"n":{"type":"INT64","indexes":[]}},"indexes":[]}}}"#
        let schema = try SchemaDocument.read(Array(bare.utf8))
        let database = test.database
        let loop = ThreadExecutor(name: "loop")
        let reader = try await Task(executorPreference: loop) { try LoopReader(database) }.value
        let (busy, writer, held) = (Gate(), Gate(), Gate())
        async let blocked: Void = database.write(isAlone: true) { _ throws(RecordError) in
            busy.open()
            writer.waitBlocking()
        }
        await busy.wait()
        async let response = Task(executorPreference: loop) { await reader.respond(to: "n == 1") }.value
        while database.queueDepth < 1 { await Task.yield() }
        async let holding: Void = Task(executorPreference: loop) { held.waitBlocking() }.value
        async let dropped: SchemaOutcome = database.schemas.put(schema)
        while database.queueDepth < 2 { await Task.yield() }
        writer.open()
        _ = try await dropped
        held.open()
        let rejected = await response
        #expect(rejected?.cause == .indexBuilding, "\(rejected?.reason ?? "answered")")
        _ = try await (blocked, holding)
        await loop.end()
    }

    @Test func `a follower of the feed ends with the table despite sixteen writers`() async throws {
        let test = try TestDatabase()
        try await test.create("seed", #""n":0"#)
        let done = Locked(false)
        let writers = Task { [database = test.database] in
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<16 {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(writer) &* 7_919 &+ 1)
                        for _ in 0..<60 { await Self.writeSomething(to: database, &random) }
                    }
                }
            }
            done.withLock { $0 = true }
        }
        var followed: [String: JSONValue] = [:]
        var token: String?
        var isLast = false
        while true {
            let wasDone = done.withLock { $0 }
            let page = try test.changes(since: token, limit: 20)
            for change in page.changes {
                let name = try #require(change["recordName"]?.string)
                if change["deleted"] == .bool(true) { followed[name] = nil } else { followed[name] = change }
            }
            token = page.token
            if wasDone, !page.moreComing {
                if isLast { break }
                isLast = true
            }
            await Task.yield()
        }
        await writers.value
        var table: [String: JSONValue] = [:]
        var cursor: String?
        repeat {
            var json: [UInt8] = []
            try test.reader.refresh()
            try test.reader.list(
                type: try #require(RecordTypeName("Post")), in: .publicDefault, for: .administrator(.bootstrap),
                fields: nil,
                limit: 50, cursor: cursor, to: &json)
            let page = try JSONValue.parse(json)
            for record in page["records"]?.array ?? [] {
                table[try #require(record["recordName"]?.string)] = record
            }
            cursor = page["cursor"]?.string
        } while cursor != nil
        #expect(followed == table)
        #expect(table.count > 10)
    }

    private static func writeSomething(to database: RecordDatabase, _ random: inout SeededGenerator) async {
        let name = RecordName("r\(random.next() % 40)")
        let verb: RecordOperation.Verb =
            switch random.next() % 4 {
            case 0: .delete(ignoresMissing: true)
            case 1: .modify(createsMissing: true, replacesAll: true)
            default: .modify(createsMissing: true, replacesAll: false)
            }
        let body = #"{"fields":{"n":{"increment":1},"m":\#(random.next() % 1_000)}}"#
        guard let input = try? RecordInput.readSingle(Array(body.utf8)) else { return }
        let operation = RecordOperation(
            verb, typeName: RecordTypeName("Post"), isTypeInPath: true, recordName: name, input: input)
        _ = try? await database.modify(
            WriteRequest(
                caller: .administrator(.bootstrap), address: .publicDefault, shape: .single, operations: [operation]))
    }
}

/// A reader that stays on one thread. Unchecked: every use goes through that thread's executor.
private final class LoopReader: @unchecked Sendable {
    private let reader: RecordReader

    init(_ database: RecordDatabase) throws {
        reader = try database.makeReader()
    }

    /// The error of a query, if it is rejected.
    func respond(to condition: String) async -> RecordError? {
        guard let type = RecordTypeName("Post") else { return nil }
        var input = QueryInput()
        input.condition = condition
        let request = QueryRequest(
            caller: .administrator(.bootstrap), address: .publicDefault, typeName: type, input: input)
        return await rejection {
            try reader.refresh()
            _ = try await reader.queries.run(request)
        }
    }

    /// The counter as this thread sees it; the snapshot stays open afterwards.
    func counter() throws -> Int64? {
        var json: [UInt8] = []
        try reader.refresh()
        guard let name = RecordName("counter"), let type = RecordTypeName("Post") else { return nil }
        _ = try reader.lookUp(name, type: type, in: .publicDefault, for: .anonymous, fields: nil, to: &json)
        guard case .int64(let value) = try RecordDictionary.decode(json).fields["n"] else { return nil }
        return value
    }
}
