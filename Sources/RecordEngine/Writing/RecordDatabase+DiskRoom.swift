internal import RecordModel
internal import RecordStorage
internal import Synchronization
internal import Threads

/// What was done already to find room for a write that the disk has none for.
enum RoomEffort {
    case none
    /// The log was copied into the file and cut.
    case checkpoint
    /// A deletion was given what the directory keeps for the next start.
    case reserve
}

/// Room on the disk. All of it on the writer's thread, outside of transactions, unless it says otherwise.
extension RecordDatabase {
    // MARK: Writes without room

    /// Answers a write that the store rejected. If that was for want of room, it runs again once more of it was made: the
    /// log is copied into the file and cut, and a deletion is also given the start reserve. So a full disk can be left by
    /// deleting.
    ///
    /// - Parameter effort: What was done before it ran.
    func reject(_ write: PendingWrite, _ error: RecordError, _ failure: StoreFailure?, after effort: RoomEffort) {
        if let failure, failure.isStorageFull, !hasFailed.load(ordering: .relaxed) {
            switch effort {
            case .none where makeRoom(): return commit([write], .checkpoint)
            case .none, .checkpoint: if write.frees, lendRoom() { return commit([write], .reserve) }
            case .reserve: break
            }
        }
        if let failure, failure.isStorageFull || failure.kind == .readOnly { didReject(failure) }
        write.finish(error)
    }

    /// Copies the log into the file and cuts it, and looks how far the file may grow.
    ///
    /// - Returns: Whether there may be more room than before.
    @discardableResult
    func makeRoom() -> Bool {
        guard let transaction, !hasFailed.load(ordering: .relaxed) else { return false }
        let connection = transaction.connection
        connection.cutLog()
        var hasMore = false
        // Readers who do not leave are asked again, but not for each write of a flood.
        if connection.hasLog, MonotonicClock.now &- room.lastAttempt > Self.betweenAttempts {
            hasMore = copyAndCutLog(connection)
            if !hasMore { room.lastAttempt = MonotonicClock.now }
        }
        let before = room.pageLimit
        lookAtRoom()
        return hasMore || isMore(room.pageLimit, than: before)
    }

    private static let betweenAttempts: UInt64 = 250_000_000

    private func isMore(_ limit: Int?, than before: Int?) -> Bool {
        guard let before else { return false }
        return limit.map { $0 > before } ?? true
    }

    private func copyAndCutLog(_ connection: Connection) -> Bool {
        do {
            // What most readers do not need any more, while they go on.
            try connection.checkpoint(.passive)
            let isCut = try clock.withoutReaders(patience: .milliseconds(100)) { () throws(RecordError) in
                try connection.checkpoint(.truncate)
            }
            statistics.didCheckpoint()
            return isCut == true
        } catch {
            noteFailure()
            return false
        }
    }

    /// Bounds the file by the room that the disk has.
    private func lookAtRoom() {
        guard let connection = transaction?.connection else { return }
        room.framesAtLook = connection.framesInLog
        let limit = connection.diskRoom().pageLimit
        guard limit != room.pageLimit else { return }
        do {
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
        guard let connection = transaction?.connection else { return false }
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
        guard let connection = transaction?.connection else { return false }
        let isLent = StartReserve(in: folderPath).lend()
        var hasPages = false
        if let limit = room.pageLimit {
            let raised = limit + Self.lentPages
            hasPages = (try? connection.limitPages(raised)) != nil
            if hasPages { room.pageLimit = raised }
        }
        room.isLent = isLent || hasPages
        return room.isLent
    }

    private static let lentPages = 32

    /// Takes back what a deletion was lent, once it is committed or rejected.
    func takeBackRoom() {
        guard room.isLent else { return }
        room.isLent = false
        room.lastAttempt = 0
        makeRoom()
        StartReserve(in: folderPath).keep(least: StartReserve.bytes)
    }

    // MARK: Whether writes are possible

    private func didReject(_ failure: StoreFailure) {
        guard let connection = transaction?.connection else { return }
        let (room, free) = (connection.diskRoom(), (try? connection.freePages()) ?? 0)
        storage.withLock { $0.didReject(failure, room, freePages: free) }
    }

    /// Why the database takes no writes; `nil` if it does. Looks at the disk if that is due. On any thread.
    ///
    /// - Parameter looks: Looks at the disk in any case.
    package nonisolated func writeObstacle(looks: Bool = false) async -> WriteObstacle? {
        if hasFailed.load(ordering: .relaxed) { return .failedSync }
        guard isHealthy else { return .closed }
        let (isObstructed, lastLook) = storage.withLock { ($0.obstacle != nil, $0.lastLook) }
        let isRecent = lastLook != 0 && MonotonicClock.coarse &- lastLook < 1_000_000_000
        if looks || !isRecent && (isObstructed || FolderInspection.freeBytes(folderPath) < DiskRoom.betweenLooks) {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                submit(DiskLook(self, continuation))
            }
        }
        if hasFailed.load(ordering: .relaxed) { return .failedSync }
        return storage.withLock { $0.obstacle }
    }

