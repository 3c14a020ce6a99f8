internal import Cryptography
internal import Pictures
package import RecordModel
internal import RecordStorage
internal import Threads

extension AssetReader {
    /// Checks that a caller may upload. The caller must be signed in, or have CREATE or WRITE on a type with asset
    /// fields.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    package func allowUploading(_ caller: Caller, to address: DatabaseAddress) throws(RecordError) {
        let explained = Authorization.judgeUploading(caller, to: address.scope, schema: reader.schema)
        if explained.decision == .allowed { return }
        if caller == .anonymous, address.scope == .publicDatabase {
            throw RecordError(.authenticationRequired, "Sign in to upload files")
        }
        throw .rejected(caller, .create, .upload)
    }

    /// Receives a file, and hashes the bytes as they arrive. When this function returns, the file is durable. Files
    /// with the same content are stored once, even if their uploaders are different.
    ///
    /// - Parameters:
    ///   - next: Returns the next chunk of the file; `nil` at the end of the file.
    /// - Throws: QUOTA_EXCEEDED; BAD_REQUEST with cause TOO_LARGE or DIGEST_MISMATCH, or for an invalid file name;
    ///   INTERNAL_ERROR with cause STORAGE_FULL; AUTHENTICATION_REQUIRED or ACCESS_DENIED; any error of `next`. After
    ///   an error, the file is deleted.
    package func receive(_ upload: AssetUpload, _ next: () async throws -> [UInt8]?) async throws -> ReceivedAsset {
        try allowUploading(upload.caller, to: upload.address)
        if let filename = upload.filename { try AssetUpload.checkFilename(filename) }
        let limit = Int64(database.limits.assetBytes)
        if let length = upload.length, length > limit { throw RecordError.assetTooLarge(limit: Int(limit)) }
        let intake = try IncomingAsset(reader, uploader: upload.caller.writerID)
        do {
            try intake.expect(upload.length ?? 0)
            var size: Int64 = 0
            while let piece = try await next() {
                size += Int64(piece.count)
                guard size <= limit else { throw RecordError.assetTooLarge(limit: Int(limit)) }
                try await intake.append(piece)
            }
            let kept = try await intake.keep(expecting: upload.digest)
            let received = try await register(kept, for: upload)
            await intake.close()
            return received
        } catch {
            await intake.abort()
            throw error
        }
    }

    /// Reserves bytes of an uploader's quota and of the disk.
    ///
    /// - Throws: QUOTA_EXCEEDED, counting all current uploads; INTERNAL_ERROR with cause STORAGE_FULL.
    func hold(_ bytes: Int64, of uploader: UserID) throws(RecordError) {
        try database.assetStore.reserve(bytes, for: uploader, limits: database.limits) { () throws(RecordError) in
            try reader.refresh()
            return try table.unusedBytes(of: uploader)
        }
    }

    /// Registers an uploaded file in the tables, and creates the upload token. Uses the existing row for the same
    /// content, or adds a new row.
    ///
    /// Content that is already stored is written and synced like new content. Therefore neither the time nor the
    /// counters reveal which files other callers have uploaded.
    func register(_ kept: StoredAssetFile, for upload: AssetUpload) async throws(RecordError) -> ReceivedAsset {
        let content = kept.content
        defer { database.assetStore.end(kept.name.text) }
        let type = AssetMediaType.stored(claimed: upload.contentType, picture: content.picture)
        let directory = database.assetStore.directory
        let claim: (id: Int64, usesFile: Bool)
        do throws(RecordError) {
            claim = try await database.write { transaction throws(RecordError) in
                try transaction.assets.claim(content, kept.name, upload, contentType: type, in: directory)
            }
        } catch {
            // After a failed fsync, the row may or may not exist. Keep the file until the next start.
            if database.isHealthy { await removeKept(kept.name) }
            throw error
        }
        if !claim.usesFile { await removeKept(kept.name) }
        let counters = database.assetStore.counters
        counters.add(\.uploads)
        if !claim.usesFile { counters.add(\.duplicates) }
        var asset = Asset(
            fileChecksum: content.hash.base64, size: content.size, contentType: type, filename: upload.filename,
            picture: content.picture.map(AssetPicture.init))
        let url = urls().url(of: asset) ?? ""
        asset.receipt = UploadToken.seal(
            claim.id, upload.caller, upload.address, for: upload.target, with: database.keys)
        return ReceivedAsset(asset: asset, downloadURL: url, isKnown: !claim.usesFile)
    }

    /// Deletes a kept file that is not needed. Runs on a thread of the store, since deleting gigabytes would block an
    /// event loop.
    private func removeKept(_ name: AssetFileName) async {
        let directory = database.assetStore.directory
        // A closing store rejects work. `sweep` deletes the file at the next start.
        _ = try? await database.assetStore.run { () throws(RecordError) in directory.remove(name) }
    }
}

extension RecordError {
    /// The error for bytes that do not match the client's digest.
    static func digestMismatch(_ found: Digest) -> RecordError {
        .badRequest(
            "The bytes do not match the digest. Send them again", cause: .digestMismatch,
            details: [("found", .text(found.base64))])
    }
}
