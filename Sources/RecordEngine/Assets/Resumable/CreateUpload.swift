internal import Cryptography
package import RecordModel
internal import RecordStorage

extension Uploads {
    /// Creates a resumable upload. If the length is known, it counts in the uploader's quota from the creation on.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED; BAD_REQUEST with cause TOO_LARGE or for an invalid file
    ///   name; QUOTA_EXCEEDED; INTERNAL_ERROR with cause STORAGE_FULL.
    package func create(_ new: NewResumableUpload) async throws(RecordError) -> ResumableStatus {
        try reader.assets.allowUploading(new.caller, to: new.address)
        if let filename = new.filename { try AssetUpload.checkFilename(filename) }
        if let length = new.length { try checkLength(length) }
        let key = new.address.key
        // The name has 16 random bytes and cannot be guessed, since it is an anonymous uploader's only proof of
        // ownership.
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
        // Complete an empty upload at once.
        return new.length == 0 ? try await status(of: upload, endsOthers: true) : try status(row, upload)
    }

    /// Checks a length against the size limit and the free disk space.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE; INTERNAL_ERROR with cause STORAGE_FULL.
    func checkLength(_ length: Int64) throws(RecordError) {
        let limits = database.limits
        guard length <= Int64(limits.assetBytes) else { throw .assetTooLarge(limit: limits.assetBytes) }
        // Check the disk space without reserving it, so that abandoned uploads do not block other uploads.
        try database.assetStore.reserveSpace(length, limits: limits)
        database.assetStore.releaseSpace(length)
    }
}

extension AssetWriter {
    private var mostUnused: Int { transaction.limits.unreferencedAssetBytes }

    /// Checks an uploader's unused bytes against its quota, after bytes were added in this transaction.
    ///
    /// - Throws: QUOTA_EXCEEDED.
    func allowUnused(of row: ResumableUploadRow) throws(RecordError) {
        let unused = try table.reading.unusedBytes(of: row.uploader)
        guard unused <= Int64(mostUnused) else { throw .assetQuota(held: unused, limit: mostUnused) }
    }

    /// Checks the bytes of a future upload against its uploader's quota. Runs inside the write, so that no other upload
    /// can use the quota between the check and the write.
    ///
    /// - Parameter counted: How many of the bytes already count in the quota.
    /// - Throws: QUOTA_EXCEEDED.
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
