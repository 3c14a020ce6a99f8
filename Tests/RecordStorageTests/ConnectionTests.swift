import Cryptography
import Foundation
import RecordModel
import RecordStorage
import StoreTestSupport
import Testing

@Suite struct ConnectionTests {
    @Test func `the writer syncs each commit and leaves checkpoints to the database`() throws {
        let file = try TestFile()
        #expect(try file.writer.integer("PRAGMA synchronous") == 2)
        #expect(try file.writer.integer("PRAGMA wal_autocheckpoint") == 0)
        #expect(try file.writer.integer("PRAGMA temp_store") == 2)
    }

    @Test func `the log stays when it could not be copied, and goes when it was`() throws {
        let folder = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try DataFolder.makeFolder(folder)
        let path = DataFolder.databasePath(in: folder)
        func withWriter(_ body: (Connection) throws -> Void) throws {
            try body(try Connection(path: path, role: .writer))
        }
        try withWriter { writer in
            try writer.execute("CREATE TABLE first (number)")
            writer.fail(by: FaultPlan(failAt: 0, with: StoreFailure(code: 1034, message: "fsync")))
            #expect(throws: RecordError.self) { _ = try writer.checkpoint(.truncate) }
            #expect(writer.failure?.kind == .syncFailed)
        }
        // SQLite would copy it once more when the connection closes, believe the second sync, and take the log away.
        #expect(DataFolder.size(of: path + "-wal") > 0)
        #expect(DataFolder.size(of: path) == 4_096)
        try withWriter { writer in
            let count = try writer.integer("SELECT count(*) FROM first")
            #expect(count == 0)
            let isWhole = try writer.checkpoint(.truncate)
            #expect(isWhole)
        }
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(DataFolder.size(of: path) > 4_096)
    }

    @Test func `a reader cannot write`() throws {
        let file = try TestFile()
        let reader = try Connection(path: file.path, role: .reader)
        #expect(throws: RecordError.self) { try reader.execute("DELETE FROM record") }
        #expect(throws: RecordError.self) { try reader.execute("CREATE TABLE x (y)") }
    }

    @Test func `bound text of any content comes back byte for byte`() throws {
        let file = try TestFile()
        let statement = file.writer.prepare("SELECT ?1, ?2, ?3")
        for text in ["", "a", "a\u{0}b", "'; DROP TABLE record; --", "日本語", String(repeating: "x", count: 100_000)] {
            statement.bind(1, text: text)
            statement.bind(2, blob: Array(text.utf8))
            statement.bind(3, nil as Int64?)
            #expect(try statement.step())
            #expect(statement.text(0) == text)
            #expect(statement.blob(1) == Array(text.utf8))
            #expect(statement.isNull(2))
            #expect(!statement.isNull(0))
            statement.reset()
        }
    }

    @Test func `a failure names the statement and not its values, and a client is told of neither`() throws {
        let file = try TestFile()
        try file.insert("same", id: 1)
        do {
            try file.insert("same", id: 2)
            Issue.record("a name was taken twice")
        } catch let error as RecordError {
            let failure = try #require(file.writer.failure)
            #expect(failure.kind == .other && failure.description.contains("UNIQUE constraint failed"))
            #expect(!failure.description.contains("same"))
            #expect(failure.description.contains("INSERT INTO record"))
            #expect(error == RecordError(failure) && !error.reason.contains("record"))
        }
    }

    @Test func `migrations run once and refuse the file of a newer server`() throws {
        let file = try TestFile()
        try Migrations.run(on: file.writer)
        try file.writer.execute("INSERT INTO migration (position, name) VALUES (99, 'from the future')")
        try #require(throws: RecordError.self) { try Migrations.run(on: file.writer) }
        #expect(file.writer.failure?.description.contains("written by a newer version") == true)
    }
}

@Suite struct SnapshotTests {
    @Test func `a snapshot stays until something is committed, then shows it`() throws {
        let file = try TestFile()
        let connection = try Connection(path: file.path, role: .reader)
        let snapshot = Snapshot(connection, clock: file.clock)
        let count = connection.prepare("SELECT count(*) FROM record")
        func records() throws -> Int64 {
            defer { count.reset() }
            _ = try count.step()
            return count.integer(0)
        }
        // The number of the log is there from the first read on.
        try snapshot.refresh()
        try snapshot.refresh()
        let openings = snapshot.openings
        for _ in 0..<10 { try snapshot.refresh() }
        #expect(try records() == 0)
        #expect(snapshot.openings == openings)
        try file.insert("a", id: 1)
        // Committed and not yet published: who opens a view now is shown it, so whoever asks later must be, too.
        try snapshot.refresh()
        #expect(try records() == 1)
        #expect(snapshot.openings == openings + 1)
        file.clock.publish(rightsChanged: false, through: 0)
        for _ in 0..<10 { try snapshot.refresh() }
        #expect(snapshot.openings == openings + 1)
        #expect(snapshot.seen == file.clock.commits)
        snapshot.end()
        #expect(file.clock.openSnapshots == 0)
    }

