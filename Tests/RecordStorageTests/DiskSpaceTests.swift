import Foundation
import RecordModel
import RecordStorage
import StoreTestSupport
import Testing

@Suite struct DiskSpaceTests {
    private static let mega = 1 << 20

    private static func room(free: Int, total: Int, log: Int = 0, file: Int, pages: Int? = nil) -> DiskSpace {
        DiskSpace(
            disk: DirectoryInspection.Space(free: free, total: total), walBytes: log, fileBytes: file,
            pages: pages ?? file / 4_096)
    }

    @Test func `a disk with free space sets no limit`() {
        let room = Self.room(free: 50 << 30, total: 100 << 30, log: 16 * Self.mega, file: 1 << 30)
        #expect(room.pageLimit == nil)
        #expect(!room.needsCheckpoint)
    }

    @Test func `the file does not grow into the space that the WAL needs`() {
        let room = Self.room(free: 4 * Self.mega, total: 12 * Self.mega, file: 6 * Self.mega)
        #expect(room.workingBytes == 12 * Self.mega / 8)
        #expect(room.growthBytes == 4 * Self.mega - room.workingBytes)
        #expect(room.pageLimit == 6 * 256 + (4 * Self.mega - Self.mega) / 2 / 4_096)
        // Near the end the space for the WAL is the limit.
        let low = Self.room(free: 2 * Self.mega, total: 12 * Self.mega, file: 6 * Self.mega)
        #expect(low.pageLimit == 6 * 256 + low.growthBytes / 4_096)
        let full = Self.room(free: Self.mega, total: 12 * Self.mega, file: 9 * Self.mega)
        #expect(full.pageLimit == 9 * 256)
        #expect(full.usableBytes(freePages: 256) == Self.mega)
    }

    @Test func `pages without a checkpoint fit on the disk together with their WAL`() {
        for (free, log) in [(5, 6), (6, 5), (9, 2)] {
            let pending = log - 1
            let room = Self.room(
                free: free * Self.mega, total: 12 * Self.mega, log: log * Self.mega, file: Self.mega,
                pages: (1 + pending) * 256)
            let new = ((room.pageLimit ?? 0) - room.pages) * 4_096
            #expect(new == 0 || free * Self.mega - new >= room.pendingBytes + new, "\(free) free, \(log) of log")
        }
    }

    @Test func `pages only in the WAL count as growth, and the WAL as free space`() {
        let room = Self.room(free: Self.mega, total: 64 << 20, log: 9 * Self.mega, file: 2 * Self.mega, pages: 3 * 256)
        #expect(room.pendingBytes == Self.mega)
        #expect(room.growthBytes == Self.mega + 9 * Self.mega - Self.mega - 4 * Self.mega)
        #expect(room.needsCheckpoint)
    }

    @Test func `a quota, a file size limit and a read-only file system are distinguished from other I/O errors`() {
        let (write, sync): (Int32, Int32) = (778, 1034)
        for code in [EDQUOT, EFBIG] {
            let error = StoreFailure(code: write, message: "disk I/O error", systemError: code)
            #expect(error.isStorageFull && error.kind == .quotaUsedUp)
            #expect(!StoreFailure(code: sync, message: "disk I/O error", systemError: code).isStorageFull)
        }
        #expect(StoreFailure(code: write, message: "disk I/O error", systemError: EROFS).kind == .readOnly)
        #expect(StoreFailure(code: 8, message: "attempt to write a readonly database").kind == .readOnly)
        #expect(StoreFailure(code: 1032, message: "attempt to write a readonly database").kind == .other)
        #expect(!StoreFailure(code: write, message: "disk I/O error", systemError: EIO).isStorageFull)
    }

    @Test func `the WAL is truncated after its last commit, and nothing is lost`() throws {
        let file = try TestFile()
        let connection = file.writer
        try connection.execute("CREATE TABLE t (x)")
        try connection.execute("INSERT INTO t VALUES (1)")
        let size = DataDirectory.size(of: file.path + "-wal")
        let handle = try #require(FileHandle(forUpdatingAtPath: file.path + "-wal"))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(repeating: 7, count: 50_000))
        try handle.close()
        connection.truncateWAL()
        #expect(DataDirectory.size(of: file.path + "-wal") == size)
        try connection.execute("INSERT INTO t VALUES (2)")
        #expect(try Connection(path: file.path, role: .reader).integer("SELECT sum(x) FROM t") == 3)
        #expect(connection.hasWALFrames)
        #expect(try connection.checkpoint(.truncate))
        connection.truncateWAL()
        #expect(!connection.hasWALFrames && DataDirectory.size(of: file.path + "-wal") == 0)
        try connection.execute("INSERT INTO t VALUES (3)")
        #expect(try Connection(path: file.path, role: .reader).integer("SELECT sum(x) FROM t") == 6)
    }

    @Test func `a page limit is a full disk for growth, not for the reuse of freed pages`() throws {
        let file = try TestFile()
        let connection = file.writer
        try connection.execute("CREATE TABLE t (x)")
        try connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
        let room = connection.diskSpace()
        #expect(room.pages * 4_096 > 100_000 && room.pendingBytes > 0)
        try connection.limitPages(room.pages)
        #expect(throws: RecordError.self) { try connection.execute("INSERT INTO t VALUES (zeroblob(100000))") }
        #expect(connection.failure?.kind == .full)
        try connection.execute("DELETE FROM t")
        #expect(try connection.freePages() > 20)
        try connection.execute("INSERT INTO t VALUES (zeroblob(90000))")
        try connection.limitPages(nil)
        try connection.execute("INSERT INTO t VALUES (zeroblob(1000000))")
    }

    @Test func `a migration without disk space is retried after a checkpoint or says how to free some`() throws {
        let file = try TestFile()
        let full = StoreFailure(code: 13, message: "database or disk is full")
        file.writer.fail(by: FaultPlan(failAt: 0, with: full))
        try Migrations.runMakingSpace(on: file.writer)
        file.writer.fail(by: FaultPlan(failAt: 0, with: full, lasts: true))
        let problem = #expect(throws: DataDirectory.Problem.self) { try Migrations.runMakingSpace(on: file.writer) }
        #expect(problem?.description.contains("Make room, about as much as that file has") == true)
        let damaged = StoreFailure(code: 11, message: "database disk image is malformed")
        file.writer.fail(by: FaultPlan(failAt: 0, with: damaged))
        #expect(throws: damaged) { try Migrations.runMakingSpace(on: file.writer) }
    }
}
