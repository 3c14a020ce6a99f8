internal import Cryptography
package import RecordModel
internal import RecordStorage

extension Uploads {
    /// Begins an upload in several requests. Its announced length counts against the uploader's quota from now on.
    ///
    /// - Throws: Who may not; `TOO_LARGE`, QUOTA_EXCEEDED, `STORAGE_FULL`; BAD_REQUEST for a file name that is none.
    package func create(_ new: NewResumableUpload) async throws(RecordError) -> ResumableStatus {
        try reader.assets.allowUploading(new.caller, to: new.address)
        if let filename = new.filename { try AssetUpload.checkFilename(filename) }
        if let length = new.length { try checkLength(length) }
        let key = new.address.key
        // Nobody guesses 16 random bytes: among anonymous uploaders the name is all the right there is.
        var row = ResumableUploadRow(
            name: Hex.encode(RandomBytes.make(16)), uploader: new.caller.writerID, scope: key.scope, owner: key.owner,
            length: new.length, contentType: new.contentType, filename: new.filename, metadata: new.metadata,
            expires: 0)
        let begun = row
        let files = database.assetStore
        row.expires = try await database.write { transaction throws(RecordError) in
            var row = begun
            row.expires = transaction.now + transaction.limits.unreferencedAssetSeconds * 1_000
            try transaction.assets.allowUnfinished(row.length ?? 0, of: row, besides: 0, isNew: true, in: files)
            try transaction.store.assets.resumables.insert(row)
            return row.expires
        }
        let upload = ResumableAddress(name: row.name, caller: new.caller, address: new.address)
        // Nothing will come that could complete it.
        return new.length == 0 ? try await status(of: upload, endsOthers: true) : try status(row, upload)
    }

    /// Refuses a length that no asset may have, or that the disk has no room for.
    func checkLength(_ length: Int64) throws(RecordError) {
        let limits = database.limits
        guard length <= Int64(limits.assetBytes) else { throw .assetTooLarge(limit: limits.assetBytes) }
        // Only looked at: uploads that nobody goes on with must not keep others out.
        try database.assetStore.reserveRoom(length, limits: limits)
        database.assetStore.releaseRoom(length)
    }
}

extension AssetWriter {
    private var mostUnused: Int { transaction.limits.unreferencedAssetBytes }

    /// Judges an uploader's unused bytes by its quota, after some were added.
    func allowUnused(of row: ResumableUploadRow) throws(RecordError) {
        let unused = try table.reading.unusedBytes(of: row.uploader)
        guard unused <= Int64(mostUnused) else { throw .assetQuota(held: unused, limit: mostUnused) }
    }

    /// Judges bytes that an upload will bring by its uploader's quota, where no other upload can come between.
    ///
    /// - Parameter counted: What of them counts already.
    func allowUnfinished(
        _ bytes: Int64, of row: ResumableUploadRow, besides counted: Int64, isNew: Bool, in files: AssetStore
    ) throws(RecordError) {
        let reading = table.reading
        let held = try reading.unusedBytes(of: row.uploader) - counted + files.inFlight(of: row.uploader)
        guard held + bytes <= Int64(mostUnused) else { throw .assetQuota(held: held, limit: mostUnused) }
        let count = try reading.resumables.unfinished(of: row.uploader).count
        guard !isNew || count < Uploads.mostUnfinished else { throw .tooManyUploads }
    }
}
