package import RecordModel
internal import RecordStorage

/// Operations of the request that owns a resumable upload.
extension Uploads {
    /// Returns the status of an upload.
    ///
    /// - Parameter endsOthers: Whether to end a request that is sending bytes, so that the returned offset does not
    ///   change.
    /// - Throws: NOT_FOUND; CONFLICT if a newer request has taken over; the errors of completing the upload.
    package func status(
        of upload: ResumableAddress, endsOthers: Bool
    ) async throws(RecordError) -> ResumableStatus {
        let row = try find(upload)
        // True if all bytes arrived, but a crash or failure prevented the completion.
        let isStuck = row.offset == row.length
        guard row.claim == nil, endsOthers || isStuck else { return try status(row, upload) }
        let file = try database.assetStore.resumables.borrow(upload.name, in: database.assetStore)
        defer { database.assetStore.resumables.giveBack(file) }
        _ = try await file.turn.takeOver()
        defer { file.turn.leave() }
        let settled = try await settled(upload, file)
        guard settled.claim == nil, settled.offset == settled.length else { return try status(settled, upload) }
        do throws(AssetFileError) {
            try await file.open(at: settled.offset)
        } catch {
            throw failureToGoOn(error)
        }
        do throws(RecordError) {
            try await complete(settled, upload, file)
        } catch {
            await file.drop()
            throw error
        }
        return try status(try find(upload), upload)
    }

    /// Deletes an upload, and ends a request that is sending bytes for it. The asset of a complete upload stays as long
    /// as the upload token is valid.
    ///
    /// - Throws: NOT_FOUND; CONFLICT if a newer request has taken over.
    package func terminate(_ upload: ResumableAddress) async throws(RecordError) {
        let id = try find(upload).id
        let file = try database.assetStore.resumables.borrow(upload.name, in: database.assetStore)
        defer { database.assetStore.resumables.giveBack(file) }
        _ = try await file.turn.takeOver()
        defer { file.turn.leave() }
        // Delete the row before the file: without a row, the file is invalid and will be deleted.
        try await database.write(frees: true) { transaction throws(RecordError) in
            try transaction.store.assets.resumables.remove(id)
        }
        await file.discard()
    }

    /// Finishes the work of an older request, then returns the upload's row.
    func settled(_ upload: ResumableAddress, _ file: ResumableFile) async throws(RecordError) -> ResumableUploadRow {
        let row = try find(upload)
        guard file.isOpen else { return row }
        do throws(RecordError) {
            try await rest(file, of: row)
        } catch {
            // Discard bytes of the older request that exceed the quota. The upload continues at its previous offset.
            guard error.code == .quotaExceeded else { throw error }
        }
        return try find(upload)
    }

    /// Makes the received bytes durable and closes the file. A part with a checksum is discarded.
    func rest(_ file: ResumableFile, of row: ResumableUploadRow) async throws(RecordError) {
        guard file.isOpen else { return }
        guard !file.isChecking else {
            await file.drop()
            return
        }
        do throws(RecordError) {
            try await advance(file, of: row)
        } catch {
            // The file may contain any bytes after the offset. They are cut off when the upload continues.
            await file.drop()
            throw error
        }
        file.close()
    }

    /// Makes the received bytes durable, then stores the new offset.
    ///
    /// - Throws: QUOTA_EXCEEDED if concurrent uploads have used up the quota; NOT_FOUND if the upload is deleted;
    ///   INTERNAL_ERROR.
    func advance(_ file: ResumableFile, of row: ResumableUploadRow) async throws(RecordError) {
        let offset: Int64
        do throws(AssetFileError) { offset = try await file.sync() } catch { throw database.assets.failure(error) }
        let isThere = try await database.write { transaction throws(RecordError) in
            let isThere = try transaction.store.assets.resumables.advance(row.id, to: offset)
            // Check the quota only if the length is unknown. A known length counts from the creation of the upload on.
            if isThere, row.length == nil { try transaction.assets.allowUnused(of: row) }
            return isThere
        }
        guard isThere else {
            await file.discard()
            throw .uploadNotFound
        }
    }

    /// Creates an asset from an upload whose bytes have all arrived.
    ///
    /// - Throws: The errors of registering an asset; INTERNAL_ERROR.
    func complete(
        _ row: ResumableUploadRow, _ upload: ResumableAddress, _ file: ResumableFile
    ) async throws(RecordError) {
        let content: AssetContent
        do throws(AssetFileError) { content = try await file.content() } catch { throw database.assets.failure(error) }
        var asset = AssetUpload(
            caller: upload.caller, address: upload.address, contentType: row.contentType, filename: row.filename)
        asset.resumable = row.id
        let kept = StoredAssetFile(content, in: database.assetStore)
        do throws(AssetFileError) {
            try await file.keep(as: kept.name)
        } catch {
            database.assetStore.end(kept.name.text)
            throw database.assets.failure(error)
        }
        _ = try await reader.assets.register(kept, for: asset)
        await file.discard()
    }
}
