internal import RecordModel
internal import Threads

/// The last step that was taken to make space for a write on a full disk.
package enum SpaceRecovery: Sendable {
    case none
    /// The WAL was checkpointed and truncated.
    case checkpoint
    /// The start reserve was lent to a deletion.
    case reserve
}

/// The writer's state about its disk.
struct DiskSpaceState {
    /// The current limit of the database's pages; `nil` without a limit.
    var pageLimit: Int?
    /// The number of frames in the WAL at the last check.
    var framesAtLook = 0
    /// The time of the last failed truncation of the WAL, on the monotonic clock.
    var lastAttempt: UInt64 = 0
    /// Whether a deletion may currently use the space of the start reserve.
    var isLent = false
}

/// Disk space.
extension FileMaintenance {
    // MARK: Writes on a full disk

    /// Makes space for a write that failed on a full disk. First checkpoints and truncates the WAL, then lends the
    /// start reserve to a deletion. So deletions are possible on a full disk.
    ///
    /// - Parameters:
    ///   - effort: The last step that was taken before the write ran.
    ///   - frees: Whether the write deletes.
    /// - Returns: The step that was taken, if there may be more space now; `nil` if no step is left to try.
    package func makeRoom(after effort: SpaceRecovery, frees: Bool) -> SpaceRecovery? {
        guard !status.hasFailedPermanently else { return nil }
        if effort == .none, makeRoom() { return .checkpoint }
        return effort != .reserve && frees && lendReserve() ? .reserve : nil
    }

    /// Checkpoints and truncates the WAL, and updates the limit of the file's size.
    ///
    /// - Returns: Whether there may be more space than before.
    @discardableResult
    func makeRoom() -> Bool {
        guard !status.hasFailedPermanently else { return false }
        connection.truncateWAL()
        var hasMore = false
        // If long-running readers prevent the truncation, later writes try again, but at most every 250 ms.
        if connection.hasWALFrames, MonotonicClock.now &- room.lastAttempt > Self.betweenAttempts {
            hasMore = copyAndCutLog()
            if !hasMore { room.lastAttempt = MonotonicClock.now }
        }
        let before = room.pageLimit
        updatePageLimit()
        return hasMore || isMore(room.pageLimit, than: before)
    }

    private static var betweenAttempts: UInt64 { 250_000_000 }

    private func isMore(_ limit: Int?, than before: Int?) -> Bool {
        guard let before else { return false }
        return limit.map { $0 > before } ?? true
    }

    private func copyAndCutLog() -> Bool {
        do throws(RecordError) {
            // First copy as much as possible while readers continue.
            try connection.checkpoint(.passive)
            let isCut = try status.clock.withoutReaders(maxWait: .milliseconds(100)) { () throws(RecordError) in
                try connection.checkpoint(.truncate)
            }
            status.observer?.didCheckpoint()
            return isCut == true
        } catch {
            noteFailure()
            return false
        }
    }

    /// Limits the file's size to the space of the disk.
    private func updatePageLimit() {
        room.framesAtLook = connection.walFrames
        let limit = connection.diskSpace().pageLimit
        guard limit != room.pageLimit else { return }
        do throws(RecordError) {
            try connection.limitPages(limit)
            room.pageLimit = limit
        } catch {
            noteFailure()
        }
    }

    /// Checks the disk when the WAL has grown by 1 MiB, or after each commit while the file's size is limited.
    /// Checkpoints early if there would be no space for the copy later.
    ///
    /// - Returns: Whether there was a checkpoint.
    func keepSpaceForWAL() -> Bool {
        let frames = connection.walFrames
        if frames < room.framesAtLook { room.framesAtLook = 0 }
        let grown = room.pageLimit == nil ? DiskSpace.checkInterval / Connection.pageBytes : 1
        guard frames - room.framesAtLook >= grown else { return false }
        updatePageLimit()
        guard room.pageLimit != nil, connection.diskSpace().needsCheckpoint else { return false }
        return makeRoom()
    }

    /// Lends the start reserve to a deletion, and lets the file grow by a few pages, because a deletion also changes
    /// index pages.
    private func lendReserve() -> Bool {
        let isLent = StartReserve(in: directory).lend()
        var hasPages = false
        if let limit = room.pageLimit {
            let raised = limit + Self.lentPages
            hasPages = (try? connection.limitPages(raised)) != nil
            if hasPages { room.pageLimit = raised }
        }
        room.isLent = isLent || hasPages
        return room.isLent
    }

    private static var lentPages: Int { 32 }

    /// Refills the start reserve and restores the page limit, after the commit or rejection of a deletion.
    package func takeBackReserve() {
        guard room.isLent else { return }
        room.isLent = false
        room.lastAttempt = 0
        makeRoom()
        StartReserve(in: directory).keep(least: StartReserve.bytes)
    }

    // MARK: Availability of writes

    /// Notes that a write was rejected after all attempts to make space.
    package func didReject(_ failure: StoreFailure) {
        guard failure.isStorageFull || failure.kind == .readOnly else { return }
        let (room, free) = (connection.diskSpace(), (try? connection.freePages()) ?? 0)
        status.disk.withLock { $0.didReject(failure, room, freePages: free) }
    }

    /// Checks by the free space whether writes are possible. After rejected writes also runs a test write.
    ///
    /// - Parameter write: Writes and commits a small change.
    func probe(_ write: () throws(RecordError) -> Void) {
        guard !status.hasFailedPermanently else { return }
        settleGrowth()
        var (found, free) = (connection.diskSpace(), (try? connection.freePages()) ?? 0)
        let blocker = status.disk.withLock { $0.blocker }
        let isLow = { (found: DiskSpace, least: Int) in
            !found.hasSpaceForWAL || found.usableBytes(freePages: free) < least
        }
        let least = blocker == nil ? found.leastBytes / 4 : status.disk.withLock { $0.neededBytes }
        if isLow(found, least) {
            makeRoom()
            (found, free) = (connection.diskSpace(), (try? connection.freePages()) ?? 0)
        }
        let low = isLow(found, least)
        let recovers = blocker != nil && !found.disk.isReadOnly && !low && takes(write, found)
        if recovers { updatePageLimit() }
        status.disk.withLock { disk in
            disk.lastCheck = MonotonicClock.coarse
            if recovers {
                disk.didRecover()
            } else if blocker == nil, found.disk.isReadOnly {
                disk.didFind(.readOnly, found)
            } else if blocker == nil, low {
                disk.didFind(.full, found)
            }
        }
    }

    /// Checkpoints if the disk is nearly full, so that the file grows before another program uses the space.
    private func settleGrowth() {
        let room = connection.diskSpace()
        guard room.pendingBytes > 0, room.disk.free < Self.nearlyFullBytes else { return }
        do throws(RecordError) {
            try connection.checkpoint(.passive)
        } catch {
            noteFailure()
        }
    }

    private static var nearlyFullBytes: Int { 64 << 20 }

    private func takes(_ write: () throws(RecordError) -> Void, _ room: DiskSpace) -> Bool {
        guard DirectoryInspection.takes(bytes: min(1 << 20, room.workingBytes / 2), in: directory) else { return false }
        do throws(RecordError) {
            try write()
            return true
        } catch {
            if connection.failure?.kind == .syncFailed { status.failPermanently() }
            return false
        }
    }
}
