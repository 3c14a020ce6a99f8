/// The room that one database has on its disk, and what of it ordinary writes leave alone.
///
/// A write goes to the log first, and a checkpoint copies it into the file later. So a disk must have room for both until the
/// checkpoint is complete: a database that fills the disk to its last page could not even delete. Therefore writes do not
/// make the file grow into the last part of the disk (`workingBytes`), which is left for the log.
package struct DiskRoom: Hashable, Sendable {
    package var disk: FolderInspection.Space
    /// Bytes of the log's file.
    package var logBytes: Int
    /// Bytes of the database's file.
    package var fileBytes: Int
    /// Pages of the database, those included that are in the log alone.
    package var pages: Int

    package init(disk: FolderInspection.Space, logBytes: Int, fileBytes: Int, pages: Int) {
        self.disk = disk
        self.logBytes = logBytes
        self.fileBytes = fileBytes
        self.pages = pages
    }

    /// What is left for the log: 4 MiB, or an eighth of a small disk.
    package var workingBytes: Int { min(4 << 20, disk.total / 8) }

    /// By how much the file will grow with the next checkpoint.
    package var pendingBytes: Int { max(0, pages * Connection.pageBytes - fileBytes) }

    /// What the file may grow by beyond what is pending, after a checkpoint that cuts the log.
    package var growthBytes: Int { max(0, disk.free + logBytes - pendingBytes - workingBytes) }

    /// The most pages that the database may have now; `nil` while there is room for half a GiB of them.
    ///
    /// A new page takes room twice, in the log and in the file, until the log is cut. Were the log to take more than half of
    /// what is free, it could not be copied any more, and so never be cut.
    package var pageLimit: Int? {
        let copied = max(0, disk.free - pendingBytes - Self.betweenLooks) / 2
        let growth = min(growthBytes, copied)
        return growth >= 1 << 29 ? nil : pages + growth / Connection.pageBytes
    }

    /// Whether the log is to be copied at once: much more of it, and there would be no room for the copy.
    package var needsCheckpoint: Bool { disk.free < pendingBytes + Self.betweenLooks * 2 }

    /// The bytes of log after which it is looked again.
    package static let betweenLooks = 1 << 20

    /// The least room with which the database counts as able to write, in bytes: 4 MiB, or a sixteenth of a small disk.
    package var leastBytes: Int { min(4 << 20, disk.total / 16) }

    /// What writes may use, with the pages inside the file that are free.
    package func usableBytes(freePages: Int) -> Int {
        growthBytes + freePages * Connection.pageBytes
    }

    /// Whether the log itself has room to work.
    package var hasRoomForLog: Bool { disk.free + logBytes >= workingBytes / 2 }
}
