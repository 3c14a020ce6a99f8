internal import RecordModel
internal import Threads

/// What was done already to find room for a write that the disk has none for.
package enum RoomEffort: Sendable {
    case none
    /// The log was copied into the file and cut.
    case checkpoint
    /// A deletion was given what the directory keeps for the next start.
    case reserve
}

/// What the writer remembers of the room on its disk.
struct RoomState {
    /// The pages that the database may have; `nil` without a bound.
    var pageLimit: Int?
    /// The frames in the log when it was looked last.
    var framesAtLook = 0
    /// When the log could not be cut last, on the monotonic clock.
    var lastAttempt: UInt64 = 0
    /// A deletion was lent what is kept for starts.
    var isLent = false
}

/// Room on the disk.
extension FileUpkeep {
    // MARK: Writes without room

    /// Makes room for a write that found none: the log is copied into the file and cut, and a deletion is also given the
    /// start reserve. So a full disk can be left by deleting.
    ///
    /// - Parameters:
    ///   - effort: What was done before it ran.
    ///   - frees: Whether the write deletes.
    /// - Returns: What was done now, if there may be more room than before; `nil` if all was tried.
    package func makeRoom(after effort: RoomEffort, frees: Bool) -> RoomEffort? {
        guard !status.hasFailedForGood else { return nil }
        if effort == .none, makeRoom() { return .checkpoint }
        return effort != .reserve && frees && lendRoom() ? .reserve : nil
    }

    /// Copies the log into the file and cuts it, and looks how far the file may grow.
    ///
    /// - Returns: Whether there may be more room than before.
    @discardableResult
    func makeRoom() -> Bool {
        guard !status.hasFailedForGood else { return false }
        connection.cutLog()
        var hasMore = false
        // Readers who do not leave are asked again, but not for each write of a flood.
        if connection.hasLog, MonotonicClock.now &- room.lastAttempt > Self.betweenAttempts {
            hasMore = copyAndCutLog()
            if !hasMore { room.lastAttempt = MonotonicClock.now }
        }
        let before = room.pageLimit
        lookAtRoom()
        return hasMore || isMore(room.pageLimit, than: before)
    }

    private static var betweenAttempts: UInt64 { 250_000_000 }

    private func isMore(_ limit: Int?, than before: Int?) -> Bool {
        guard let before else { return false }
        return limit.map { $0 > before } ?? true
    }

    private func copyAndCutLog() -> Bool {
        do throws(RecordError) {
            // What most readers do not need any more, while they go on.
            try connection.checkpoint(.passive)
            let isCut = try status.clock.withoutReaders(patience: .milliseconds(100)) { () throws(RecordError) in
                try connection.checkpoint(.truncate)
            }
            status.observer?.didCheckpoint()
            return isCut == true
        } catch {
            noteFailure()
            return false
        }
    }

    /// Bounds the file by the room that the disk has.
    private func lookAtRoom() {
        room.framesAtLook = connection.framesInLog
        let limit = connection.diskRoom().pageLimit
        guard limit != room.pageLimit else { return }
        do throws(RecordError) {
            try connection.limitPages(limit)
            room.pageLimit = limit
        } catch {
            noteFailure()
        }
    }

    /// Looks at the disk when the log has grown by a MiB, or at all while the file is bounded, and copies the log early where
    /// there would be no room for it later.
    ///
    /// - Returns: Whether it was copied.
    func keepRoomForLog() -> Bool {
        let frames = connection.framesInLog
        if frames < room.framesAtLook { room.framesAtLook = 0 }
        let grown = room.pageLimit == nil ? DiskRoom.betweenLooks / Connection.pageBytes : 1
        guard frames - room.framesAtLook >= grown else { return false }
        lookAtRoom()
        guard room.pageLimit != nil, connection.diskRoom().needsCheckpoint else { return false }
        return makeRoom()
    }

    /// Lends a deletion the start reserve, and a few pages by which the file may grow: what deletes moves entries of
    /// indexes, too.
    private func lendRoom() -> Bool {
        let isLent = StartReserve(in: folder).lend()
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

    /// Takes back what a deletion was lent, once it is committed or rejected.
    package func takeBackRoom() {
        guard room.isLent else { return }
        room.isLent = false
        room.lastAttempt = 0
        makeRoom()
        StartReserve(in: folder).keep(least: StartReserve.bytes)
    }

    // MARK: Whether writes are possible

    /// A write was rejected for good.
    package func didReject(_ failure: StoreFailure) {
        guard failure.isStorageFull || failure.kind == .readOnly else { return }
        let (room, free) = (connection.diskRoom(), (try? connection.freePages()) ?? 0)
        status.disk.withLock { $0.didReject(failure, room, freePages: free) }
    }

    /// Looks whether writes are possible: by the space, and after some were rejected by writing.
    ///
    /// - Parameter write: Writes and commits something small.
    func probe(_ write: () throws(RecordError) -> Void) {
        guard !status.hasFailedForGood else { return }
        settleGrowth()
        var (found, free) = (connection.diskRoom(), (try? connection.freePages()) ?? 0)
        let obstacle = status.disk.withLock { $0.obstacle }
        let isLow = { (found: DiskRoom, least: Int) in
            !found.hasRoomForLog || found.usableBytes(freePages: free) < least
        }
        let least = obstacle == nil ? found.leastBytes / 4 : status.disk.withLock { $0.neededBytes }
        if isLow(found, least) {
            makeRoom()
            (found, free) = (connection.diskRoom(), (try? connection.freePages()) ?? 0)
        }
        let low = isLow(found, least)
        let recovers = obstacle != nil && !found.disk.isReadOnly && !low && takes(write, found)
        if recovers { lookAtRoom() }
        status.disk.withLock { disk in
            disk.lastLook = MonotonicClock.coarse
            if recovers {
                disk.didRecover()
            } else if obstacle == nil, found.disk.isReadOnly {
                disk.didFind(.readOnly, found)
            } else if obstacle == nil, low {
                disk.didFind(.full, found)
            }
        }
    }

    /// Copies the log where the disk is nearly full: what the file grows by is then on the disk before somebody else takes
    /// the rest of it.
    private func settleGrowth() {
        let room = connection.diskRoom()
        guard room.pendingBytes > 0, room.disk.free < Self.nearlyFullBytes else { return }
        do throws(RecordError) {
            try connection.checkpoint(.passive)
        } catch {
            noteFailure()
        }
    }

    private static var nearlyFullBytes: Int { 64 << 20 }

    private func takes(_ write: () throws(RecordError) -> Void, _ room: DiskRoom) -> Bool {
        guard FolderInspection.takes(bytes: min(1 << 20, room.workingBytes / 2), in: folder) else { return false }
        do throws(RecordError) {
            try write()
            return true
        } catch {
            if connection.failure?.kind == .syncFailed { status.failForGood() }
            return false
        }
    }
}
