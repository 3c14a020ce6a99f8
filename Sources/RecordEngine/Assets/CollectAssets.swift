internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import Threads
internal import Thumbnails

extension RecordDatabase {
    /// Assets that one slice takes away before it lets other writers through.
    private static var collectedPerSlice: Int { 100 }

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
        let slice = Self.collectedPerSlice
        var collected = 0
        while true {
            let grace = (seconds ?? limits.unreferencedAssetSeconds) * 1_000
            let (uploads, assets) = (assets.resumables, assets)
            let done = try await write(operations: slice, weight: slice, frees: true) {
                transaction throws(RecordError) in
                let now = transaction.now
                let limit = assets.isCollectionHeld ? 0 : slice
                return (
                    try transaction.assets.collect(
                        before: now - grace, limit: limit, sparesUploads: sparesUploads),
                    try transaction.assets.removeExpiredClaims(before: now, limit: slice),
                    try transaction.assets.resumables.collect(
                        before: now, limit: slice, isBusy: { uploads.isBusy($0) })
                )
            }
            try await removeUploads(done.2)
            let names = done.0
            if !names.isEmpty {
                let folder = assets.folder
                try await assets.run { () throws(RecordError) in
                    for name in names { folder.remove(name) }
                }
                if let thumbnails = assets.thumbnails {
                    for name in names { await thumbnails.forget(key: name.thumbnailKey) }
                }
                assets.counters.add(\.collected, UInt64(names.count))
                collected += names.count
            }
            if max(names.count, done.1, done.2.count) < slice { return collected }
        }
    }

    /// Takes away the files of uploads in several requests that have expired.
    private nonisolated func removeUploads(_ names: [String]) async throws(RecordError) {
        guard !names.isEmpty else { return }
        for name in names { assets.resumables.forget(name) }
        let folder = assets.folder
        try await assets.run { () throws(RecordError) in
            for name in names { folder.removeUpload(name) }
        }
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
