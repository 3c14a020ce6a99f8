internal import Cryptography
internal import Pictures
package import RecordModel
internal import RecordStorage
internal import Threads

extension AssetReader {
    /// Refuses callers who may upload nothing: they are neither signed in, nor may they create or write a type that has
    /// assets.
    package func allowUploading(_ caller: Caller, to address: DatabaseAddress) throws(RecordError) {
        let ruling = Authorization.judgeUploading(caller, to: address.scope, schema: reader.schema)
        if ruling.decision == .allowed { return }
        if caller == .anonymous, address.scope == .publicDatabase {
            throw RecordError(.authenticationRequired, "Sign in to upload files")
        }
        throw .refused(caller, .create, .upload)
    }

    /// Takes a file in: hashed as it comes, durable before this returns, and stored once whoever brings it.
    ///
    /// - Parameters:
    ///   - next: The next piece of its bytes; `nil` at the end.
    /// - Throws: QUOTA_EXCEEDED, `TOO_LARGE`, `STORAGE_FULL`, BAD_REQUEST for another digest than the client's; or what
    ///   `next` throws. Nothing is left behind then.
    package func receive(_ upload: AssetUpload, _ next: () async throws -> [UInt8]?) async throws -> ReceivedAsset {
        try allowUploading(upload.caller, to: upload.address)
        if let filename = upload.filename { try AssetUpload.checkFilename(filename) }
        let limit = Int64(database.limits.assetBytes)
        if let length = upload.length, length > limit { throw RecordError.assetTooLarge(limit: Int(limit)) }
        let intake = try AssetIntake(reader, uploader: upload.caller.writerID)
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

    /// Holds bytes that somebody brings, of its quota and of the disk.
    ///
    /// - Throws: QUOTA_EXCEEDED, by what all uploads have taken by now; `STORAGE_FULL`.
    func hold(_ bytes: Int64, of uploader: UserID) throws(RecordError) {
        try database.assetStore.reserve(bytes, for: uploader, limits: database.limits) { () throws(RecordError) in
            try reader.refresh()
            return try table.unusedBytes(of: uploader)
        }
    }

    /// Gives a kept file its row, or its content the row that is there, and makes the receipt.
    ///
    /// What is there already is written and synced like anything else: whoever measures time, or counts, learns nothing of
    /// other people's files.
    func register(_ kept: KeptAsset, for upload: AssetUpload) async throws(RecordError) -> ReceivedAsset {
        let content = kept.content
        defer { database.assetStore.end(kept.name.text) }
        let type = AssetMediaType.stored(claimed: upload.contentType, picture: content.picture)
        let folder = database.assetStore.folder
        let claim: (id: Int64, usesFile: Bool)
        do throws(RecordError) {
            claim = try await database.write { transaction throws(RecordError) in
                try transaction.assets.claim(content, kept.name, upload, contentType: type, in: folder)
            }
        } catch {
            // After a failed sync nobody knows whether there is a row: the file stays, and the next start decides.
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
        asset.receipt = AssetReceipt.seal(claim.id, upload.caller, upload.address, with: database.keys)
        return ReceivedAsset(asset: asset, downloadURL: url, isKnown: !claim.usesFile)
    }

    /// Takes away a file that was kept and is not needed. For gigabytes that takes time, which a loop does not have.
    private func removeKept(_ name: AssetFileName) async {
        let folder = database.assetStore.folder
        // A store that is closing does no more work: the next start finds the file.
        _ = try? await database.assetStore.run { () throws(RecordError) in folder.remove(name) }
    }
}

extension RecordError {
    static func digestMismatch(_ found: Digest) -> RecordError {
        .badRequest(
            "The bytes that came are not those that the digest stands for. Send them again", cause: .digestMismatch,
            details: [("found", .text(found.base64))])
    }
}
