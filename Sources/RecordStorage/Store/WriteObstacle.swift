package import RecordModel

/// Why a database takes no writes, as far as it knows.
package enum WriteObstacle: Hashable, Sendable {
    /// The disk is full; deletions may still be possible.
    case full
    /// The disk quota of the server's user, or its limit of file sizes, is used up.
    case quota
    /// The file system is read-only.
    case readOnly
    /// A sync to the disk has failed: nothing is written until a restart.
    case failedSync
    /// The database is closed, or closes.
    case closed

    /// The refusal that `/health/ready` answers.
    package var error: RecordError {
        let (sentence, cause): (String, RecordError.Cause) =
            switch self {
            case .full:
                (
                    "The disk of the data directory is full: writes are rejected, reads and deletions go on. Delete records, or make room on the disk; the server notices by itself",
                    .storageFull
                )
            case .quota:
                (
                    "The disk quota or the file size limit of the server's user is used up: writes are rejected, reads go on. Raise it, or delete files of this user; the server notices by itself",
                    .storageFull
                )
            case .readOnly:
                (
                    "The file system of the data directory is read-only: writes are rejected, reads go on. Check the disk and mount it for writing; the server notices by itself",
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

/// What a store knows of its disk.
struct DiskWatch {
    /// Why writes fail; `nil` while they do not.
    private(set) var obstacle: WriteObstacle?
    /// The usable bytes with which they count as possible again: more than when they failed, so that a database which
    /// takes small writes and rejects large ones does not change its mind every few seconds.
    private(set) var neededBytes = 0
    /// When it was looked last, on the coarse monotonic clock.
    var lastLook: UInt64 = 0

    /// A write was rejected for good.
    mutating func didReject(_ failure: StoreFailure, _ room: DiskRoom, freePages: Int) {
        let obstacle: WriteObstacle =
            switch failure.kind {
            case .readOnly: .readOnly
            case .quotaUsedUp: .quota
            default: .full
            }
        self.obstacle = obstacle
        let usable = room.usableBytes(freePages: freePages)
        // With that much room it was not for want of it, but of a quota that says so in no other way.
        guard obstacle == .full, usable < 1 << 30 else { return neededBytes = room.leastBytes }
        neededBytes = max(room.leastBytes, neededBytes, min(2 * usable, room.disk.total / 4))
    }

    /// The disk has so little room that it counts as full before a write has met that.
    mutating func didFind(_ obstacle: WriteObstacle, _ room: DiskRoom) {
        self.obstacle = obstacle
        neededBytes = room.leastBytes
    }

    /// Writes are possible again.
    mutating func didRecover() {
        obstacle = nil
        neededBytes = 0
    }
}
