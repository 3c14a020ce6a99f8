internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import Threads

extension Uploads {
    /// Receives a part of an upload, and completes the upload with its last part.
    ///
    /// All bytes before the returned offset are durable. If a part is interrupted, its received bytes are made durable
    /// too, unless the part has a checksum. A newer request for the upload ends this request.
    ///
    /// - Parameter next: Returns the next chunk of the part; `nil` at the end of the part.
    /// - Throws: CONFLICT for a wrong offset, with the upload's offset in `details`; CONFLICT if an older request has
    ///   received more bytes or a newer request has taken over; BAD_REQUEST with cause TOO_LARGE or DIGEST_MISMATCH;
    ///   QUOTA_EXCEEDED; INTERNAL_ERROR with cause STORAGE_FULL; NOT_FOUND for an unknown or expired upload; any error
    ///   of `next`.
    package func append(
        _ part: ResumablePart, to upload: ResumableAddress, _ next: () async throws -> [UInt8]?
    ) async throws -> ResumableStatus {
        try reader.assets.allowUploading(upload.caller, to: upload.address)
        let before = try find(upload)
        let file = try database.assetStore.resumables.borrow(upload.name, in: database.assetStore)
        defer { database.assetStore.resumables.giveBack(file) }
        // A request with an offset that is too low must not end an older request.
        guard part.offset >= before.offset else { throw RecordError.uploadOffsetWrong(before.offset) }
        if let received = file.receivedNow, part.offset < received { throw RecordError.uploadIsBusy }
        let session = try await file.turn.takeOver()
        let row: ResumableUploadRow
        let room: ResumableReservation
        do {
            defer { file.turn.leave() }
            row = try await begin(part, of: upload, file)
            // If the length is known, the upload's row already counts it in the quota.
            room = ResumableReservation(reader, uploader: row.uploader, isCounted: row.length == nil)
            if row.claim == nil { try await open(file, at: row.offset, for: part, in: room) }
        }
        defer { room.release() }
        guard row.claim == nil else {
            guard try await next() == nil else { throw RecordError.uploadTooLong(length: row.offset) }
            return try status(row, upload)
        }
        do {
            let size = try await receive(row, part, file, session, room, next)
            try await file.turn.step(session) { () throws(RecordError) in
                try await end(row, part, at: size, upload, file)
            }
        } catch {
            // If a newer request has taken over, this step fails and the newer request handles the received bytes.
            try? await file.turn.step(session) { () throws(RecordError) in try await rest(file, of: row) }
            throw error
        }
        return try status(try find(upload), upload)
    }

    /// The first step of a part: finishes the work of an older request, and checks the part against the upload's
    /// current state.
    private func begin(
        _ part: ResumablePart, of upload: ResumableAddress, _ file: ResumableFile
    ) async throws(RecordError) -> ResumableUploadRow {
        var row = try await settled(upload, file)
        guard part.offset == row.offset else { throw .uploadOffsetWrong(row.offset) }
        if let length = part.length { try await setLength(length, &row) }
        if let length = row.length, let count = part.count, count > length - row.offset {
            throw .uploadTooLong(length: length)
        }
        if let count = part.count, count > Int64(database.limits.assetBytes) - row.offset {
            throw .assetTooLarge(limit: database.limits.assetBytes)
        }
        return row
    }

    /// Reserves space for a part, and opens the file at the part's offset.
    private func open(
        _ file: ResumableFile, at offset: Int64, for part: ResumablePart, in room: ResumableReservation
    ) async throws(RecordError) {
        try room.expect(part.count ?? 0)
        do throws(AssetFileError) {
            try await file.open(at: offset, digest: part.checksum.flatMap { MessageDigest($0.algorithm) })
        } catch {
            room.release()
            throw failureToGoOn(error)
        }
    }

    /// Sets the length of an upload that was created without a length.
    private func setLength(_ length: Int64, _ row: inout ResumableUploadRow) async throws(RecordError) {
        if let known = row.length {
            guard known == length else { throw .uploadLengthWrong(known) }
            return
        }
        guard length >= row.offset else { throw .uploadLengthWrong(row.offset) }
        try checkLength(length)
        let before = row
        let files = database.assetStore
        try await database.write { transaction throws(RecordError) in
            try transaction.assets.allowUnfinished(
                length, of: before, besides: before.offset, isNew: false, in: files)
            guard try transaction.store.assets.resumables.setLength(before.id, length) else { throw .uploadNotFound }
        }
        row.length = length
    }

    /// The number of received bytes after which a part without a checksum is synced. Such a part is also synced after
    /// `timeAtRisk`, for slow clients.
    private static let bytesAtRisk: Int64 = 32 << 20
    private static let timeAtRisk = Duration.seconds(10)

    /// Writes the chunks of a part as they arrive.
    ///
    /// - Returns: The size of the file in bytes after the last chunk.
    private func receive(
        _ row: ResumableUploadRow, _ part: ResumablePart, _ file: ResumableFile, _ session: UInt64,
        _ room: ResumableReservation, _ next: () async throws -> [UInt8]?
    ) async throws -> Int64 {
        var size = row.offset
        var synced = size
        var due = Deadline.after(Self.timeAtRisk)
        while let piece = try await next() {
            let total = size + Int64(piece.count)
            if let length = row.length {
                guard total <= length else { throw RecordError.uploadTooLong(length: length) }
            } else if total > Int64(database.limits.assetBytes) {
                throw RecordError.assetTooLarge(limit: database.limits.assetBytes)
            }
            try room.take(Int64(piece.count))
            size = total
            // Do not sync here in two cases. The last part is synced when the file is kept, and a part with a checksum
            // is synced after the check.
            let syncs =
                size != row.length && part.checksum == nil
                && (size - synced >= Self.bytesAtRisk || due.hasPassed())
            try await file.turn.step(session) { () throws(RecordError) in
                do throws(AssetFileError) {
                    try await file.append(piece)
                    // An fsync succeeds even if writing this chunk failed, so wait for the chunk first.
                    if syncs { try await file.settle() }
                } catch {
                    throw database.assets.failure(error)
                }
                if syncs { try await advance(file, of: row) }
            }
            if syncs {
                room.note(size - row.offset)
                synced = size
                due = .after(Self.timeAtRisk)
            }
        }
        return size
    }

    /// The last step of a part: makes the bytes durable, or completes the upload.
    private func end(
        _ row: ResumableUploadRow, _ part: ResumablePart, at size: Int64, _ upload: ResumableAddress,
        _ file: ResumableFile
    ) async throws(RecordError) {
        do throws(AssetFileError) { try await file.settle() } catch { throw database.assets.failure(error) }
        if let checksum = part.checksum, await !file.passesCheck(checksum.digest) {
            await file.drop()
            throw .partMismatch
        }
        if size == row.length {
            try await complete(row, upload, file)
        } else {
            try await rest(file, of: row)
        }
    }
}

extension RecordError {
    /// The error for a part that does not match its checksum.
    static let partMismatch = RecordError.badRequest(
        "The bytes do not match Upload-Checksum and were dropped. Send them again",
        cause: .digestMismatch)
}
