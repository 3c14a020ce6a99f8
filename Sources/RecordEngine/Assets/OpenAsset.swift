package import Cryptography
internal import Pictures
package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads
package import Thumbnails

/// An asset that is open for sending.
package struct OpenAsset: Sendable {
    let file: OpenAssetFile
    /// The size in bytes.
    package let size: Int64
    /// The SHA-256 digest of the content.
    package let hash: Digest
    /// A media type that is safe to send.
    package let mediaType: String
    /// How a browser presents the asset.
    package let display: AssetDisplay
    /// The file name of the asset; `nil` for none.
    package let filename: String?
    /// The number of seconds until the asset's URL expires; `nil` for routes that authorize every request.
    package let secondsLeft: Int64?
    /// The source of thumbnails; `nil` if the asset is not a picture.
    package let picture: PictureSource?

    /// The open file descriptor, valid as long as `file` is alive.
    package var descriptor: Int32 { file.descriptor }
}

/// A picture from which thumbnails can be made.
package struct PictureSource: Hashable, Sendable {
    let picture: Picture
    let name: AssetFileName

    init(_ picture: Picture, _ name: AssetFileName) {
        self.picture = picture
        self.name = name
    }

    /// The default format of thumbnails. Pictures without alpha become JPEG. AVIF pictures become WebP, since they may
    /// have alpha and few versions of libvips can write AVIF.
    package var thumbnailFormat: ThumbnailForm.Format {
        switch picture.format {
        case .jpeg, .heic: .jpeg
        case .png, .gif: .png
        case .webp, .avif: .webp
        }
    }
}

extension Assets {
    /// Returns a thumbnail from the cache, or makes the thumbnail.
    ///
    /// - Throws: `ThumbnailError`; `.unavailable` if thumbnails are disabled.
    package func thumbnail(
        of source: PictureSource, _ form: ThumbnailForm
    ) async throws(ThumbnailError) -> ThumbnailFile {
        let files = database.assetStore
        guard let cache = files.thumbnails else { throw .unavailable }
        return try await cache.thumbnail(
            of: files.directory.path(of: source.name), key: source.name.thumbnailKey, width: source.picture.width,
            height: source.picture.height, form: form)
    }
}

/// The content of a field: bytes or an asset.
package enum FieldContent: Sendable {
    case bytes([UInt8], revision: Int64)
    case asset(OpenAsset)
}

extension AssetReader {
    /// Opens the asset of a signed URL.
    ///
    /// - Throws: NOT_FOUND for a deleted asset, or for a URL that this server has not signed; NOT_FOUND with cause
    ///   TOKEN_EXPIRED for an expired URL; INTERNAL_ERROR.
    package func open(token: String, filename: String) throws(RecordError) -> OpenAsset {
        guard let url = AssetURL(token: token, filename: filename, with: database.keys) else { throw .assetNotFound }
        let left = url.expires - WallClock.milliseconds / 1_000
        guard left > 0 else { throw .assetURLExpired }
        return try open(
            url.hash, mediaType: url.mediaType, filename: filename.isEmpty || url.isForAnyName ? nil : filename,
            secondsLeft: left)
    }

    /// Opens an asset in a field that the caller may read.
    ///
    /// - Throws: NOT_FOUND; INTERNAL_ERROR.
    func open(_ asset: Asset) throws(RecordError) -> OpenAsset {
        guard let hash = Digest(base64: asset.fileChecksum) else { throw .assetNotFound }
        return try open(
            hash, mediaType: AssetMediaType.number(of: asset.contentType), filename: asset.filename, secondsLeft: nil)
    }

    private func open(
        _ hash: Digest, mediaType: UInt8, filename: String?, secondsLeft: Int64?
    ) throws(RecordError) -> OpenAsset {
        guard let row = try table.find(hash) else { throw .assetNotFound }
        let directory = database.assetStore.directory
        let file: OpenAssetFile?
        do throws(AssetFileError) { file = try directory.open(row.name) } catch { throw database.assets.failure(error) }
        guard let file else {
            // A row without a file is damage, unless the asset was deleted after this snapshot began.
            database.statistics.didFail("the file of asset \(row.id) is missing")
            throw .assetNotFound
        }
        database.assetStore.counters.add(\.downloads)
        let picture = row.picture.picture.map { PictureSource($0, row.name) }
        return OpenAsset(
            file: file, size: row.size, hash: row.hash, mediaType: AssetMediaType.text(of: mediaType),
            display: AssetMediaType.display(of: mediaType), filename: filename, secondsLeft: secondsLeft,
            picture: picture
        )
    }
}

extension RecordError {
    /// The error for a missing asset or an invalid URL.
    static let assetNotFound = RecordError(
        .notFound, "The asset is not here, or the URL is not one that this server has made. Read the record again")

    /// The error for an expired URL.
    static let assetURLExpired = RecordError(
        .notFound, "The URL has expired. Read the record again for a new one", cause: .tokenExpired)
}
