/// A cache of thumbnails in one directory. Thumbnails are made on request. If they exceed a size limit, the least
/// recently used are evicted.
///
/// All disk access happens on threads of the pool. The directory may be deleted while no server uses it, because all
/// thumbnails can be made again. Several caches may share a pool, but each cache needs its own directory.
package final class ThumbnailCache: Sendable {
    /// The largest accepted original, in pixels.
    package let maxPixels: Int
    private let core: CacheCore

    /// Creates a cache. The disk is accessed only when the cache is used.
    ///
    /// - Parameters:
    ///   - directory: An absolute path. The directory is created when the first thumbnail is stored.
    ///   - maxBytes: The most disk space for thumbnails in bytes, counted in whole blocks. Beyond this limit, the least
    ///     recently used thumbnails are evicted.
    ///   - pool: The pool that makes the thumbnails.
    ///   - maxPixels: The largest accepted original, in pixels.
    package init(directory: String, maxBytes: Int, pool: ThumbnailPool, maxPixels: Int = 100_000_000) {
        self.maxPixels = maxPixels
        core = CacheCore(files: CacheFiles(directory: directory), maxBytes: maxBytes, pool: pool)
    }

    /// Returns a thumbnail of an original. A thumbnail that is not on the disk is made first.
    ///
    /// Concurrent requests for the same thumbnail share one process. The process is stopped when all these requests are
    /// canceled.
    ///
    /// - Parameters:
    ///   - path: The path of the original's file. As long as the file has this key, its content must not change.
    ///   - key: The original's identity, at least three lowercase hexadecimal digits.
    ///   - width: The original's width in pixels, from its header.
    ///   - height: The original's height in pixels, from its header.
    ///   - form: The form of the thumbnail. The result is upright, in sRGB and without metadata. The thumbnail of an
    ///     animation shows its first frame.
    /// - Throws: Any `ThumbnailError`. A missing program is no error if the thumbnail is already stored.
    package func thumbnail(
        of path: String, key: String, width: Int, height: Int, form: ThumbnailForm
    ) async throws(ThumbnailError) -> ThumbnailFile {
        precondition(key.utf8.count > 2 && key.utf8.count < 256 && CacheFiles.isKey(key), "A key is hexadecimal")
        precondition((form.width ?? 1) > 0 && (form.height ?? 1) > 0, "A thumbnail has at least one pixel")
        precondition(form.width != nil || form.height != nil, "A form has a width or a height")
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= maxPixels else { throw .tooManyPixels(limit: maxPixels) }
        let name = CacheIndex.Name(key: key, form: form.normalized)
        return try await core.thumbnail(of: path, as: name).get()
    }

    /// Removes all thumbnails of an original and its remembered failures. Open thumbnails stay readable. Thumbnails
    /// that are being made are still returned to their callers, but not stored.
    package func forget(key: String) async {
        precondition(key.utf8.count > 2 && CacheFiles.isKey(key), "A key is hexadecimal")
        await core.forget(key)
    }

    /// Shuts down the cache. Pending and later requests fail with `closed`. The function returns once no task accesses
    /// the directory.
    package func close() async {
        await core.close()
    }

    /// The number of thumbnails and the disk space that they use in bytes, as far as known. After a start, the first
    /// use of the cache starts a scan of the directory.
    package var usage: (files: Int, bytes: Int) {
        get async { await core.usage }
    }

    /// The number of originals whose directories have been read; 0 once the scan is complete.
    var knownCount: Int {
        get async { await core.knownCount }
    }

    /// Suspends until the directory has been scanned.
    func load() async {
        await core.load()
    }
}
