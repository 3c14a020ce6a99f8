internal import RecordModel
package import RecordStorage
internal import Threads
package import Thumbnails

/// What the operator decides about the URLs of assets.
package struct AssetAddressing: Hashable, Sendable {
    /// What stands before `/assets/`, such as `https://example.org`; empty for URLs relative to the server.
    package var prefix: String
    /// What the URLs of this database need to name it, `?` included; empty for the server's default database.
    package var query: String

    package init(prefix: String = "", query: String = "") {
        self.prefix = prefix
        self.query = query
    }
}

/// What a database needs of its surroundings to serve assets.
package struct AssetOptions: Sendable {
    package var addressing: AssetAddressing
    /// Where smaller pictures are made; `nil` for nowhere.
    package var thumbnails: ThumbnailPool?
    /// What smaller pictures may take on the disk, in bytes.
    package var thumbnailBytes: Int
    /// Pictures with more pixels are not made smaller.
    package var thumbnailPixels: Int

    package init(
        addressing: AssetAddressing = AssetAddressing(), thumbnails: ThumbnailPool? = nil,
        thumbnailBytes: Int = 1 << 30, thumbnailPixels: Int = 100_000_000
    ) {
        self.addressing = addressing
        self.thumbnails = thumbnails
        self.thumbnailBytes = thumbnailBytes
        self.thumbnailPixels = thumbnailPixels
    }
}

