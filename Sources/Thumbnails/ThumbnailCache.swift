/// Thumbnails of the originals of one folder, made when they are asked for and kept within a number of bytes.
///
/// Everything that touches the disk happens on threads of the pool. A cache may be deleted whenever no server uses it:
/// all in it can be made again. Several caches share a pool; no two have one folder.
package final class ThumbnailCache: Sendable {
    /// The largest original that is taken on, in pixels.
    package let maxPixels: Int
    private let core: CacheCore

    /// Creates a cache, which touches nothing until it is used.
    ///
    /// - Parameters:
    ///   - folder: An absolute path; made when the first thumbnail is stored.
    ///   - maxBytes: What thumbnails may take on the disk, in whole blocks. Beyond, those not used for longest are removed.
    ///   - pool: Where thumbnails are made.
    ///   - maxPixels: Larger originals are refused.
    package init(folder: String, maxBytes: Int, pool: ThumbnailPool, maxPixels: Int = 100_000_000) {
        self.maxPixels = maxPixels
        core = CacheCore(files: CacheFiles(folder: folder), maxBytes: maxBytes, pool: pool)
    }

    /// A thumbnail of an original: from the disk, or made now.
    ///
    /// However many ask for the same at once, one process makes it. It stops when all who asked were cancelled.
    ///
    /// - Parameters:
    ///   - path: The original's file, which must not change as long as it has this key.
    ///   - key: The original's identity, at least three lower-case hexadecimal digits.
    ///   - width: The original's width in pixels, as its header says.
    ///   - height: Its height.
    ///   - form: What the thumbnail shall be. The animation's first picture, upright, in sRGB, without metadata.
    /// - Throws: Any `ThumbnailError`. What is on the disk already is returned even if the program is missing.
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

    /// Removes every thumbnail of an original, and what is remembered of its failures. Thumbnails that callers have open
    /// stay readable; those being made still reach who asked, and are not kept.
    package func forget(key: String) async {
        precondition(key.utf8.count > 2 && CacheFiles.isKey(key), "A key is hexadecimal")
        await core.forget(key)
    }

    /// Ends what is being made with `.closed`, refuses the rest, and returns once nothing touches the folder any more.
    package func close() async {
        await core.close()
    }

    /// How many thumbnails there are and what they take on the disk, as far as is known: after a start the folder is read
    /// piece by piece with the first use.
    package var usage: (files: Int, bytes: Int) {
        get async { await core.usage }
    }

    /// How many originals are held in memory as known.
    var knownCount: Int {
        get async { await core.knownCount }
    }

    /// Suspends until the folder has been read.
    func load() async {
        await core.load()
    }
}
