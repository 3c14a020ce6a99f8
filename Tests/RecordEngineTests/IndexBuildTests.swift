import Foundation
@testable import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import TestSupport
import Testing

@Suite struct IndexBuildTests {
    private static let type = RecordTypeName("Post")

    /// A wish for one index on the first field of `Post`.
    private static func request(isUnique: Bool = false, field: Int = 1) -> IndexRequest {
        IndexRequest(indexes: [.init(kind: .ordered, columns: [.init(.field(field))], isUnique: isUnique)])
    }

    @Test func `a small type's index is ready at once`() async throws {
        let test = try TestDatabase()
        try await test.fill(300) { #""n":\#($0 % 7)"# }
        try await test.create("other", #""n":1"#, type: "Other")
        let type = try #require(Self.type)
        let added = try await test.database.indexes.add(Self.request(), to: type)
        let made = added.all
        #expect(made.map(\.state) == [.ready])
        #expect(added.new == Set(made.map(\.id)))
        try IndexOracle(test).check()
        // The same wish finds it, and a field's option is served by it.
        #expect(try await test.database.indexes.add(Self.request(), to: type) == AddedIndexes(all: made, new: []))
        let option = try await test.database.indexes.add(IndexRequest(options: [1: .queryable]), to: type).all
        #expect(option == made)
        #expect(try test.indexes() == made)
    }

    @Test func `an index with many entries is built in slices`() async throws {
        var building = IndexBuildOptions()
        building.inlineEntries = 250
        let test = try TestDatabase(indexBuilding: building)
        try await test.fill(100) { #""l":["a","b","c\#($0)"]"# }
        let type = try #require(Self.type)
        let made = try await test.database.indexes.add(IndexRequest(options: [1: .queryable]), to: type).all
        #expect(made.map(\.state) == [.building(position: 0)])
        await test.database.indexes.waitUntilBuilt()
        try IndexOracle(test).check()
    }

    @Test func `an index is built in slices beside writers`() async throws {
        let test = try TestDatabase(indexBuilding: .slices(of: 5))
        try await test.fill(400) { #""n":\#($0),"s":"s\#($0 % 3)""# }
        try await test.fill(100, type: "Other") { #""n":\#($0)"# }
        let type = try #require(Self.type)
        let made = try await test.database.indexes.add(Self.request(), to: type).all
        #expect(made.map(\.state) == [.building(position: 0)])
        // A second one begins while the first is under way, and catches up with it.
        let second = try await test.database.indexes.add(Self.request(field: 2), to: type).all
        #expect(second.map(\.isReady) == [false])
        for round in 0..<40 {
            try await test.change("Post\(round * 7)", #""n":\#(round - 1000)"#)
            try await test.delete("Post\(round * 7 + 1)")
            try await test.create("new\(round)", #""n":\#(round)"#)
        }
        await test.database.indexes.waitUntilBuilt()
        try IndexOracle(test).check()
        #expect(try test.indexes().allSatisfy(\.isReady))
        #expect(test.database.indexes.progress.builtRecords > 600)
        #expect(test.database.indexes.progress.building.isEmpty)
        #expect(test.database.indexes.progress.doneSlices > 80)
    }

    /// A slice must not write one page for each of its values.
    @Test func `a build writes as many pages for values in any order as for sorted ones`() async throws {
        let count = 1_000
        var shuffled = Array(0..<count)
        var random = SeededGenerator(seed: 1)
        shuffled.shuffle(using: &random)
        let sorted = try await Self.pagesWritten(building: Array(0..<count))
        let unsorted = try await Self.pagesWritten(building: shuffled)
        #expect(sorted > 100 && unsorted <= sorted + sorted / 10, "\(unsorted) pages, and \(sorted) of sorted values")
    }

    /// The pages that the build of an index on texts, each with a number, writes into the log.
    private static func pagesWritten(building numbers: [Int]) async throws -> Int {
        var building = IndexBuildOptions.slices(of: 25, perStretch: .max)
        building.busyNanoseconds = .max
        building.idleNanoseconds = .max
        var checkpoints = CheckpointPolicy()
        checkpoints.pages = 1 << 30
        checkpoints.pagesOfLarge = 1 << 30
        checkpoints.idlePages = 1 << 30
        let test = try TestDatabase(indexBuilding: building, checkpoints: checkpoints)
        let rest = String(repeating: "x", count: 150)
        try await test.fill(numbers.count) { #""s":"\#(100_000 + numbers[$0])\#(rest)""# }
        let before = try await test.database.pagesInLog()
        _ = try await test.database.indexes.add(request(), to: try #require(type))
        await test.database.indexes.waitUntilBuilt()
        #expect(try test.indexes().map(\.isReady) == [true])
        return try await test.database.pagesInLog() - before
    }

    /// A write that changes a record, in one or both of its indexes, or is rejected in the end, while the record's
    /// entries are gathered, inserted or waiting to be built again.
    @Test(arguments: 1...6) func `records that change while they are indexed have correct entries in the end`(
        _ seed: Int
    ) async throws {
        let test = try TestDatabase(indexBuilding: .slices(of: 1, perStretch: seed % 2 == 0 ? 20 : .max))
        try await test.fill(40) { #""n":\#($0 % 5),"s":"s\#($0 % 7)","u":"u\#($0)""# }
        let type = try #require(Self.type)
        let request = IndexRequest(
            indexes: (1...3).map { .init(kind: .ordered, columns: [.init(.field($0))], isUnique: $0 == 3) })
        let made = try await test.database.indexes.add(request, to: type).all
        #expect(made.allSatisfy { !$0.isReady })
        var random = SeededGenerator(seed: UInt64(seed))
        while try !test.indexes().allSatisfy(\.isReady) {
            let name = "Post\(random.next() % 40)"
            switch random.next() % 5 {
            case 0: _ = try? await test.change(name, #""s":"t\#(random.next() % 7)""#)
            case 1: _ = try? await test.delete(name)
            case 2: _ = try? await test.create(name, #""n":9,"u":"\#(name)""#)
            case 3:
                // Rolled back: the second operation is rejected.
                let results = try await test.batch(
                    #"""
                    {"atomic":true,"operations":[
                    {"operationType":"forceUpdate","record":{"recordType":"Post","recordName":"\#(name)","fields":{"n":77}}},
                    {"operationType":"create","record":{"recordType":"Post","recordName":"x","fields":{"n":"text"}}}]}
                    """#)
                #expect(results.contains { $0["serverErrorCode"] != nil })
            default: _ = try? await test.change(name, #""n":\#(random.next() % 5)"#)
            }
        }
        await test.database.indexes.waitUntilBuilt()
        try IndexOracle(test).check()
    }

    @Test func `a build that a restart interrupted resumes`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let type = try #require(Self.type)
        var restarts = 0
        var last = 0
        while true {
            // Every slice puts two records in.
            let slices = IndexBuildOptions.slices(of: 8, perStretch: 2, retryPause: .seconds(3_600))
            let test = try TestDatabase(directory: directory, keepsDirectory: true, indexBuilding: slices)
            if restarts == 0 {
                try await test.fill(200) { #""n":\#($0 % 5)"# }
                try await Self.failing(after: 150, test) {
                    try await test.database.indexes.add(Self.request(), to: type)
                }
            } else if try test.indexes().allSatisfy(\.isReady) {
                try IndexOracle(test).check()
                break
            }
            restarts += 1
            // A few writes happen, then the server stops.
            if restarts > 1 { try await test.create("later\(restarts)", #""n":\#(restarts)"#) }
            await test.close()
            let position = try Self.position(in: directory)
            if restarts == 1 { #expect(position < 200) }
            #expect(position > last, "The build stands still")
            last = position
            try #require(restarts < 200)
        }
        #expect(restarts > 0)
    }

    /// Runs `body` and then index work until the store fails at a step in its midst.
    private static func failing(
        after steps: Int, _ test: TestDatabase, _ body: () async throws -> some Sendable
    ) async throws {
        let plan = FaultPlan(failAt: steps, with: StoreFailure(code: 266, message: "disk I/O error"))
        test.inject(plan)
        _ = try await body()
        await test.database.indexes.waitUntilBuilt()
        test.inject(nil)
        #expect(plan.hasFired)
    }

    private static func position(in directory: String) throws -> Int {
        let builds = try look(in: directory) { try IndexDefinitionTable($0).builds() }
        return builds.first.map { Int($0.position.rawValue) } ?? .max
    }

    private static let errors: [(error: StoreFailure, losesTransaction: Bool)] = [
        (StoreFailure(code: 266, message: "disk I/O error"), false),
        (StoreFailure(code: 13, message: "database or disk is full"), true),
    ]

    @Test(arguments: errors.indices) func `the next attempt repairs a fault at any step of a build`(
        _ kind: Int
    ) async throws {
        let fault = Self.errors[kind]
        let type = try #require(Self.type)
        let template = try TestDatabase()
        defer { withExtendedLifetime(template) {} }
        try await template.fill(12) { #""n":\#($0 % 4),"u":"u\#($0)","l":["x","y\#($0)"]"# }
        await template.close()
        var fired = true
        // Each kind has other steps.
        var step = kind
        while fired {
            let test = try TestDatabase(copying: template.directory, indexBuilding: .slices(of: 4))
            let plan = FaultPlan(failAt: step, with: fault.error, losesTransaction: fault.losesTransaction)
            test.inject(plan)
            let request = IndexRequest(
                options: [3: .queryable],
                indexes: [
                    .init(kind: .ordered, columns: [.init(.field(1))]),
                    .init(kind: .ordered, columns: [.init(.field(2))], isUnique: true),
                ])
            _ = try? await test.database.indexes.add(request, to: type)
            await test.database.indexes.waitUntilBuilt()
            test.inject(nil)
            fired = plan.hasFired
            // Work that was left undone is completed on request.
            _ = try await test.database.indexes.add(request, to: type)
            test.database.indexes.build()
            await test.database.indexes.waitUntilBuilt()
            #expect(try test.indexes().count == 3)
            try IndexOracle(test).check("step \(step)")
            step += caseStride(3)
            try #require(step < 800)
        }
        #expect(step > 40)
    }

    /// The disk has space again, and no writes come.
    @Test func `a failed build is retried`() async throws {
        let test = try TestDatabase(indexBuilding: .slices(of: 4))
        try await test.fill(100) { #""n":\#($0)"# }
        let type = try #require(Self.type)
        try await Self.failing(after: 150, test) { try await test.database.indexes.add(Self.request(), to: type) }
        #expect(await eventually { (try? test.indexes().allSatisfy(\.isReady)) == true })
        await test.database.indexes.waitUntilBuilt()
        try IndexOracle(test).check()
    }

    /// The new index is ready at once, so that it does not start the work on the old one.
    @Test func `an index that a better one replaces is dropped`() async throws {
        let test = try TestDatabase()
        try await test.fill(10) { #""n":\#($0)"# }
        let type = try #require(Self.type)
        let plain = try await test.database.indexes.add(Self.request(), to: type).all
        let better = try await test.database.indexes.add(Self.request(isUnique: true), to: type).all
        #expect(better.map(\.isReady) == [true] && better.map(\.id) != plain.map(\.id))
        await test.database.indexes.waitUntilBuilt()
        // Also that there is no other table.
        try IndexOracle(test).check()
    }

    @Test func `a dropped index is deleted in slices, also across a restart`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        // A failed build waits for the restart, however long that takes.
        let slices = IndexBuildOptions.slices(of: 3, retryPause: .seconds(3_600))
        let test = try TestDatabase(directory: directory, keepsDirectory: true, indexBuilding: slices)
        try await test.fill(60) { #""n":\#($0)"# }
        try await test.putSchema(#"{"types":{"Post":{"fields":{"n":{"type":"INT64","indexes":["QUERYABLE"]}}}}}"#)
        await test.database.indexes.waitUntilBuilt()
        let index = try #require(try test.indexes().first)
        #expect(try IndexOracle(test).entries(of: index).count == 60)
        try await Self.failing(after: 60, test) {
            try await test.putSchema(#"{"types":{"Post":{"fields":{"n":{"type":"INT64","indexes":[]}}}}}"#)
        }
        #expect(try test.indexes().isEmpty)
        await test.close()
        let left = try Self.look(in: directory) { connection in
            (try IndexDefinitionTable(connection).firstDropped(), try IndexTable(connection).count(of: index.id))
        }
        #expect(left.0 == index.id && left.1 > 0 && left.1 < 60)
        let again = try TestDatabase(directory: directory, indexBuilding: .slices(of: 3))
        await again.database.indexes.waitUntilBuilt()
        try IndexOracle(again).check()
        try await again.change("Post1", #""n":-1"#)
    }

    /// A dropped index must not keep its samples and statements in memory.
    @Test func `a deleted index leaves nothing in memory`() async throws {
        let test = try TestDatabase()
        try await test.fill(60) { #""n":\#($0)"# }
        for _ in 0..<3 {
            try await test.putSchema(#"{"types":{"Post":{"fields":{"n":{"type":"INT64","indexes":["QUERYABLE"]}}}}}"#)
            await test.database.indexes.waitUntilBuilt()
            let index = try #require(try test.indexes().first)
            #expect(try await test.query("n > 10", limit: 100).names.count == 49)
            // On a busy machine that one was answered on the pool, and not by this reader.
            _ = try test.reader.queries.respondOnThisThread(test.queryRequest("n > 10", limit: 100), [])
            try await test.database.plannerStatistics.refresh()
            #expect(test.database.plannerStatistics.sampledIndexes == [index.id])
            #expect(test.reader.preparedIndexes == [index.id])
            try await test.putSchema(#"{"types":{"Post":{"fields":{"n":{"type":"INT64","indexes":[]}}}}}"#)
            try test.reader.refresh()
            #expect(test.reader.preparedIndexes.isEmpty)
            try await test.database.plannerStatistics.refresh()
            #expect(test.database.plannerStatistics.sampledIndexes.isEmpty)
        }
    }

    /// Opens a file that is not open, and closes it again.
    private static func look<Value>(in directory: String, _ body: (Connection) throws -> Value) throws -> Value {
        try body(try Connection(path: DataDirectory.databasePath(in: directory), role: .writer))
    }

    @Test func `after the database was closed nothing is written`() async throws {
        let test = try TestDatabase(indexBuilding: .slices(of: 1))
        try await test.fill(100) { #""n":\#($0)"# }
        let type = try #require(Self.type)
        _ = try await test.database.indexes.add(Self.request(), to: type)
        await test.close()
        await test.database.indexes.waitUntilBuilt()
        let slices = test.database.indexes.progress.doneSlices
        test.database.indexes.build()
        await test.database.indexes.waitUntilBuilt()
        #expect(test.database.indexes.progress.doneSlices == slices)
        let position = try Self.position(in: test.directory)
        #expect((position == .max) == (slices >= 100))
    }

    @Test func `a damaged record does not stop a build`() async throws {
        let test = try TestDatabase()
        try await test.fill(3) { #""n":\#($0)"# }
        test.reader.rest()
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        try connection.execute("UPDATE record SET layout = x'00' WHERE name = 'Post1'")
        let type = try #require(Self.type)
        let made = try await test.database.indexes.add(Self.request(), to: type).all
        #expect(made.map(\.state) == [.ready])
        #expect(try IndexOracle(test).entries(of: try #require(made.first)).count == 2)
    }
}

extension RecordDatabase {
    fileprivate func pagesInLog() async throws -> Int {
        try await write { transaction throws(RecordError) in transaction.store.connection.walFrames }
    }
}