    @Test func `a checkpoint changes nothing that a snapshot shows`() throws {
        let file = try TestFile()
        let connection = try Connection(path: file.path, role: .reader)
        let snapshot = Snapshot(connection, clock: file.clock)
        for id in 1...50 { try file.insert("r\(id)", id: Int64(id)) }
        try snapshot.refresh()
        try snapshot.refresh()
        let openings = snapshot.openings
        #expect(try file.writer.checkpoint(.passive))
        try snapshot.refresh()
        #expect(snapshot.openings == openings)
        snapshot.end()
        #expect(try file.writer.checkpoint(.restart))
        try file.insert("last", id: 1_000)
        try snapshot.refresh()
        #expect(try connection.integer("SELECT count(*) FROM record") == 51)
    }

    @Test func `a checkpoint waits for readers, and gives up on one that stays`() throws {
        let file = try TestFile()
        let connection = try Connection(path: file.path, role: .reader)
        let snapshot = Snapshot(connection, clock: file.clock)
        try snapshot.refresh()
        let patience = Duration.milliseconds(5)
        #expect(file.clock.withoutReaders(patience: patience) { true } == nil)
        snapshot.end()
        #expect(file.clock.withoutReaders(patience: patience) { true } == true)
        // The gate is open again.
        try snapshot.refresh()
        #expect(file.clock.openSnapshots == 1)
    }

    @Test func `those who read long are kept out one after the other, and short turns go on`() throws {
        let file = try TestFile()
        func makeSnapshot(_ length: ViewLength) throws -> Snapshot {
            Snapshot(try Connection(path: file.path, role: .reader), clock: file.clock, length: length)
        }
        let (query, page, turn) = (try makeSnapshot(.query), try makeSnapshot(.page), try makeSnapshot(.turn))
        try query.refresh()
        // A query has a view: pages are not kept out for its sake, nor are turns.
        #expect(!file.clock.keepOutLongViews())
        #expect(file.clock.isGateClosed(for: .query))
        try page.refresh()
        try turn.refresh()
        query.end()
        // No query is left, and none comes in: pages are next.
        #expect(!file.clock.keepOutLongViews())
        #expect(file.clock.isGateClosed(for: .page) && !file.clock.isGateClosed(for: .turn))
        page.end()
        #expect(file.clock.keepOutLongViews())
        try turn.refresh()
        turn.end()
        #expect(file.clock.withoutReaders(patience: .milliseconds(5)) { true } == true)
        // All are let in again.
        for snapshot in [query, page, turn] { try snapshot.refresh() }
        #expect(file.clock.openSnapshots == 3)
        for snapshot in [query, page, turn] { snapshot.end() }
        // A database that closes waits for those who read, so it keeps nobody out.
        file.clock.letIn(forGood: true)
        try query.refresh()
        #expect(file.clock.keepOutLongViews())
        try page.refresh()
        #expect(file.clock.openSnapshots == 2)
    }

    @Test func `a restarting checkpoint empties the log when readers have let go`() throws {
        let file = try TestFile()
        for id in 1...200 { try file.insert("r\(id)", id: Int64(id)) }
        #expect(file.writer.framesInLog > 200)
        #expect(try file.writer.checkpoint(.restart))
        try file.insert("last", id: 1_000)
        #expect(file.writer.framesInLog < 50)
    }

    /// Another process, such as the doctor, may read for minutes. Nobody here waits for it.
    @Test(arguments: [Connection.CheckpointMode.restart, .truncate])
    func `a checkpoint does not wait for readers that are not ours`(mode: Connection.CheckpointMode) throws {
        let file = try TestFile()
        for id in 1...20 { try file.insert("r\(id)", id: Int64(id)) }
        let stranger = try Connection(path: file.path, role: .scanner)
        try stranger.execute("BEGIN")
        #expect(try stranger.integer("SELECT count(*) FROM record") == 20)
        let started = ContinuousClock.now
        let isWhole = try file.writer.checkpoint(mode)
        // SQLite would try for five seconds.
        #expect(!isWhole && started.duration(to: .now) < .milliseconds(2_500))
        try stranger.execute("COMMIT")
        #expect(try file.writer.checkpoint(mode))
    }
}

@Suite struct DataFolderTests {
    @Test func `a folder belongs to one process at a time, and its secret stays`() throws {
        let outer = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: outer) }
        let path = outer + "/a/b"
        func secretText() throws -> [UInt8] {
            let folder = try DataFolder(opening: path)
            #expect(DataFolder.isInUse(path))
            #expect(throws: DataFolder.Problem.self) { _ = try DataFolder(opening: path) }
            return try folder.secret().derive(label: "test", length: 16)
        }
        let first = try secretText()
        #expect(!DataFolder.isInUse(path))
        #expect(try secretText() == first)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? Int) == 0o700)
    }

    @Test func `a damaged secret is refused with a sentence`() throws {
        let path = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            let folder = try DataFolder(opening: path)
            _ = try folder.secret()
        }
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path + "/secret"))
        let folder = try DataFolder(opening: path)
        do {
            _ = try folder.secret()
            Issue.record("a damaged secret was taken")
        } catch {
            #expect(error.description.contains("32 bytes"))
        }
    }
}
