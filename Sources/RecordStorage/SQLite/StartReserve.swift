internal import Cryptography
internal import Glibc

/// Disk space that a directory keeps for its next start: the file `.reserve`. No container can have this name.
///
/// Opening a database after a crash, or after the last connection was closed, needs space for the WAL index before the
/// first page can be read. On a full disk the server could not start, not even for reading. Such a start takes the
/// space from this file in steps, so that some is left for the next start.
package struct StartReserve: Sendable {
    /// The name of the file.
    package static let name = ".reserve"

    /// The size of the reserve: the WAL indexes of 128 MiB of WAL, twice the length at which the WAL is restarted.
    package static let bytes = 256 << 10

    /// The bytes that a start takes from the reserve per step: enough WAL index for 4,096 WAL pages.
    static let step = 32 << 10

    /// The free bytes below which the reserve takes no space, so that writes can use the space.
    package static let leastFreeBytes = 16 * bytes

    private let file: String
    private let directory: String

    /// Creates the value for a directory. Creates nothing on disk.
    package init(in directory: String) {
        self.directory = directory
        file = directory + "/" + Self.name
    }

    // MARK: Using the reserve

    /// Runs `body`, which opens a file of the directory. If the disk is full, releases one step of the reserve and runs
    /// `body` again.
    ///
    /// - Throws: The error of `body`; `StoreFailure` if the disk is full and the reserve is used up.
    package func open<Value>(_ body: () throws -> Value) throws -> Value {
        while true {
            do {
                return try body()
            } catch let error as StoreFailure where error.isStorageFull {
                guard giveUp() else { throw error }
            }
        }
    }

    /// Releases one step of the reserve.
    ///
    /// - Returns: Whether the reserve had any bytes left.
    private func giveUp() -> Bool {
        let size = DataDirectory.size(of: file)
        guard size > Self.step else { return unlink(file) == 0 }
        let descriptor = Glibc.open(file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return unlink(file) == 0 }
        defer { close(descriptor) }
        guard ftruncate(descriptor, size - Self.step) == 0 else { return unlink(file) == 0 }
        // Some file systems make freed space available only after a sync.
        fsync(descriptor)
        return true
    }

    // MARK: Lending the reserve

    /// The bytes that a loan leaves for the next start: the WAL index of 32 MiB of WAL.
    private static let unlentBytes = 2 * step

    /// Shrinks the reserve to `unlentBytes`, so that a deletion can use the freed space. `keep` restores the size.
    ///
    /// - Returns: Whether the reserve had bytes to lend.
    package func lend() -> Bool {
        guard DataDirectory.size(of: file) > Self.unlentBytes else { return false }
        let descriptor = Glibc.open(file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard ftruncate(descriptor, Self.unlentBytes) == 0 else { return false }
        fsync(descriptor)
        return true
    }

    // MARK: Keeping the reserve

    /// Creates the file, or restores its size, if there is enough space. A failure leaves the file as it was, for the
    /// next time.
    ///
    /// - Parameters:
    ///   - least: The free bytes below which no space is taken.
    ///   - freeBytes: Returns the free bytes of the disk; called only if something is missing.
    /// - Returns: False if writing failed. `freeBytes` does not see quotas, so a caller that retries at once would
    ///   use up the last of a quota again and again.
    @discardableResult
    package func keep(
        least: Int = leastFreeBytes, freeBytes: (_ directory: String) -> Int = DirectoryInspection.freeBytes
    ) -> Bool {
        let size = DataDirectory.size(of: file)
        guard size < Self.bytes, freeBytes(directory) >= least else { return true }
        let descriptor = Glibc.open(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Random bytes: some file systems allocate no space for holes, zeros or compressible bytes.
        let missing = RandomBytes.make(Self.bytes - size)
        let written = missing.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, size) }
        if written == missing.count, fsync(descriptor) == 0 { return true }
        // The disk is full: give the space back.
        if size == 0 { unlink(file) } else { ftruncate(descriptor, size) }
        return false
    }
}
