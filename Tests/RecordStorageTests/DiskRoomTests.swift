import Foundation
import RecordModel
import RecordStorage
import StoreTestSupport
import Testing

@Suite struct DiskRoomTests {
    private static let mega = 1 << 20

    private static func room(free: Int, total: Int, log: Int = 0, file: Int, pages: Int? = nil) -> DiskRoom {
        DiskRoom(
            disk: FolderInspection.Space(free: free, total: total), logBytes: log, fileBytes: file,
            pages: pages ?? file / 4_096)
    }

    @Test func `a disk with room bounds nothing`() {
        let room = Self.room(free: 50 << 30, total: 100 << 30, log: 16 * Self.mega, file: 1 << 30)
        #expect(room.pageLimit == nil)
        #expect(!room.needsCheckpoint)
    }

    @Test func `the file does not grow into what the log needs`() {
        let room = Self.room(free: 4 * Self.mega, total: 12 * Self.mega, file: 6 * Self.mega)
        #expect(room.workingBytes == 12 * Self.mega / 8)
        #expect(room.growthBytes == 4 * Self.mega - room.workingBytes)
        #expect(room.pageLimit == 6 * 256 + (4 * Self.mega - Self.mega) / 2 / 4_096)
        // Near the end it is what the log needs that bounds it.
        let low = Self.room(free: 2 * Self.mega, total: 12 * Self.mega, file: 6 * Self.mega)
        #expect(low.pageLimit == 6 * 256 + low.growthBytes / 4_096)
        let full = Self.room(free: Self.mega, total: 12 * Self.mega, file: 9 * Self.mega)
        #expect(full.pageLimit == 9 * 256)
        #expect(full.usableBytes(freePages: 256) == Self.mega)
    }

    @Test func `what is not copied yet fits beside the log that has it`() {
        for (free, log) in [(5, 6), (6, 5), (9, 2)] {
            let pending = log - 1
            let room = Self.room(
                free: free * Self.mega, total: 12 * Self.mega, log: log * Self.mega, file: Self.mega,
                pages: (1 + pending) * 256)
            let new = ((room.pageLimit ?? 0) - room.pages) * 4_096
            #expect(new == 0 || free * Self.mega - new >= room.pendingBytes + new, "\(free) free, \(log) of log")
        }
    }

    @Test func `what is in the log alone counts as growth, and the log as room`() {
        let room = Self.room(free: Self.mega, total: 64 << 20, log: 9 * Self.mega, file: 2 * Self.mega, pages: 3 * 256)
        #expect(room.pendingBytes == Self.mega)
        #expect(room.growthBytes == Self.mega + 9 * Self.mega - Self.mega - 4 * Self.mega)
        #expect(room.needsCheckpoint)
    }

    @Test func `a quota, a limit of file sizes and a read-only file system are told from other I/O errors`() {
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

    @Test func `the log is cut behind its last commit, and nothing of it is lost`() throws {
        let file = try TestFile()
        let connection = file.writer
        try connection.execute("CREATE TABLE t (x)")
        try connection.execute("INSERT INTO t VALUES (1)")
        let size = DataFolder.size(of: file.path + "-wal")
        let handle = try #require(FileHandle(forUpdatingAtPath: file.path + "-wal"))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(repeating: 7, count: 50_000))
        try handle.close()
        connection.cutLog()
        #expect(DataFolder.size(of: file.path + "-wal") == size)
        try connection.execute("INSERT INTO t VALUES (2)")
        #expect(try Connection(path: file.path, role: .reader).integer("SELECT sum(x) FROM t") == 3)
        #expect(connection.hasLog)
        #expect(try connection.checkpoint(.truncate))
        connection.cutLog()
        #expect(!connection.hasLog && DataFolder.size(of: file.path + "-wal") == 0)
        try connection.execute("INSERT INTO t VALUES (3)")
        #expect(try Connection(path: file.path, role: .reader).integer("SELECT sum(x) FROM t") == 6)
    }

    @Test func `a bound on pages is a full disk to what needs more, and not to what frees and takes pages`() throws {
        let file = try TestFile()
        let connection = file.writer
        try connection.execute("CREATE TABLE t (x)")
        try connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
        let room = connection.diskRoom()
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

    @Test func `a migration without room runs again when the log was copied, or says how to make some`() throws {
        let file = try TestFile()
        let full = StoreFailure(code: 13, message: "database or disk is full")
        file.writer.fail(by: FaultPlan(failAt: 0, with: full))
        try Migrations.runMakingRoom(on: file.writer)
        file.writer.fail(by: FaultPlan(failAt: 0, with: full, lasts: true))
        let problem = #expect(throws: DataFolder.Problem.self) { try Migrations.runMakingRoom(on: file.writer) }
        #expect(problem?.description.contains("Make room, about as much as that file has") == true)
        let damaged = StoreFailure(code: 11, message: "database disk image is malformed")
        file.writer.fail(by: FaultPlan(failAt: 0, with: damaged))
        #expect(throws: damaged) { try Migrations.runMakingRoom(on: file.writer) }
    }
}
