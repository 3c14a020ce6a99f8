internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import Thumbnails

extension Assets {
    /// Deletes unused assets, expired upload tokens, and expired resumable uploads.
    ///
    /// Rows are deleted first, and files after the commit. If the server crashes between the two steps, `sweep` deletes
    /// the files.
    ///
    /// - Parameters:
    ///   - seconds: The time in seconds after which an unused asset is deleted; by default the lifetime of an upload
    ///     token.
    ///   - keepsUnusedUploads: Whether to keep uploaded assets that no record has ever used.
    /// - Returns: The number of deleted assets.
    /// - Throws: The error of the work.
    @discardableResult
    package func collect(
        unusedFor seconds: Int64? = nil, keepsUnusedUploads: Bool = false
    ) async throws(RecordError) -> Int {
        let grace = (seconds ?? database.limits.unreferencedAssetSeconds) * 1_000
        let work = CollectionWork(database.assetStore, unusedFor: grace, keepsUnusedUploads: keepsUnusedUploads)
        try await database.slices.run(work, in: database)
        return work.collected
    }

    /// Deletes unknown files: files of uploads that a crash interrupted, and asset files without a row.
    ///
    /// The function may run during uploads, and does not depend on the clock. It first lists the files, then excludes
    /// uploads in progress, then looks up the rows. The order matters: if a listed file's upload is not in progress,
    /// the file either has a row already or never gets a row.
    ///
    /// - Throws: The error of the reader.
    package func sweep() async throws(RecordError) {
        // After a failed fsync, the rows on disk are unknown, so no file may be deleted.
        guard database.isHealthy else { return }
        try await database.jobs.sweepFiles()
        let files = database.assetStore
        let uploads = files.directory.names(in: "uploads").filter { !files.isInProgress($0) }
        let known = try await database.queries.pool.read(database) { reader throws(RecordError) in
            try reader.assets.unfinishedUploads(among: uploads)
        }
        for name in uploads where !known.contains(name) && !files.isInProgress(name) {
            files.directory.removeUpload(name)
            files.counters.add(\.swept)
        }
        for directory in files.directory.directories {
            let names = files.directory.names(in: directory).compactMap {
                AssetFileName(directory: directory, text: $0)
            }
            // Look up rows in batches, so that other requests do not wait long for the reader pool.
            for start in stride(from: 0, to: names.count, by: 1_000) {
                let piece = names[start..<min(start + 1_000, names.count)]
                let settled = piece.filter { !files.isInProgress($0.text) }
                let unknown = try await database.queries.pool.read(database) { reader throws(RecordError) in
                    try reader.assets.unknown(among: settled)
                }
                for name in unknown {
                    files.directory.remove(name)
                    files.counters.add(\.swept)
                }
            }
        }
    }
}

/// The work that deletes unused assets. It deletes rows first, and files after the commit.
///
/// Unchecked `Sendable`: see `SlicedWork`.
private final class CollectionWork: SlicedWork, @unchecked Sendable {
    private let assets: AssetStore
    private let grace: Int64
    private let keepsUnusedUploads: Bool
    /// The asset files of the rows that the current time slice deletes.
    private var names: [AssetFileName] = []
    private var uploads: [String] = []
    /// The number of deleted assets.
    private(set) var collected = 0

    /// The maximum number of rows of each table that one time slice deletes.
    private static let perSlice = 100

    /// - Parameter grace: The time in milliseconds after which an unused asset is deleted.
    init(_ assets: AssetStore, unusedFor grace: Int64, keepsUnusedUploads: Bool) {
        self.assets = assets
        self.grace = grace
        self.keepsUnusedUploads = keepsUnusedUploads
    }

    var weight: Int { Self.perSlice }
    var operations: Int { Self.perSlice }
    var frees: Bool { true }

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        let (now, most) = (transaction.now, Self.perSlice)
        names = try transaction.store.assets.collect(
            before: now - grace, limit: assets.isCollectionHeld ? 0 : most, keepsUnusedUploads: keepsUnusedUploads)
        let claims = try transaction.store.assets.removeExpiredClaims(before: now, limit: most)
        uploads = try transaction.store.assets.resumables.collect(
            before: now, limit: most, isBusy: { assets.resumables.isBusy($0) })
        let hasMore = max(names.count, claims, uploads.count) >= most
        let done = Int64(collected + names.count)
        if done > 0 {
            try transaction.jobs.show(.collectAssets, left: [0: (done, nil)])
            if !hasMore { try transaction.jobs.show(.collectAssets, left: [:]) }
        }
        return SliceProgress(hasMore: hasMore, done: names.count)
    }

    func didCommit(_ progress: SliceProgress) -> AfterCommit? {
        if names.isEmpty, uploads.isEmpty { return nil }
        return { () throws(RecordError) in try await self.removeFiles() }
    }

    func didFail(_ error: RecordError) -> SliceRetry { .end(error) }

    private func removeFiles() async throws(RecordError) {
        let (directory, names, uploads) = (assets.directory, names, uploads)
        for name in uploads { assets.resumables.forget(name) }
        try await assets.run { () throws(RecordError) in
            for name in uploads { directory.removeUpload(name) }
            for name in names { directory.remove(name) }
        }
        if let thumbnails = assets.thumbnails {
            for name in names { await thumbnails.forget(key: name.thumbnailKey) }
        }
        assets.counters.add(\.collected, UInt64(names.count))
        collected += names.count
    }
}

extension AssetFileName {
    /// The key of the asset's content in the thumbnail cache.
    var thumbnailKey: String { hash.hex }
}

extension AssetReader {
    /// Returns the files that belong to no asset.
    fileprivate func unknown(among names: [AssetFileName]) throws(RecordError) -> [AssetFileName] {
        var unknown: [AssetFileName] = []
        for name in names where try table.find(name.hash)?.file != name.file { unknown.append(name) }
        return unknown
    }

    /// Returns the files that belong to resumable uploads.
    fileprivate func unfinishedUploads(among names: [String]) throws(RecordError) -> Set<String> {
        var known: Set<String> = []
        for name in names where try table.resumables.isUnfinished(name) { known.insert(name) }
        return known
    }
}
