package import RecordModel

/// The known reason why a database accepts no writes.
package enum WriteBlocker: Hashable, Sendable {
    /// The disk is full. Deletions may still be possible.
    case full
    /// The disk quota of the server's user, or its limit of file sizes, is used up.
    case quota
    /// The file system is read-only.
    case readOnly
    /// A sync has failed. No writes are accepted until a restart.
    case failedSync
    /// The database is closed or closing.
    case closed

    /// The error that `/health/ready` responds with.
    package var error: RecordError {
        let (sentence, cause): (String, RecordError.Cause) =
            switch self {
            case .full:
                (
                    "The disk of the data directory is full: writes are rejected, reads and deletions work. Delete records, or free disk space; the server detects it",
                    .storageFull
                )
            case .quota:
                (
                    "The disk quota or the file size limit of the server's user is used up: writes are rejected, reads work. Raise the limit, or delete files of this user; the server detects it",
                    .storageFull
                )
            case .readOnly:
                (
                    "The file system of the data directory is read-only: writes are rejected, reads work. Check the disk and mount it for writing; the server detects it",
                    .unavailable
                )
            case .failedSync:
                (
                    "A sync to the disk has failed: writes are rejected until a restart, reads go on. Check the disk, then restart the server",
                    .unavailable
                )
            case .closed: ("The database is closed. Try again shortly", .unavailable)
            }
        return RecordError(.tryAgainLater, sentence, cause: cause, retryAfter: self == .closed ? 5 : 60)
    }
}

/// The result of a store's last disk check and rejected writes.
struct DiskWatch {
    /// The reason why writes fail; `nil` while writes succeed.
    private(set) var blocker: WriteBlocker?
    /// The number of usable bytes at which writes count as possible again. It is larger than the number of usable bytes
    /// when writes failed. Otherwise a database that accepts small writes and rejects large writes would change its
    /// state every few seconds.
    private(set) var neededBytes = 0
    /// When the disk was last checked, on the coarse monotonic clock.
    var lastCheck: UInt64 = 0

    /// Notes that a write was finally rejected.
    mutating func didReject(_ failure: StoreFailure, _ room: DiskSpace, freePages: Int) {
        let blocker: WriteBlocker =
            switch failure.kind {
            case .readOnly: .readOnly
            case .quotaUsedUp: .quota
            default: .full
            }
        self.blocker = blocker
        let usable = room.usableBytes(freePages: freePages)
        // With 1 GiB of usable space the cause was a quota that the reported free space does not show.
        guard blocker == .full, usable < 1 << 30 else { return neededBytes = room.leastBytes }
        neededBytes = max(room.leastBytes, neededBytes, min(2 * usable, room.disk.total / 4))
    }

    /// Notes a blocker that a check of free space has found, although no write has failed yet.
    mutating func didFind(_ blocker: WriteBlocker, _ room: DiskSpace) {
        self.blocker = blocker
        neededBytes = room.leastBytes
    }

    /// Notes that writes are possible again.
    mutating func didRecover() {
        blocker = nil
        neededBytes = 0
    }
}
