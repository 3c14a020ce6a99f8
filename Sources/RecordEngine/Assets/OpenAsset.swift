package import Cryptography
internal import Pictures
package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads
package import Thumbnails

/// An asset whose bytes are about to be sent.
package struct OpenAsset: Sendable {
    let file: OpenAssetFile
    /// In bytes.
    package let size: Int64
    package let hash: Digest
    /// One that is safe to send.
    package let mediaType: String
    /// What a browser does with it.
    package let display: AssetDisplay
    package let filename: String?
    /// For how long its URL is good, in seconds; `nil` where rights are judged with every request.
    package let secondsLeft: Int64?
    /// What makes smaller ones of it; `nil` for what is no picture.
    package let picture: PictureSource?

    /// Open for reading, as long as `file` is there.
    package var descriptor: Int32 { file.descriptor }
}

/// A picture that smaller ones are made of.
package struct PictureSource: Hashable, Sendable {
    let picture: Picture
    let name: AssetFileName

    init(_ picture: Picture, _ name: AssetFileName) {
        self.picture = picture
        self.name = name
    }

    /// What a smaller picture of it is made in, unless the client chooses: what has no alpha becomes JPEG. AVIF may have
    /// alpha, and is written by few versions of libvips.
    package var thumbnailFormat: ThumbnailForm.Format {
        switch picture.format {
        case .jpeg, .heic: .jpeg
        case .png, .gif: .png
        case .webp, .avif: .webp
        }
    }
}

extension Assets {
    /// A smaller picture: from the disk, or made now.
    package func thumbnail(
        of source: PictureSource, _ form: ThumbnailForm
    ) async throws(ThumbnailError) -> ThumbnailFile {
        let files = database.assetStore
        guard let cache = files.thumbnails else { throw .unavailable }
        return try await cache.thumbnail(
            of: files.folder.path(of: source.name), key: source.name.thumbnailKey, width: source.picture.width,
            height: source.picture.height, form: form)
    }
}

/// The content of a field.
package enum FieldContent: Sendable {
    case bytes([UInt8], revision: Int64)
    case asset(OpenAsset)
}

extension AssetReader {
    /// The asset of a signed URL.
    ///
    /// - Throws: NOT_FOUND for what this server has not signed, or has not any more; with cause `TOKEN_EXPIRED` for what
    ///   has expired.
    package func open(token: String, filename: String) throws(RecordError) -> OpenAsset {
        guard let url = AssetURL(token: token, filename: filename, with: database.keys) else { throw .assetNotFound }
        let left = url.expires - WallClock.milliseconds / 1_000
        guard left > 0 else { throw .assetURLExpired }
        return try open(
            url.hash, mediaType: url.mediaType, filename: filename.isEmpty ? nil : filename, secondsLeft: left)
    }

    /// The asset of a value that the caller may read.
    func open(_ asset: Asset) throws(RecordError) -> OpenAsset {
        guard let hash = Digest(base64: asset.fileChecksum) else { throw .assetNotFound }
        return try open(
            hash, mediaType: AssetMediaType.number(of: asset.contentType), filename: asset.filename, secondsLeft: nil)
    }

    private func open(
        _ hash: Digest, mediaType: UInt8, filename: String?, secondsLeft: Int64?
    ) throws(RecordError) -> OpenAsset {
        guard let row = try table.find(hash) else { throw .assetNotFound }
        let folder = database.assetStore.folder
        let file: OpenAssetFile?
        do throws(AssetFileError) { file = try folder.open(row.name) } catch { throw database.assets.failure(error) }
        guard let file else {
            // The row is the truth: without its file it lies, unless the view is older than a collection.
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
    static let assetNotFound = RecordError(
        .notFound, "The asset is not here, or the URL is not one that this server has made. Read the record again")

    static let assetURLExpired = RecordError(
        .notFound, "The URL has expired. Read the record again for a new one", cause: .tokenExpired)
}
