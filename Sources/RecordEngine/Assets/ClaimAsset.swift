internal import Pictures
internal import RecordModel
internal import RecordStorage

extension AssetWriter {
    /// Notes that a caller has uploaded something, in the row of what is there already or in a new one.
    ///
    /// - Parameters:
    ///   - file: The file that was brought.
    ///   - folder: Where it lies.
    /// - Returns: The claim, and whether the file is the asset's.
    /// - Throws: QUOTA_EXCEEDED if uploads beside this one have used the quota up: only here all of them are counted.
    func claim(
        _ content: AssetContent, _ file: AssetFileName, _ upload: AssetUpload, contentType: String,
        in folder: AssetFolder
    ) throws(RecordError) -> (id: Int64, usesFile: Bool) {
        // Gigabytes take their time: a key may have been revoked meanwhile, or an administrator disabled.
        if !upload.caller.isBoundByGrants {
            let caller = try transaction.callers.current(upload.caller)
            let ruling = Authorization.judgeUploading(caller, to: upload.address.scope, schema: transaction.schema)
            guard ruling.decision == .allowed else { throw .refused(caller, .create, .upload) }
        }
        let now = transaction.now
        let limits = transaction.limits
        let expires = now + limits.unreferencedAssetSeconds * 1_000
        let key = upload.address.key
        let table = table
        let uploader = upload.caller.writerID
        var usesFile = false
        let asset: Int64
        if let row = try table.reading.find(content.hash) {
            asset = row.id
            // As good as new: it is kept for as long as its receipt.
            if row.orphaned != nil { try table.mark(asset, orphaned: now) }
            // A file that was lost, or cut, is whole again with this one.
            if folder.size(of: AssetFileName(hash: row.hash, file: row.file)) != row.size {
                try table.replace(asset, file: file.file)
                usesFile = true
            }
        } else {
            usesFile = true
            asset = try table.insert(
                AssetRow(
                    id: 0, hash: content.hash, size: content.size, file: file.file, orphaned: now,
                    picture: PictureColumns(content.picture)))
        }
        let claim = AssetClaim(
            id: 0, asset: asset, uploader: uploader, scope: key.scope, owner: key.owner,
            contentType: contentType, filename: upload.filename, expires: expires)
        let made = (id: try table.claim(claim, size: content.size), usesFile: usesFile)
        if let resumable = upload.resumable {
            let isThere = try table.resumables.complete(resumable, claim: made.id)
            guard isThere else { throw .uploadNotFound }
        }
        // Now that an upload in several requests is complete, and not counted as one that is not.
        let unused = try table.reading.unusedBytes(of: uploader)
        guard unused <= Int64(limits.unreferencedAssetBytes) else {
            throw .assetQuota(held: unused - content.size, limit: limits.unreferencedAssetBytes)
        }
        return made
    }
}

extension PictureColumns {
    /// A format's place is its number in the file.
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
