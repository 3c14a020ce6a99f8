internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import Thumbnails

extension Assets {
    /// Takes away assets that no record has had for longer than a receipt is good, and receipts and uploads in several
    /// requests that have expired. Rows go first; files when that is committed. What a crash leaves between the two,
    /// `sweep` finds.
    ///
    /// - Parameters:
    ///   - seconds: For how long nobody must have had an asset; as long as a receipt is good unless given.
    ///   - sparesUploads: Leaves assets alone that were uploaded and that no record has had yet.
    /// - Returns: How many assets went.
    @discardableResult
    package func collect(
        unusedFor seconds: Int64? = nil, sparesUploads: Bool = false
    ) async throws(RecordError) -> Int {
        let grace = (seconds ?? database.limits.unreferencedAssetSeconds) * 1_000
        let job = CollectionJob(database.assetStore, unusedFor: grace, sparesUploads: sparesUploads)
        try await database.jobs.run(job, in: database)
        return job.collected
    }

    /// Takes away files that nothing speaks of: of uploads that a crash broke off, and between a file and its row.
    ///
    /// Safe beside uploads, whatever the clock says: a file that is there, and not under way after that, has a row by
    /// then or gets none. So the three are asked in this order.
    package func sweep() async throws(RecordError) {
        // After a failed sync nobody knows what has a row.
        guard database.isHealthy else { return }
        let files = database.assetStore
        let uploads = files.folder.names(in: "uploads").filter { !files.isUnderWay($0) }
        let known = try await database.queries.pool.read(database) { reader throws(RecordError) in
            try reader.assets.unfinishedUploads(among: uploads)
        }
        for name in uploads where !known.contains(name) && !files.isUnderWay(name) {
            files.folder.removeUpload(name)
            files.counters.add(\.swept)
        }
        for folder in files.folder.folders {
            let names = files.folder.names(in: folder).compactMap { AssetFileName(folder: folder, text: $0) }
            // In pieces, so that nobody waits long for the pool.
            for start in stride(from: 0, to: names.count, by: 1_000) {
                let piece = names[start..<min(start + 1_000, names.count)]
                let settled = piece.filter { !files.isUnderWay($0.text) }
                let unknown = try await database.queries.pool.read(database) { reader throws(RecordError) in
                    try reader.assets.unknown(among: settled)
                }
                for name in unknown {
                    files.folder.remove(name)
                    files.counters.add(\.swept)
                }
            }
        }
    }
}

/// Deletes assets that no record has: rows first, files when that is committed.
///
/// Unchecked: see `Job`.
private final class CollectionJob: Job, @unchecked Sendable {
    private let assets: AssetStore
    private let grace: Int64
    private let sparesUploads: Bool
    /// The files of the slice under way, and its uploads in several requests.
    private var names: [AssetFileName] = []
    private var uploads: [String] = []
    /// How many assets went.
    private(set) var collected = 0

    /// Rows of each kind that one slice deletes.
    private static let perSlice = 100

    /// - Parameter grace: For how many milliseconds nobody must have had an asset.
    init(_ assets: AssetStore, unusedFor grace: Int64, sparesUploads: Bool) {
        self.assets = assets
        self.grace = grace
        self.sparesUploads = sparesUploads
    }

    var weight: Int { Self.perSlice }
    var operations: Int { Self.perSlice }
    var frees: Bool { true }

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> JobProgress {
        let (now, most) = (transaction.now, Self.perSlice)
        names = try transaction.store.assets.collect(
            before: now - grace, limit: assets.isCollectionHeld ? 0 : most, sparesUploads: sparesUploads)
        let claims = try transaction.store.assets.removeExpiredClaims(before: now, limit: most)
        uploads = try transaction.store.assets.resumables.collect(
            before: now, limit: most, isBusy: { assets.resumables.isBusy($0) })
        return JobProgress(hasMore: max(names.count, claims, uploads.count) >= most, done: names.count)
    }

    func didCommit(_ progress: JobProgress) -> AfterCommit? {
        if names.isEmpty, uploads.isEmpty { return nil }
        return { () throws(RecordError) in try await self.removeFiles() }
    }

    func didFail(_ error: RecordError) -> JobRetry { .end(error) }

    private func removeFiles() async throws(RecordError) {
        let (folder, names, uploads) = (assets.folder, names, uploads)
        for name in uploads { assets.resumables.forget(name) }
        try await assets.run { () throws(RecordError) in
            for name in uploads { folder.removeUpload(name) }
            for name in names { folder.remove(name) }
        }
        if let thumbnails = assets.thumbnails {
            for name in names { await thumbnails.forget(key: name.thumbnailKey) }
        }
        assets.counters.add(\.collected, UInt64(names.count))
        collected += names.count
    }
}

extension AssetFileName {
    /// Names the content for the cache of smaller pictures.
    var thumbnailKey: String { hash.hex }
}

extension AssetReader {
    /// The files that are no asset's.
    fileprivate func unknown(among names: [AssetFileName]) throws(RecordError) -> [AssetFileName] {
        var unknown: [AssetFileName] = []
        for name in names where try table.find(name.hash)?.file != name.file { unknown.append(name) }
        return unknown
    }

    /// The files that belong to uploads in several requests.
    fileprivate func unfinishedUploads(among names: [String]) throws(RecordError) -> Set<String> {
        var known: Set<String> = []
        for name in names where try table.resumables.isUnfinished(name) { known.insert(name) }
        return known
    }
}
