internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import Threads

extension Uploads {
    /// Takes a part of an upload in, and completes the upload with its last part.
    ///
    /// The offset that is answered is durable. What came of a part that breaks off is durable too, unless it was to be
    /// checked as a whole. A newer request for the upload ends this one.
    ///
    /// - Parameter next: The next piece of the part; `nil` at its end.
    /// - Throws: CONFLICT for another offset than the upload's, with that in details, or if an older request is farther or
    ///   a newer one has taken over; `TOO_LARGE`, QUOTA_EXCEEDED, `STORAGE_FULL`; `DIGEST_MISMATCH`; or what `next` throws.
    package func append(
        _ part: ResumablePart, to upload: ResumableAddress, _ next: () async throws -> [UInt8]?
    ) async throws -> ResumableStatus {
        try reader.assets.allowUploading(upload.caller, to: upload.address)
        let before = try find(upload)
        let file = try database.assetStore.resumables.borrow(upload.name, in: database.assetStore)
        defer { database.assetStore.resumables.giveBack(file) }
        // What cannot go on must not end what can.
        guard part.offset >= before.offset else { throw RecordError.uploadOffsetWrong(before.offset) }
        if let received = file.receivedNow, part.offset < received { throw RecordError.uploadIsBusy }
        let session = try await file.turn.takeOver()
        let row: ResumableUploadRow
        let room: ResumableRoom
        do {
            defer { file.turn.leave() }
            row = try await begin(part, of: upload, file)
            // The quota of a length that is known is held by the row.
            room = ResumableRoom(reader, uploader: row.uploader, isCounted: row.length == nil)
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
            // If somebody else has the upload, it is theirs to keep what came.
            try? await file.turn.step(session) { () throws(RecordError) in try await rest(file, of: row) }
            throw error
        }
        return try status(try find(upload), upload)
    }

    /// The first step: what an older request has left is settled, and the part is judged by what is there now.
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

    /// Makes sure of room for a part and opens the file for it.
    private func open(
        _ file: ResumableFile, at offset: Int64, for part: ResumablePart, in room: ResumableRoom
    ) async throws(RecordError) {
        try room.expect(part.count ?? 0)
        do throws(AssetFileError) {
            try await file.open(at: offset, digest: part.checksum.flatMap { MessageDigest($0.algorithm) })
        } catch {
            room.release()
            throw failureToGoOn(error)
        }
    }

    /// Notes a length that comes later than the upload.
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

    /// How much may be lost if the process ends, and for how long a slow client's bytes may be at risk.
    private static let bytesAtRisk: Int64 = 32 << 20
    private static let timeAtRisk = Duration.seconds(10)

    /// Writes pieces as they come.
    ///
    /// - Returns: The size of the file with all of them.
    private func receive(
        _ row: ResumableUploadRow, _ part: ResumablePart, _ file: ResumableFile, _ session: UInt64,
        _ room: ResumableRoom, _ next: () async throws -> [UInt8]?
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
            // The last part of an upload is synced when it is kept; one that is to be checked, when it was.
            let syncs =
                size != row.length && part.checksum == nil
                && (size - synced >= Self.bytesAtRisk || due.hasPassed())
            try await file.turn.step(session) { () throws(RecordError) in
                do throws(AssetFileError) {
                    try await file.append(piece)
                    // A sync makes durable what is there, also if this piece is not.
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

    /// The last step of a part.
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
    static let partMismatch = RecordError.badRequest(
        "The bytes that came are not those that Upload-Checksum stands for, and were dropped. Send them again",
        cause: .digestMismatch)
}
