import Foundation
import RecordStorage
import Testing

/// Room on the disk that a folder keeps for its next start.
@Suite struct StartReserveTests {
    private let folder: TestFolder
    private let reserve: StartReserve
    private static let plenty = StartReserve.leastFreeBytes
    private static let full = StoreFailure(code: 13, message: "database or disk is full")
    private static let noRoomForTheIndex = StoreFailure(code: 4874, message: "disk I/O error")

    init() throws {
        folder = try TestFolder()
        reserve = StartReserve(in: folder.path)
    }

    private var size: Int { DataFolder.size(of: folder.path + "/.reserve") }

    @discardableResult
    private func keep(free: Int = plenty) -> Bool {
        reserve.keep { _ in free }
    }

    @Test func `it takes room on the disk, for its owner only`() throws {
        keep()
        var status = stat()
        try #require(stat(folder.path + "/.reserve", &status) == 0)
        #expect(Int(status.st_size) == StartReserve.bytes)
        #expect(Int(status.st_blocks) * 512 >= StartReserve.bytes)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `where there is little room it takes none`() {
        #expect(keep(free: Self.plenty - 1))
        #expect(!FolderInspection.exists(folder.path + "/.reserve"))
        #expect(keep(free: Self.plenty))
        #expect(size == StartReserve.bytes)
    }

    @Test func `what is missing of it is added when there is room`() throws {
        try Data(count: 100_000).write(to: URL(filePath: folder.path + "/.reserve"))
        keep(free: Self.plenty - 1)
        #expect(size == 100_000)
        keep()
        #expect(size == StartReserve.bytes)
    }

    @Test func `it is left alone where it is whole`() throws {
        keep()
        let before = try Data(contentsOf: URL(filePath: folder.path + "/.reserve"))
        reserve.keep { _ in
            Issue.record("The disk is asked for nothing")
            return 0
        }
        #expect(try Data(contentsOf: URL(filePath: folder.path + "/.reserve")) == before)
    }

    @Test func `a folder where it cannot be made stays as it is, and who tried is told`() throws {
        let path = folder.path + "/.reserve"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(!keep())
        #expect(FolderInspection.isFolder(path))
        #expect(!StartReserve(in: folder.path + "/nowhere").keep { _ in Self.plenty })
        #expect(!FolderInspection.exists(folder.path + "/nowhere"))
    }

    @Test(arguments: [full, noRoomForTheIndex])
    func `a start without room is given as much of it as it needs, and no more`(failure: StoreFailure) throws {
        keep()
        let needed = 64 << 10
        var attempts = 0
        let answer = try reserve.open {
            attempts += 1
            if size > StartReserve.bytes - needed { throw failure }
            return "open"
        }
        #expect(answer == "open")
        #expect(attempts == 3)
        #expect(size == StartReserve.bytes - needed)
    }

    @Test func `a start for which all of it is not enough says what is missing`() {
        keep()
        var attempts = 0
        #expect(throws: Self.noRoomForTheIndex) {
            try reserve.open {
                attempts += 1
                throw Self.noRoomForTheIndex
            }
        }
        #expect(attempts == 9)
        #expect(!FolderInspection.exists(folder.path + "/.reserve"))
    }

    @Test func `a start without any reserve says what is missing`() {
        var attempts = 0
        #expect(throws: Self.full) {
            try reserve.open {
                attempts += 1
                throw Self.full
            }
        }
        #expect(attempts == 1)
    }

    @Test func `a deletion is lent what a start does not need, and it is taken back where there is little room`() {
        keep()
        #expect(reserve.lend())
        #expect(size == 64 << 10)
        #expect(!reserve.lend())
        #expect(reserve.keep(least: StartReserve.bytes) { _ in StartReserve.bytes - 1 } && size == 64 << 10)
        #expect(reserve.keep(least: StartReserve.bytes) { _ in StartReserve.bytes } && size == StartReserve.bytes)
    }

    @Test func `nothing of it is given up for another failure`() {
        keep()
        let damaged = StoreFailure(code: 11, message: "database disk image is malformed")
        #expect(throws: damaged) { try reserve.open { throw damaged } }
        #expect(size == StartReserve.bytes)
    }
}

/// An empty folder that goes with the test.
private final class TestFolder {
    let path = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString

    init() throws { try DataFolder.makeFolder(path) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