/// The files of a database's assets: their threads, and what is on its way in.
package final class AssetStore: Sendable {
    package let folder: AssetFolder
    let addressing: AssetAddressing
    /// Smaller pictures; `nil` if none are made here.
    let thumbnails: ThumbnailCache?
    /// What `/metrics` tells.
    package let counters = AssetCounters()
    /// Uploads in several requests.
    let resumables = ResumableFiles()
    /// What pieces of uploads lie in.
    package let buffers = PieceBuffers(most: 16)
    /// Hashing and writing run here, and syncs wait here. More threads than cores, since a sync sleeps.
    private let pool = WorkerPool(name: "fog-asset", threads: 4)
    private let state = Locked(State())

    private struct State {
        /// Bytes that uploads under way hold of their uploaders' quotas.
        var inFlight: [UserID: Int64] = [:]
        /// The same of the disk: what has been announced and is not written yet.
        var announced: Int64 = 0
        /// The uploads under way.
        var names: Set<String> = []
        /// How many backups need all files to stay.
        var holds = 0
    }

    init(folder: AssetFolder, options: AssetOptions) {
        self.folder = folder
        addressing = options.addressing
        thumbnails = options.thumbnails.map { pool in
            ThumbnailCache(
                folder: folder.absolute.thumbnailsPath, maxBytes: options.thumbnailBytes, pool: pool,
                maxPixels: options.thumbnailPixels)
        }
    }

    /// A thread for one upload's work, in turn.
    func executor() throws(RecordError) -> ThreadExecutor {
        guard let executor = pool.next() else { throw .databaseUnavailable }
        return executor
    }

    /// Runs work on files on one of the store's threads.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        let executor = try executor()
        let result: Result<Value, RecordError> = await withUnsafeContinuation { continuation in
            Task.detached(executorPreference: executor) {
                do throws(RecordError) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    // MARK: What is on its way in

    /// Holds bytes of an uploader's quota and of the disk.
    ///
    /// They are held before it is looked at what else is: an upload that ends meanwhile is then counted in one place or in
    /// both, and never in none.
    ///
    /// - Parameter unused: Reads what the uploader holds by uploads that the database knows.
    func reserve(
        _ bytes: Int64, for uploader: UserID, limits: DatabaseLimits, unused: () throws(RecordError) -> Int64
    ) throws(RecordError) {
        try reserveRoom(bytes, limits: limits)
        let held = state.withLock { state in
            defer { state.inFlight[uploader, default: 0] += bytes }
            return state.inFlight[uploader, default: 0]
        }
        do throws(RecordError) {
            let sum = try unused() + held
            guard sum + bytes <= Int64(limits.unreferencedAssetBytes) else {
                throw .assetQuota(held: sum, limit: limits.unreferencedAssetBytes)
            }
        } catch {
            release(bytes, unwritten: bytes, for: uploader)
            throw error
        }
    }

    /// Makes sure of room on the disk alone, for bytes that have not come yet.
    func reserveRoom(_ bytes: Int64, limits: DatabaseLimits) throws(RecordError) {
        let free = Int64(clamping: folder.freeBytes)
        let isThere: Bool = state.withLock { state in
            guard free - state.announced - bytes >= Int64(limits.freeDiskBytes) else { return false }
            state.announced += bytes
            return true
        }
        guard isThere else { throw .assetDiskFull }
    }

    /// Gives room back that nothing was written to.
    func releaseRoom(_ unwritten: Int64) {
        state.withLock { $0.announced -= unwritten }
    }

    /// What uploads under way hold of somebody's quota.
    func inFlight(of uploader: UserID) -> Int64 {
        state.withLock { $0.inFlight[uploader, default: 0] }
    }

    /// Bytes have been written: the disk itself knows them now.
    func didWrite(_ bytes: Int64) {
        state.withLock { $0.announced -= bytes }
        counters.add(\.received, UInt64(max(0, bytes)))
    }

    /// Gives back what an upload held.
    func release(_ bytes: Int64, unwritten: Int64, for uploader: UserID) {
        state.withLock { state in
            state.announced -= unwritten
            let left = state.inFlight[uploader, default: 0] - bytes
            state.inFlight[uploader] = left > 0 ? left : nil
        }
    }

    func begin(_ name: String) {
        state.withLock { _ = $0.names.insert(name) }
    }

    func end(_ name: String) {
        let isLast = state.withLock { state in
            state.names.remove(name)
            return state.names.isEmpty
        }
        if isLast { buffers.drop() }
    }

    /// The bytes that are worth handing to another thread: each time costs two changes of threads. The fewer uploads there
    /// are, the more each may hold, two pieces at a time.
    package var pieceBytes: Int {
        let uploads = state.withLock { $0.names.count }
        return min(max(Self.heldBytes / max(1, uploads) / 2, 64 << 10), 512 << 10)
    }

    /// What all uploads hold in memory together, but for 128 KiB that each may have.
    private static let heldBytes = 16 << 20

    /// Keeps files of assets from being collected until `releaseCollection`.
    package func holdCollection() { state.withLock { $0.holds += 1 } }

    /// Ends one `holdCollection`.
    package func releaseCollection() { state.withLock { $0.holds -= 1 } }

    /// Whether a backup needs all files to stay. On the writer's thread, where rows go before their files: then every file
    /// that a copy of the rows names is there.
    var isCollectionHeld: Bool { state.withLock { $0.holds > 0 } }

    func isUnderWay(_ name: String) -> Bool {
        state.withLock { $0.names.contains(name) }
    }

    func close() async {
        await pool.close()
        await thumbnails?.close()
    }
}

extension RecordError {
    static func assetQuota(held: Int64, limit: Int) -> RecordError {
        RecordError(
            .quotaExceeded,
            "You have uploaded as much as you may without any record having it. Write the receipts into records, or wait until they expire",
            cause: .tooLarge, details: [("held", .number(held)), ("limit", .number(Int64(limit)))])
    }

    static let assetDiskFull = RecordError(
        .internalError,
        "The server's disk has no room for this upload. Try again when its operator has made room",
        cause: .storageFull, retryAfter: 60)

    static func assetTooLarge(limit: Int) -> RecordError {
        .badRequest(
            "The asset is larger than the server takes", cause: .tooLarge,
            details: [("limit", .number(Int64(limit)))])
    }

    /// What a client learns of a failure of an asset's file: never its path.
    init(_ error: AssetFileError) {
        self =
            error.isStorageFull
            ? .assetDiskFull
            : RecordError(
                .internalError,
                "The server could not keep the file. Its log has the cause under this answer's id")
    }
}
