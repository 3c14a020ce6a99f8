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

    @Test func `the WAL stays after a failed checkpoint and is removed after a complete one`() throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try DataDirectory.makeDirectory(directory)
        let path = DataDirectory.databasePath(in: directory)
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
        #expect(DataDirectory.size(of: path + "-wal") > 0)
        #expect(DataDirectory.size(of: path) == 4_096)
        try withWriter { writer in
            let count = try writer.integer("SELECT count(*) FROM first")
            #expect(count == 0)
            let isWhole = try writer.checkpoint(.truncate)
            #expect(isWhole)
        }
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(DataDirectory.size(of: path) > 4_096)
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

    @Test func `a failure names the statement and not its values, and a client sees neither`() throws {
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

    @Test func `migrations run once and reject the file of a newer server`() throws {
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
        // Committed and not yet published: a snapshot opened now shows it, so later snapshots must show it, too.
        try snapshot.refresh()
        #expect(try records() == 1)
        #expect(snapshot.openings == openings + 1)
        file.clock.publish(rightsChanged: false, through: 0, epoch: 0)
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
        let maxWait = Duration.milliseconds(5)
        #expect(file.clock.withoutReaders(maxWait: maxWait) { true } == nil)
        snapshot.end()
        #expect(file.clock.withoutReaders(maxWait: maxWait) { true } == true)
        // The gate is open again.
        try snapshot.refresh()
        #expect(file.clock.openSnapshots == 1)
    }

    @Test func `long readers are blocked one after the other, and short reads continue`() throws {
        let file = try TestFile()
        func makeSnapshot(_ length: SnapshotLifetime) throws -> Snapshot {
            Snapshot(try Connection(path: file.path, role: .reader), clock: file.clock, length: length)
        }
        let (query, page, turn) = (try makeSnapshot(.query), try makeSnapshot(.page), try makeSnapshot(.turn))
        try query.refresh()
        // A query has a view: pages are not kept out for its sake, nor are turns.
        #expect(!file.clock.blockLongSnapshots())
        #expect(file.clock.isGateClosed(for: .query))
        try page.refresh()
        try turn.refresh()
        query.end()
        // No query is left, and none comes in: pages are next.
        #expect(!file.clock.blockLongSnapshots())
        #expect(file.clock.isGateClosed(for: .page) && !file.clock.isGateClosed(for: .turn))
        page.end()
        #expect(file.clock.blockLongSnapshots())
        try turn.refresh()
        turn.end()
        #expect(file.clock.withoutReaders(maxWait: .milliseconds(5)) { true } == true)
        // All are let in again.
        for snapshot in [query, page, turn] { try snapshot.refresh() }
        #expect(file.clock.openSnapshots == 3)
        for snapshot in [query, page, turn] { snapshot.end() }
        // A closing database waits for its readers, so it blocks none.
        file.clock.letIn(forGood: true)
        try query.refresh()
        #expect(file.clock.blockLongSnapshots())
        try page.refresh()
        #expect(file.clock.openSnapshots == 2)
    }

    @Test func `a restarting checkpoint empties the WAL after readers release it`() throws {
        let file = try TestFile()
        for id in 1...200 { try file.insert("r\(id)", id: Int64(id)) }
        #expect(file.writer.walFrames > 200)
        #expect(try file.writer.checkpoint(.restart))
        try file.insert("last", id: 1_000)
        #expect(file.writer.walFrames < 50)
    }

    /// Another process, such as the doctor, may read for minutes. The server does not wait for it.
    @Test(arguments: [Connection.CheckpointMode.restart, .truncate])
    func `a checkpoint does not wait for readers of other processes`(mode: Connection.CheckpointMode) throws {
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

@Suite struct DataDirectoryTests {
    @Test func `a directory belongs to one process at a time, and its secret stays`() throws {
        let outer = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: outer) }
        let path = outer + "/a/b"
        func secretText() throws -> [UInt8] {
            let directory = try DataDirectory(opening: path)
            #expect(DataDirectory.isInUse(path))
            #expect(throws: DataDirectory.Problem.self) { _ = try DataDirectory(opening: path) }
            return try directory.secret().derive(label: "test", length: 16)
        }
        let first = try secretText()
        #expect(!DataDirectory.isInUse(path))
        #expect(try secretText() == first)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? Int) == 0o700)
    }

    @Test func `a damaged secret is rejected with a sentence`() throws {
        let path = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            let directory = try DataDirectory(opening: path)
            _ = try directory.secret()
        }
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path + "/secret"))
        let directory = try DataDirectory(opening: path)
        do {
            _ = try directory.secret()
            Issue.record("a damaged secret was taken")
        } catch {
            #expect(error.description.contains("32 bytes"))
        }
    }
}
