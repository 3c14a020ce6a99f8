/// The disk space that a database may use, and the part that only deletions and checkpoints may use.
///
/// A write goes to the WAL first. A checkpoint later copies the WAL into the file. The disk needs space for both until
/// the checkpoint is complete. On a completely full disk, even deletions would be impossible. So ordinary writes may
/// not use the last `workingBytes` of the disk. These bytes are for the WAL.
package struct DiskSpace: Hashable, Sendable {
    /// The free space of the disk.
    package var disk: DirectoryInspection.Space
    /// The size of the WAL file in bytes.
    package var walBytes: Int
    /// The size of the database file in bytes.
    package var fileBytes: Int
    /// The size of the database in pages, including pages that are only in the WAL.
    package var pages: Int

    /// Creates the disk space from measured or test values.
    package init(disk: DirectoryInspection.Space, walBytes: Int, fileBytes: Int, pages: Int) {
        self.disk = disk
        self.walBytes = walBytes
        self.fileBytes = fileBytes
        self.pages = pages
    }

    /// The bytes that ordinary writes must leave for the WAL: 4 MiB, or an eighth of a small disk.
    package var workingBytes: Int { min(4 << 20, disk.total / 8) }

    /// The growth of the file in bytes at the next checkpoint.
    package var pendingBytes: Int { max(0, pages * Connection.pageBytes - fileBytes) }

    /// The further growth of the file in bytes that the disk has space for, after a checkpoint that truncates the WAL.
    package var growthBytes: Int { max(0, disk.free + walBytes - pendingBytes - workingBytes) }

    /// The maximum number of pages of the database; `nil` if the database can grow by at least 0.5 GiB.
    ///
    /// A new page needs space in the WAL and in the file until the WAL is truncated. If the WAL took more than half of
    /// the free space, a checkpoint could not copy the WAL, and the WAL would never be truncated.
    package var pageLimit: Int? {
        let copied = max(0, disk.free - pendingBytes - Self.checkInterval) / 2
        let growth = min(growthBytes, copied)
        return growth >= 1 << 29 ? nil : pages + growth / Connection.pageBytes
    }

    /// Whether the writer should checkpoint now. If the WAL grew much more, the disk would have no space for the copy.
    package var needsCheckpoint: Bool { disk.free < pendingBytes + Self.checkInterval * 2 }

    /// The growth of the WAL after which the disk is checked again (1 MiB).
    package static let checkInterval = 1 << 20

    /// The usable bytes below which the database counts as full: 4 MiB, or a sixteenth of a small disk.
    package var leastBytes: Int { min(4 << 20, disk.total / 16) }

    /// Returns the bytes that writes can use, including free pages in the file.
    package func usableBytes(freePages: Int) -> Int {
        growthBytes + freePages * Connection.pageBytes
    }

    /// Whether the WAL has enough space.
    package var hasSpaceForWAL: Bool { disk.free + walBytes >= workingBytes / 2 }
}
