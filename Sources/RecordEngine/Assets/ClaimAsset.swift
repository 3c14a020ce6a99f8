internal import Pictures
internal import RecordModel
internal import RecordStorage

extension AssetWriter {
    /// Registers an upload by a caller. Uses the existing row for the same content, or adds a new row.
    ///
    /// - Parameters:
    ///   - file: The uploaded file.
    ///   - directory: The directory of the file.
    /// - Returns: The claim, and whether the asset uses the uploaded file. Otherwise the file is not needed.
    /// - Throws: QUOTA_EXCEEDED if concurrent uploads have used up the quota; ACCESS_DENIED or AUTHENTICATION_FAILED if
    ///   the caller has lost its permissions; NOT_FOUND for a deleted resumable upload.
    func claim(
        _ content: AssetContent, _ file: AssetFileName, _ upload: AssetUpload, contentType: String,
        in directory: AssetDirectory
    ) throws(RecordError) -> (id: Int64, usesFile: Bool) {
        // During a long upload, the key may have been revoked, or the administrator disabled.
        if !upload.caller.isBoundByGrants || upload.caller.participation != nil {
            let caller = try transaction.callers.current(upload.caller)
            let explained = Authorization.judgeUploading(caller, to: upload.address.scope, schema: transaction.schema)
            guard explained.decision == .allowed else { throw .rejected(caller, .create, .upload) }
        }
        let now = transaction.now
        let limits = transaction.limits
        let expires = now + limits.unreferencedAssetSeconds * 1_000
        let key = upload.address.key
        let table = table
        let uploader = upload.caller.writerID
        let (asset, usesFile) = try register(content, file, in: directory)
        let claim = AssetClaim(
            id: 0, asset: asset, uploader: uploader, scope: key.scope, owner: key.owner,
            contentType: contentType, filename: upload.filename, expires: expires)
        let made = (id: try table.claim(claim, size: content.size), usesFile: usesFile)
        if let resumable = upload.resumable {
            let isThere = try table.resumables.complete(resumable, claim: made.id)
            guard isThere else { throw .uploadNotFound }
        }
        // Read the usage after completing a resumable upload, so that its bytes do not count twice.
        let unused = try table.reading.unusedBytes(of: uploader)
        guard unused <= Int64(limits.unreferencedAssetBytes) else {
            throw .assetQuota(held: unused - content.size, limit: limits.unreferencedAssetBytes)
        }
        return made
    }

    /// Adds the row of a file, or finds the row of the same content.
    ///
    /// - Returns: The asset, and whether it uses the file. Otherwise the file is not needed.
    func register(
        _ content: AssetContent, _ file: AssetFileName, in directory: AssetDirectory
    ) throws(RecordError) -> (asset: Int64, usesFile: Bool) {
        var usesFile = false
        let asset: Int64
        if let row = try table.reading.find(content.hash) {
            asset = row.id
            // Restart the retention period, so that the asset is kept as long as its upload token is valid.
            if row.orphaned != nil { try table.mark(asset, orphaned: transaction.now) }
            // If the existing file was lost or truncated, the uploaded file replaces it.
            if directory.size(of: AssetFileName(hash: row.hash, file: row.file)) != row.size {
                try table.replace(asset, file: file.file)
                usesFile = true
            }
        } else {
            usesFile = true
            asset = try table.insert(
                AssetRow(
                    id: 0, hash: content.hash, size: content.size, file: file.file, orphaned: transaction.now,
                    picture: PictureColumns(content.picture)))
        }
        return (asset, usesFile)
    }
}

extension PictureColumns {
    /// The picture formats. The stored number of a format is its index plus 1.
    private static let formats: [Picture.Format] = [.jpeg, .png, .gif, .webp, .heic, .avif]

    init(_ picture: Picture?) {
        guard let picture, let place = Self.formats.firstIndex(of: picture.format) else {
            self = .none
            return
        }
        self.init(
            format: Int64(place + 1), width: Int64(picture.width), height: Int64(picture.height),
            orientation: Int64(picture.orientation))
    }

    var picture: Picture? {
        guard format > 0, format <= Int64(Self.formats.count) else { return nil }
        return Picture(
            format: Self.formats[Int(format) - 1], width: Int(width), height: Int(height),
            orientation: Int(orientation))
    }
}
