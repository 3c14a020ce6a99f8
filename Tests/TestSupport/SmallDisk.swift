import Foundation

/// A small file system in memory, of a few megabytes, that is removed with the test.
package final class SmallDisk: Sendable {
    package let path: String

    /// Why tests that need one are skipped where there is none.
    package static let reason =
        "Mounting a file system is not permitted here: run these tests as root to have a full disk"

    /// Whether this process may mount.
    package static let isPossible: Bool = {
        guard let disk = try? SmallDisk(megabytes: 1) else { return false }
        return disk.isMounted
    }()

    private let isMounted: Bool

    package init(megabytes: Int) throws {
        path = NSTemporaryDirectory() + "fogbase-disk-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        isMounted = Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "fogbase-test", path)
    }

    deinit {
        if isMounted { _ = Self.run("umount", "-l", path) }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Gives the disk another size.
    package func resize(megabytes: Int) -> Bool {
        Self.run("mount", "-o", "remount,size=\(megabytes)m", path)
    }

    private static func run(_ words: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