    /// Looks whether writes are possible: by the space, and after some were rejected by writing.
    fileprivate func probe() {
        guard let transaction, !hasFailed.load(ordering: .relaxed) else { return }
        let connection = transaction.connection
        settleGrowth(connection)
        var (found, free) = (connection.diskRoom(), (try? connection.freePages()) ?? 0)
        let obstacle = storage.withLock { $0.obstacle }
        let isLow = { (found: DiskRoom, least: Int) in
            !found.hasRoomForLog || found.usableBytes(freePages: free) < least
        }
        let least = obstacle == nil ? found.leastBytes / 4 : storage.withLock { $0.neededBytes }
        if isLow(found, least) {
            makeRoom()
            (found, free) = (connection.diskRoom(), (try? connection.freePages()) ?? 0)
        }
        let low = isLow(found, least)
        let recovers = obstacle != nil && !found.disk.isReadOnly && !low && takesWrite(transaction, found)
        if recovers { lookAtRoom() }
        storage.withLock { storage in
            storage.lastLook = MonotonicClock.coarse
            if recovers {
                storage.didRecover()
            } else if obstacle == nil, found.disk.isReadOnly {
                storage.didFind(.readOnly, found)
            } else if obstacle == nil, low {
                storage.didFind(.full, found)
            }
        }
    }

    /// Copies the log where the disk is nearly full: what the file grows by is then on the disk before somebody else takes
    /// the rest of it.
    private func settleGrowth(_ connection: Connection) {
        let room = connection.diskRoom()
        guard room.pendingBytes > 0, room.disk.free < Self.nearlyFullBytes else { return }
        do {
            try connection.checkpoint(.passive)
        } catch {
            noteFailure()
        }
    }

    private static let nearlyFullBytes = 64 << 20

    private func takesWrite(_ transaction: WriteTransaction, _ room: DiskRoom) -> Bool {
        guard FolderInspection.takes(bytes: min(1 << 20, room.workingBytes / 2), in: folderPath) else { return false }
        do {
            try transaction.overwriteFailedCommit()
            return true
        } catch {
            if transaction.connection.failure?.kind == .syncFailed { failForGood() }
            return false
        }
    }
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

/// A look at the disk between groups of writes. It writes nothing into the group that it comes with.
///
/// Unchecked: see `PendingWrite`.
private final class DiskLook: PendingWrite, @unchecked Sendable {
    private let database: RecordDatabase
    private let continuation: UnsafeContinuation<Void, Never>

    init(_ database: RecordDatabase, _ continuation: UnsafeContinuation<Void, Never>) {
        self.database = database
        self.continuation = continuation
        super.init(operations: 0, weight: 0, isAlone: false, startsLazily: true)
    }

    /// So that a group of looks alone is rolled back.
    override func run(_ transaction: WriteTransaction) throws(RecordError) { throw .databaseUnavailable }

    override func finish(_ failure: RecordError?) {
        // Writes are finished on the writer's thread, after their transaction; those that are not taken, on any.
        if database.isHealthy, database.isOnWriter { database.assumeIsolated { $0.probe() } }
        continuation.resume()
    }
}
