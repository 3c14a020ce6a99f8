internal import Cryptography
internal import Glibc

/// Room on the disk that a folder keeps for its next start: the file `.reserve`, a name that no container has.
///
/// Who opens a database after a crash, or after the last one has closed it, needs room for the index of the log before it
/// can read a single page. On a disk without any there would be no server, also not one that only reads. Such a start takes
/// the room from this file, piece by piece, so that there is some left for the one after it.
package struct StartReserve: Sendable {
    package static let name = ".reserve"

    /// The indexes of 128 MiB of log: twice what it has when the writer begins to insist on a checkpoint.
    package static let bytes = 256 << 10

    /// What is given up at a time: the index of 4,096 pages of log.
    static let step = 32 << 10

    /// With less room than this on the disk nothing is taken away from those who write.
    package static let leastFreeBytes = 16 * bytes

    private let file: String
    private let folder: String

    package init(in folder: String) {
        self.folder = folder
        file = folder + "/" + Self.name
    }

    // MARK: Using it

    /// Runs `body`, which opens a file of the folder, and as long as it finds no room on the disk, once more with a piece of
    /// the reserve given up.
    package func open<Value>(_ body: () throws -> Value) throws -> Value {
        while true {
            do {
                return try body()
            } catch let error as StoreFailure where error.isStorageFull {
                guard giveUp() else { throw error }
            }
        }
    }

    /// Gives a piece back to the disk.
    ///
    /// - Returns: Whether there was anything.
    private func giveUp() -> Bool {
        let size = DataFolder.size(of: file)
        guard size > Self.step else { return unlink(file) == 0 }
        let descriptor = Glibc.open(file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return unlink(file) == 0 }
        defer { close(descriptor) }
        guard ftruncate(descriptor, size - Self.step) == 0 else { return unlink(file) == 0 }
        // Some file systems lend what was freed only when they have noted that it is free.
        fsync(descriptor)
        return true
    }

    // MARK: Lending it

    /// What stays for the next start when the rest is lent: the index of 32 MiB of log.
    private static let unlentBytes = 2 * step

    /// Lends what a start does not need to a deletion, for which a full disk has no other room. `keep` takes it back.
    ///
    /// - Returns: Whether there was anything to lend.
    package func lend() -> Bool {
        guard DataFolder.size(of: file) > Self.unlentBytes else { return false }
        let descriptor = Glibc.open(file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard ftruncate(descriptor, Self.unlentBytes) == 0 else { return false }
        fsync(descriptor)
        return true
    }

    // MARK: Keeping it

    /// Makes the file, or what is missing of it, if there is room.
    ///
    /// Nobody depends on it, so what goes wrong leaves everything as it was, for the next time.
    ///
    /// - Parameters:
    ///   - least: The free bytes below which nothing is taken.
    ///   - freeBytes: What is free on the disk; it is asked only when something is missing.
    /// - Returns: `false` if it was tried in vain: of quotas, `freeBytes` knows nothing, and who tries again at once would
    ///   take the last of one again and again.
    @discardableResult
    package func keep(
        least: Int = leastFreeBytes, freeBytes: (_ folder: String) -> Int = FolderInspection.freeBytes
    ) -> Bool {
        let size = DataFolder.size(of: file)
        guard size < Self.bytes, freeBytes(folder) >= least else { return true }
        let descriptor = Glibc.open(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Bytes that are written and cannot be compressed: of a hole, or of zeros, some file systems keep nothing.
        let missing = RandomBytes.make(Self.bytes - size)
        let written = missing.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, size) }
        if written == missing.count, fsync(descriptor) == 0 { return true }
        // The last room of a disk is not this file's to take.
        if size == 0 { unlink(file) } else { ftruncate(descriptor, size) }
        return false
    }
}
