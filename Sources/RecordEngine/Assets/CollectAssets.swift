internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import Thumbnails

extension RecordDatabase {
    /// Takes away assets that no record has had for longer than a receipt is good, and receipts and uploads in several
    /// requests that have expired. Rows go first; files when that is committed. What a crash leaves between the two,
    /// `sweepAssets` finds.
    ///
    /// - Parameters:
    ///   - seconds: For how long nobody must have had an asset; as long as a receipt is good unless given.
    ///   - sparesUploads: Leaves assets alone that were uploaded and that no record has had yet.
    /// - Returns: How many assets went.
    @discardableResult
    package nonisolated func collectAssets(
        unusedFor seconds: Int64? = nil, sparesUploads: Bool = false
    ) async throws(RecordError) -> Int {
        let grace = (seconds ?? limits.unreferencedAssetSeconds) * 1_000
        let job = CollectionJob(assets, unusedFor: grace, sparesUploads: sparesUploads)
        try await jobs.run(job, in: self)
        return job.collected
    }

    /// Takes away files that nothing speaks of: of uploads that a crash broke off, and between a file and its row.
    ///
    /// Safe beside uploads, whatever the clock says: a file that is there, and not under way after that, has a row by
    /// then or gets none. So the three are asked in this order.
    package nonisolated func sweepAssets() async throws(RecordError) {
        // After a failed sync nobody knows what has a row.
        guard isHealthy else { return }
        let assets = assets
        let uploads = assets.folder.names(in: "uploads").filter { !assets.isUnderWay($0) }
        let known = try await queries.pool.read(self) { reader throws(RecordError) in
            try reader.resumableUploads(among: uploads)
        }
        for name in uploads where !known.contains(name) && !assets.isUnderWay(name) {
            assets.folder.removeUpload(name)
            assets.counters.add(\.swept)
        }
        for folder in assets.folder.folders {
            let names = assets.folder.names(in: folder).compactMap { AssetFileName(folder: folder, text: $0) }
            // In pieces, so that nobody waits long for the pool.
            for start in stride(from: 0, to: names.count, by: 1_000) {
                let piece = names[start..<min(start + 1_000, names.count)]
                let settled = piece.filter { !assets.isUnderWay($0.text) }
                let unknown = try await queries.pool.read(self) { reader throws(RecordError) in
                    try reader.unknownAssets(among: settled)
                }
                for name in unknown {
                    assets.folder.remove(name)
                    assets.counters.add(\.swept)
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
        names = try transaction.assets.collect(
            before: now - grace, limit: assets.isCollectionHeld ? 0 : most, sparesUploads: sparesUploads)
        let claims = try transaction.assets.removeExpiredClaims(before: now, limit: most)
        uploads = try transaction.assets.resumables.collect(
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

extension RecordReader {
    fileprivate func unknownAssets(among names: [AssetFileName]) throws(RecordError) -> [AssetFileName] {
        let reading = store.assets
        var unknown: [AssetFileName] = []
        for name in names where try reading.find(name.hash)?.file != name.file { unknown.append(name) }
        return unknown
    }

    fileprivate func resumableUploads(among names: [String]) throws(RecordError) -> Set<String> {
        let reading = store.assets
        var known: Set<String> = []
        for name in names where try reading.resumables.isUnfinished(name) { known.insert(name) }
        return known
    }
}
