internal import RecordModel
package import RecordStorage
internal import Threads
package import Thumbnails

/// The operator's settings for asset URLs.
package struct AssetAddressing: Hashable, Sendable {
    /// The text before `/assets/`, such as `https://example.org`; empty for URLs relative to the server.
    package var prefix: String
    /// The query that names this database, with `?`; empty for the server's default database.
    package var query: String

    /// The default values create relative URLs for the server's default database.
    package init(prefix: String = "", query: String = "") {
        self.prefix = prefix
        self.query = query
    }
}

/// A database's options for serving assets.
package struct AssetOptions: Sendable {
    /// The settings for asset URLs.
    package var addressing: AssetAddressing
    /// The pool that makes thumbnails; `nil` to make no thumbnails.
    package var thumbnails: ThumbnailPool?
    /// The maximum total size of cached thumbnails on disk, in bytes.
    package var thumbnailBytes: Int
    /// The maximum number of pixels of a picture. Larger pictures get no thumbnails.
    package var thumbnailPixels: Int

    /// The default values disable thumbnails.
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

/// The asset files of a database, the threads that write them, and the uploads in progress.
package final class AssetStore: Sendable {
    /// The directory of the asset files.
    package let directory: AssetDirectory
    let addressing: AssetAddressing
    /// The cache of thumbnails; `nil` if thumbnails are disabled.
    let thumbnails: ThumbnailCache?
    /// The counters for `/metrics`.
    package let counters = AssetCounters()
    /// The files of jobs.
    var jobFiles: JobFiles { JobFiles(directory) }
    /// The files of resumable uploads.
    let resumables = ResumableFiles()
    /// The pool of buffers for chunks of uploads.
    package let buffers = ChunkBuffers(most: 16)
    /// The threads that hash, write and sync files. There may be more threads than cores, since an fsync blocks its
    /// thread.
    private let pool = WorkerPool(name: "fog-asset", threads: 4)
    private let state = Locked(State())

    private struct State {
        /// The bytes of each account's quota that are reserved by uploads in progress.
        var inFlight: [UserID: Int64] = [:]
        /// The bytes of disk space that are reserved by uploads in progress and not written yet.
        var announced: Int64 = 0
        /// The names of the uploads in progress.
        var names: Set<String> = []
        /// The number of calls of `holdCollection` without a call of `releaseCollection`.
        var holds = 0
    }

    init(directory: AssetDirectory, options: AssetOptions) {
        self.directory = directory
        addressing = options.addressing
        thumbnails = options.thumbnails.map { pool in
            ThumbnailCache(
                directory: directory.absolute.thumbnailsPath, maxBytes: options.thumbnailBytes, pool: pool,
                maxPixels: options.thumbnailPixels)
        }
    }

    /// Returns a thread for an upload, in round-robin order.
    ///
    /// - Throws: TRY_AGAIN_LATER after `close`.
    func executor() throws(RecordError) -> ThreadExecutor {
        guard let executor = pool.next() else { throw .databaseUnavailable }
        return executor
    }

    /// Runs work on one of the store's threads.
    ///
    /// - Throws: Any error of `work`; TRY_AGAIN_LATER after `close`.
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

    // MARK: Uploads in progress

    /// Reserves bytes of an uploader's quota and of the disk.
    ///
    /// The bytes are reserved before `unused` reads the database. If another upload ends at the same time, its bytes
    /// may be counted twice, but are always counted at least once.
    ///
    /// - Parameter unused: Returns the bytes of the uploader's unused assets in the database.
    /// - Throws: QUOTA_EXCEEDED; INTERNAL_ERROR with cause STORAGE_FULL; any error of `unused`.
    func reserve(
        _ bytes: Int64, for uploader: UserID, limits: DatabaseLimits, unused: () throws(RecordError) -> Int64
    ) throws(RecordError) {
        try reserveSpace(bytes, limits: limits)
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

    /// Reserves disk space only, for bytes that have not arrived yet.
    ///
    /// - Throws: INTERNAL_ERROR with cause STORAGE_FULL.
    func reserveSpace(_ bytes: Int64, limits: DatabaseLimits) throws(RecordError) {
        let free = Int64(clamping: directory.freeBytes)
        let isThere: Bool = state.withLock { state in
            guard free - state.announced - bytes >= Int64(limits.freeDiskBytes) else { return false }
            state.announced += bytes
            return true
        }
        guard isThere else { throw .assetDiskFull }
    }

    /// Releases reserved disk space that was not used.
    func releaseSpace(_ unwritten: Int64) {
        state.withLock { $0.announced -= unwritten }
    }

    /// Appends bytes to a file of a job. The file leaves as much of the disk free as uploads do.
    ///
    /// - Throws: INTERNAL_ERROR, with cause STORAGE_FULL if the disk has no room.
    func append(_ bytes: [UInt8], to file: JobOutputFile, limits: DatabaseLimits) throws(RecordError) {
        do throws(RecordError) {
            try reserveSpace(Int64(bytes.count), limits: limits)
        } catch {
            throw .jobDiskFull
        }
        defer { releaseSpace(Int64(bytes.count)) }
        do throws(AssetFileError) {
            try file.append(bytes)
        } catch {
            throw error.isStorageFull ? .jobDiskFull : RecordError(error)
        }
    }

    /// Returns the bytes that uploads in progress reserve in an uploader's quota.
    func inFlight(of uploader: UserID) -> Int64 {
        state.withLock { $0.inFlight[uploader, default: 0] }
    }

    /// Subtracts written bytes from the reserved disk space, since the file system now counts these bytes as used.
    func didWrite(_ bytes: Int64) {
        state.withLock { $0.announced -= bytes }
        counters.add(\.received, UInt64(max(0, bytes)))
    }

    /// Releases the quota and the disk space that an upload has reserved.
    func release(_ bytes: Int64, unwritten: Int64, for uploader: UserID) {
        state.withLock { state in
            state.announced -= unwritten
            let left = state.inFlight[uploader, default: 0] - bytes
            state.inFlight[uploader] = left > 0 ? left : nil
        }
    }

    /// Marks an upload as in progress.
    func begin(_ name: String) {
        state.withLock { _ = $0.names.insert(name) }
    }

    /// Marks an upload as ended.
    func end(_ name: String) {
        let isLast = state.withLock { state in
            state.names.remove(name)
            return state.names.isEmpty
        }
        if isLast { buffers.drop() }
    }

    /// The size of the chunks to pass to another thread, in bytes. Each chunk costs two thread switches, so chunks are
    /// larger when there are fewer uploads. An upload holds at most two chunks in memory.
    package var pieceBytes: Int {
        let uploads = state.withLock { $0.names.count }
        return min(max(Self.heldBytes / max(1, uploads) / 2, 64 << 10), 512 << 10)
    }

    /// The memory for chunks of all uploads together, in bytes. Each upload gets at least 128 KiB, even if the sum is
    /// larger.
    private static let heldBytes = 16 << 20

    /// Prevents the deletion of asset files until the matching call of `releaseCollection`.
    package func holdCollection() { state.withLock { $0.holds += 1 } }

    /// Ends the effect of one call of `holdCollection`.
    package func releaseCollection() { state.withLock { $0.holds -= 1 } }

    /// Whether asset files must not be deleted, because a backup is running. Read on the writer's thread, which deletes
    /// rows before their files. Therefore every file named in a copy of the rows exists.
    var isCollectionHeld: Bool { state.withLock { $0.holds > 0 } }

    /// Returns whether an upload is in progress.
    func isInProgress(_ name: String) -> Bool {
        state.withLock { $0.names.contains(name) }
    }

    /// Stops the threads.
    func close() async {
        await pool.close()
        await thumbnails?.close()
    }
}

extension RecordError {
    /// The error for an uploader with too many unused bytes.
    static func assetQuota(held: Int64, limit: Int) -> RecordError {
        RecordError(
            .quotaExceeded,
            "You have uploaded as much as you may without any record having it. Write the receipts into records, or wait until they expire",
            cause: .tooLarge, details: [("held", .number(held)), ("limit", .number(Int64(limit)))])
    }

    /// The error for a full disk.
    static let assetDiskFull = RecordError(
        .internalError,
        "The server's disk has no room for this upload. Try again when its operator has made room",
        cause: .storageFull, retryAfter: 60)

    /// The error for a disk that has no room for the file of a job.
    static let jobDiskFull = RecordError(
        .internalError,
        "The server's disk has no room for the file of this job. Try again when its operator has made room",
        cause: .storageFull, retryAfter: 60)

    /// The error for an asset above the size limit.
    static func assetTooLarge(limit: Int) -> RecordError {
        .badRequest(
            "The asset is larger than the server takes", cause: .tooLarge,
            details: [("limit", .number(Int64(limit)))])
    }

    /// Creates the error that a client gets for a failure of an asset's file. The error does not contain the file's
    /// path.
    init(_ error: AssetFileError) {
        self =
            error.isStorageFull
            ? .assetDiskFull
            : RecordError(
                .internalError,
                "The server could not keep the file. Its log has the cause under the id of this response")
    }
}
