import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@Suite struct ReopeningTests {
    @Test func `a reopened database has all data, and its tokens and tags are valid`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var token = ""
        var tag = ""
        do {
            let passwords = PasswordWorkers(threads: 1)
            let database = try RecordDatabase(directory: directory, environment: .development, passwords: passwords)
            try await Self.write(#"{"fields":{"n":1,"t":"x"}}"#, "a", to: database)
            let reader = try database.makeReader()
            token = try Self.changes(reader, since: nil)["token"]?.string ?? ""
            tag = try Self.look(reader, "a").recordChangeTag ?? ""
            reader.rest()
            await database.close()
            #expect(!database.isHealthy)
        }
        let passwords = PasswordWorkers(threads: 1)
        let database = try RecordDatabase(directory: directory, environment: .development, passwords: passwords)
        let reader = try database.makeReader()
        #expect(try Self.look(reader, "a").recordChangeTag == tag)
        try await Self.write(#"{"fields":{"n":2}}"#, "b", to: database)
        let page = try Self.changes(reader, since: token)
        #expect(page["changes"]?.array?.compactMap { $0["recordName"]?.string } == ["b"])
        #expect(database.schema[try #require(RecordTypeName("Post"))]?.fields.map(\.name.text) == ["n", "t"])
        await database.close()
    }

    @Test func `the data directory and each open database keep room for the next start`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let container = try #require(ContainerName("iCloud.test"))
        let registry = DatabaseRegistry(
            DatabaseRegistry.Configuration(dataPath: directory, containers: [container], passwordThreads: 1))
        let development = DatabaseID(container: container, environment: .development)
        try await registry.open(development)
        #expect(await registry.keepStartReserves())
        for path in [directory, registry.directory(of: development)] {
            #expect(DataDirectory.size(of: path + "/.reserve") == 256 << 10)
        }
        #expect(!DirectoryInspection.exists(directory + "/iCloud.test/production"))
        // A reserve that cannot be created does not prevent others.
        try FileManager.default.removeItem(atPath: directory + "/.reserve")
        try FileManager.default.createDirectory(atPath: directory + "/.reserve", withIntermediateDirectories: false)
        let other = registry.directory(of: development) + "/.reserve"
        try FileManager.default.removeItem(atPath: other)
        #expect(!(await registry.keepStartReserves()))
        #expect(DataDirectory.size(of: other) == 256 << 10)
        await registry.close()
    }

    @Test(arguments: [0, 1, 2, 5])
    func `a token that a restored backup never issued starts over, whatever was written since`(writes: Int) async throws
    {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        let backup = directory + "-backup"
        defer {
            try? FileManager.default.removeItem(atPath: directory)
            try? FileManager.default.removeItem(atPath: backup)
        }
        let passwords = PasswordWorkers(threads: 1)
        let first = try RecordDatabase(directory: directory, environment: .development, passwords: passwords)
        try await Self.write("{}", "a", to: first)
        let before = try first.makeReader()
        let old = try #require(try Self.changes(before, since: nil)["token"]?.string)
        before.rest()
        await first.close()
        try FileManager.default.copyItem(atPath: directory, toPath: backup)
        let second = try RecordDatabase(directory: directory, environment: .development, passwords: passwords)
        try await Self.write("{}", "b", to: second)
        let reader = try second.makeReader()
        let token = try #require(try Self.changes(reader, since: nil)["token"]?.string)
        reader.rest()
        await second.close()
        let restored = try RecordDatabase(directory: backup, environment: .development, passwords: passwords)
        for number in 0..<writes { try await Self.write("{}", "r\(number)", to: restored) }
        let other = try restored.makeReader()
        let rejected = await rejection { _ = try Self.changes(other, since: token) }
        #expect(rejected?.cause == .tokenExpired && rejected?.reason.contains("restored from a backup") == true)
        // Tokens issued before the copy are valid in the copy and in the original.
        #expect(try Self.changes(other, since: old)["changes"]?.array?.count == writes)
        other.rest()
        await restored.close()
        let third = try RecordDatabase(directory: directory, environment: .development, passwords: passwords)
        let last = try third.makeReader()
        #expect(try Self.changes(last, since: token)["changes"]?.array?.isEmpty == true)
        #expect(try Self.changes(last, since: old)["changes"]?.array?.count == 1)
        last.rest()
        await third.close()
    }

    @Test func `a token from before the first write is valid`() async throws {
        let test = try TestDatabase()
        let token = try test.changes().token
        try await test.create("a")
        #expect(try test.changes(since: token).changes.count == 1)
    }

    @Test func `a copy of a file in use, as after a crash, accepts the issued tokens`() async throws {
        let test = try TestDatabase()
        let copy = test.directory + "-copy"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try await test.create("a")
        let token = try test.changes().token
        try FileManager.default.copyItem(atPath: test.directory, toPath: copy)
        try await test.create("b")
        let later = try test.changes(since: token).token
        let opened = try RecordDatabase(
            directory: copy, environment: .development, passwords: PasswordWorkers(threads: 1))
        let reader = try opened.makeReader()
        #expect(await rejection { _ = try Self.changes(reader, since: later) }?.cause == .tokenExpired)
        try await Self.write("{}", "c", to: opened)
        let page = try Self.changes(reader, since: token)
        #expect(page["changes"]?.array?.compactMap { $0["recordName"]?.string } == ["c"])
        reader.rest()
        await opened.close()
    }

    @Test func `a directory is rejected while it is open`() async throws {
        let test = try TestDatabase()
        #expect(throws: (any Error).self) {
            _ = try RecordDatabase(
                directory: test.directory, environment: .development, passwords: PasswordWorkers(threads: 1))
        }
    }

    @Test func `maintenance deletes expired rows, and older tokens start over`() async throws {
        var limits = DatabaseLimits()
        limits.tombstoneSeconds = -10
        limits.idempotencySeconds = -10
        let test = try TestDatabase(limits: limits)
        try await test.create("a")
        let before = try test.changes().token
        try await test.create("b")
        try await test.delete("b")
        let report = try await test.database.maintenance.run()
        #expect(report.tombstones == 1)
        #expect(await rejection { _ = try test.changes(since: before) }?.cause == .tokenExpired)
        try await test.create("c")
        // Begun after the purge: its tokens hold on every page.
        let page = try test.changes(limit: 1)
        #expect(page.changes.compactMap { $0["recordName"]?.string } == ["a"])
        #expect(try test.changes(since: page.token).changes.compactMap { $0["recordName"]?.string } == ["c"])
        try await test.delete("c")
        #expect(try await test.database.maintenance.run().tombstones == 1)
        #expect(await rejection { _ = try test.changes(since: page.token) }?.cause == .tokenExpired)
        #expect(try test.changes(since: test.changes().token).changes.isEmpty)
    }

    @Test func `the oldest of too many tombstones are deleted early`() async throws {
        var limits = DatabaseLimits()
        limits.tombstones = 3
        let test = try TestDatabase(limits: limits)
        try await test.create("a")
        let before = try test.changes().token
        for number in 0..<3 {
            try await test.create("r\(number)")
            try await test.delete("r\(number)")
        }
        #expect(try await test.database.maintenance.run().tombstones == 0)
        #expect(try test.changes(since: before).changes.count == 3)
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        // So that no two were deleted at the same time.
        try connection.execute("UPDATE record SET modified = modified - 100000 + sequence WHERE deleted = 1")
        for number in 3..<5 {
            try await test.create("r\(number)")
            try await test.delete("r\(number)")
        }
        let later = try test.changes().token
        #expect(try await test.database.maintenance.run().tombstones == 2)
        #expect(await rejection { _ = try test.changes(since: before) }?.cause == .tokenExpired)
        #expect(try test.changes(since: later).changes.isEmpty)
        #expect(try await test.database.maintenance.run().tombstones == 0)
    }

    @Test func `in production the schema is locked`() async throws {
        let test = try TestDatabase(.production)
        #expect(
            await rejection { try await test.create("a") }?.reason == "Cannot create new type Post in production schema"
        )
        let document = try SchemaDocument.read(
            Array(#"{"types":{"Post":{"fields":{"n":{"type":"INT64"}}}}}"#.utf8))
        try await test.database.schemas.put(document)
        try await test.create("a", #""n":1"#)
        #expect(await rejection { try await test.create("b", #""m":1"#) }?.reason == "Field m not found in Post")
        let narrower = try SchemaDocument.read(Array(#"{"types":{"Post":{"fields":{}}}}"#.utf8))
        #expect(await rejection { try await test.database.schemas.put(narrower) }?.code == .badRequest)
        #expect(await rejection { try await test.database.schemas.put(SchemaDocument(types: [])) }?.code == .badRequest)
        try await test.delete("a")
        try await test.database.schemas.put(SchemaDocument(types: []))
        #expect(test.database.schema.types.isEmpty)
    }

    private static func write(_ json: String, _ name: String, to database: RecordDatabase) async throws {
        let operation = RecordOperation(
            .create, typeName: RecordTypeName("Post"), isTypeInPath: true, recordName: RecordName(name),
            input: try RecordInput.readSingle(Array(json.utf8)))
        _ = try await database.modify(
            WriteRequest(
                caller: .administrator(.bootstrap), address: .publicDefault, shape: .single, operations: [operation]))
    }

    private static func changes(_ reader: RecordReader, since: String?) throws -> JSONValue {
        var json: [UInt8] = []
        try reader.refresh()
        try reader.changes(
            in: .publicDefault, for: .administrator(.bootstrap), since: since, limit: 10, fields: nil, to: &json)
        return try JSONValue.parse(json)
    }

    private static func look(_ reader: RecordReader, _ name: String) throws -> RecordDictionary {
        var json: [UInt8] = []
        try reader.refresh()
        _ = try reader.lookUp(
            try #require(RecordName(name)), type: try #require(RecordTypeName("Post")), in: .publicDefault,
            for: .administrator(.bootstrap), fields: nil, to: &json)
        return try RecordDictionary.decode(json)
    }
}
