package import RecordModel
internal import RecordStorage

/// What every request of an upload in several requests does when it has the upload's turn.
extension Uploads {
    /// How far an upload is.
    ///
    /// - Parameter endsOthers: A request that is bringing bytes is ended, so that the offset stays what is answered.
    package func status(
        of upload: ResumableAddress, endsOthers: Bool
    ) async throws(RecordError) -> ResumableStatus {
        let row = try find(upload)
        // All is there, and was not completed: a crash or a failure came between.
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

    /// Ends an upload, and a request that is bringing bytes for it. What has become of a complete one stays as long as
    /// its receipt.
    package func terminate(_ upload: ResumableAddress) async throws(RecordError) {
        let id = try find(upload).id
        let file = try database.assetStore.resumables.borrow(upload.name, in: database.assetStore)
        defer { database.assetStore.resumables.giveBack(file) }
        _ = try await file.turn.takeOver()
        defer { file.turn.leave() }
        // First the row: it is the truth about the file.
        try await database.write(frees: true) { transaction throws(RecordError) in
            try transaction.store.assets.resumables.remove(id)
        }
        await file.discard()
    }

    /// The row, after what an older request has left is settled.
    func settled(_ upload: ResumableAddress, _ file: ResumableFile) async throws(RecordError) -> ResumableUploadRow {
        let row = try find(upload)
        guard file.isOpen else { return row }
        do throws(RecordError) {
            try await rest(file, of: row)
        } catch {
            // What the older request brought beyond the quota is gone; the upload goes on where it was.
            guard error.code == .quotaExceeded else { throw error }
        }
        return try find(upload)
    }

    /// Makes what came durable and closes the file; a part that was to be checked as a whole is dropped.
    func rest(_ file: ResumableFile, of row: ResumableUploadRow) async throws(RecordError) {
        guard file.isOpen else { return }
        guard !file.isChecking else {
            await file.drop()
            return
        }
        do throws(RecordError) {
            try await advance(file, of: row)
        } catch {
            // What the disk has behind the offset is not known: it is cut off when the upload goes on.
            await file.drop()
            throw error
        }
        file.close()
    }

    /// Makes what came durable, then says so.
    ///
    /// - Throws: QUOTA_EXCEEDED if uploads beside this one have used the quota up: only here all of them are counted.
    func advance(_ file: ResumableFile, of row: ResumableUploadRow) async throws(RecordError) {
        let offset: Int64
        do throws(AssetFileError) { offset = try await file.sync() } catch { throw database.assets.failure(error) }
        let isThere = try await database.write { transaction throws(RecordError) in
            let isThere = try transaction.store.assets.resumables.advance(row.id, to: offset)
            // One of known length counts with that from its beginning.
            if isThere, row.length == nil { try transaction.assets.allowUnused(of: row) }
            return isThere
        }
        guard isThere else {
            await file.discard()
            throw .uploadNotFound
        }
    }

    /// Makes an asset of an upload of which everything has come.
    func complete(
        _ row: ResumableUploadRow, _ upload: ResumableAddress, _ file: ResumableFile
    ) async throws(RecordError) {
        let content: AssetContent
        do throws(AssetFileError) { content = try await file.content() } catch { throw database.assets.failure(error) }
        var asset = AssetUpload(
            caller: upload.caller, address: upload.address, contentType: row.contentType, filename: row.filename)
        asset.resumable = row.id
        let kept = KeptAsset(content, in: database.assetStore)
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
