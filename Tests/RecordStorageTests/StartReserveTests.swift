import Foundation
import RecordStorage
import Testing

/// Room on the disk that a directory keeps for its next start.
@Suite struct StartReserveTests {
    private let directory: TestDirectory
    private let reserve: StartReserve
    private static let plenty = StartReserve.leastFreeBytes
    private static let full = StoreFailure(code: 13, message: "database or disk is full")
    private static let noRoomForTheIndex = StoreFailure(code: 4874, message: "disk I/O error")

    init() throws {
        directory = try TestDirectory()
        reserve = StartReserve(in: directory.path)
    }

    private var size: Int { DataDirectory.size(of: directory.path + "/.reserve") }

    @discardableResult
    private func keep(free: Int = plenty) -> Bool {
        reserve.keep { _ in free }
    }

    @Test func `the reserve occupies disk space and is private to its owner`() throws {
        keep()
        var status = stat()
        try #require(stat(directory.path + "/.reserve", &status) == 0)
        #expect(Int(status.st_size) == StartReserve.bytes)
        #expect(Int(status.st_blocks) * 512 >= StartReserve.bytes)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `the reserve is not created on a nearly full disk`() {
        #expect(keep(free: Self.plenty - 1))
        #expect(!DirectoryInspection.exists(directory.path + "/.reserve"))
        #expect(keep(free: Self.plenty))
        #expect(size == StartReserve.bytes)
    }

    @Test func `the missing part of the reserve is added when there is space`() throws {
        try Data(count: 100_000).write(to: URL(filePath: directory.path + "/.reserve"))
        keep(free: Self.plenty - 1)
        #expect(size == 100_000)
        keep()
        #expect(size == StartReserve.bytes)
    }

    @Test func `a complete reserve is left alone`() throws {
        keep()
        let before = try Data(contentsOf: URL(filePath: directory.path + "/.reserve"))
        reserve.keep { _ in
            Issue.record("The disk is asked for nothing")
            return 0
        }
        #expect(try Data(contentsOf: URL(filePath: directory.path + "/.reserve")) == before)
    }

    @Test func `a failed creation leaves the directory unchanged and returns false`() throws {
        let path = directory.path + "/.reserve"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(!keep())
        #expect(DirectoryInspection.isDirectory(path))
        #expect(!StartReserve(in: directory.path + "/nowhere").keep { _ in Self.plenty })
        #expect(!DirectoryInspection.exists(directory.path + "/nowhere"))
    }

    @Test(arguments: [full, noRoomForTheIndex])
    func `a start without space gets as much of the reserve as it needs, and no more`(failure: StoreFailure) throws {
        keep()
        let needed = 64 << 10
        var attempts = 0
        let response = try reserve.open {
            attempts += 1
            if size > StartReserve.bytes - needed { throw failure }
            return "open"
        }
        #expect(response == "open")
        #expect(attempts == 3)
        #expect(size == StartReserve.bytes - needed)
    }

    @Test func `a start that needs more than the reserve reports the missing space`() {
        keep()
        var attempts = 0
        #expect(throws: Self.noRoomForTheIndex) {
            try reserve.open {
                attempts += 1
                throw Self.noRoomForTheIndex
            }
        }
        #expect(attempts == 9)
        #expect(!DirectoryInspection.exists(directory.path + "/.reserve"))
    }

    @Test func `a start without a reserve reports the missing space`() {
        var attempts = 0
        #expect(throws: Self.full) {
            try reserve.open {
                attempts += 1
                throw Self.full
            }
        }
        #expect(attempts == 1)
    }

    @Test func `a deletion borrows what a start does not need and returns it even on a nearly full disk`() {
        keep()
        #expect(reserve.lend())
        #expect(size == 64 << 10)
        #expect(!reserve.lend())
        #expect(reserve.keep(least: StartReserve.bytes) { _ in StartReserve.bytes - 1 } && size == 64 << 10)
        #expect(reserve.keep(least: StartReserve.bytes) { _ in StartReserve.bytes } && size == StartReserve.bytes)
    }

    @Test func `another failure releases nothing of the reserve`() {
        keep()
        let damaged = StoreFailure(code: 11, message: "database disk image is malformed")
        #expect(throws: damaged) { try reserve.open { throw damaged } }
        #expect(size == StartReserve.bytes)
    }
}

/// An empty directory that is removed with the test.
private final class TestDirectory {
    let path = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString

    init() throws { try DataDirectory.makeDirectory(path) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
